"""Walk, an environment for envpool; its tasks are in :mod:`$package.registration`."""

from envpool.sdk import lazy_export
from $package.registration import register_tasks

# The library is loaded, and its classes are made, when a task of it is.
__getattr__, __dir__ = lazy_export("$package._$package", __name__)

# Gymnasium finds the tasks by importing this package: "$package:envpool/$package-Walk-v0".
register_tasks()
