"""Environments written in Python, run by worker processes behind a native pool."""
