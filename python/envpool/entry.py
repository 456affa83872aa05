"""Registers the tasks of all families. The families themselves are imported when one is made."""

from envpool import families

families.register()
