"""Specs: options, spaces and arrays of a task, known without making it."""
