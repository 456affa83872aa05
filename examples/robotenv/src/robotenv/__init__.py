"""Reach, a robot for envpool; its tasks are in :mod:`robotenv.registration`."""

from envpool.families.mujoco import export_robots
from robotenv.registration import register_tasks

# The library is loaded, and its classes are made, when a task of it is. This folder has the model.
__getattr__, __dir__ = export_robots("robotenv", "robotenv")

# Gymnasium finds the tasks by importing this package: "robotenv:envpool/robotenv-Reach-v0".
register_tasks()
