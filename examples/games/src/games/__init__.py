"""Race, a game for envpool; its tasks are in :mod:`games.registration`."""

from envpool.sdk import lazy_export
from games.registration import register_tasks

# The library is loaded, and its classes are made, when a task of it is.
__getattr__, __dir__ = lazy_export("games._games", __name__, drawing="games.drawing")

# Gymnasium finds the tasks by importing this package: "games:envpool/games-Race-v0".
register_tasks()
