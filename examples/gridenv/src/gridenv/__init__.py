"""Gems and FetchKey, levels for envpool; their tasks are in :mod:`gridenv.registration`."""

from envpool.families.minigrid import SPEC_BASE
from envpool.sdk import lazy_export
from gridenv.registration import register_tasks

# The library is loaded, and its classes are made, when a task of it is.
__getattr__, __dir__ = lazy_export("gridenv._gridenv", __name__, SPEC_BASE)

# Gymnasium finds the tasks by importing this package: "gridenv:envpool/gridenv-Gems-v0".
register_tasks()
