"""The tasks of each kind, as data."""
