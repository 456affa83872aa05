"""Recordings of pools: what is in them, and what happened, once more."""
