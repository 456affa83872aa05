"""Walk, an environment for envpool; its tasks are in :mod:`walkenv.registration`."""

from envpool.sdk import lazy_export
from walkenv.registration import register_tasks

# The library is loaded, and its classes are made, when a task of it is.
__getattr__, __dir__ = lazy_export("walkenv._walkenv", __name__)

# Gymnasium finds the tasks by importing this package: "walkenv:envpool/walkenv-Walk-v0".
register_tasks()
