"""Recordings of pools: how they are written (header), and what happened, once more."""
