"""Registers the tasks of all families. The families themselves are imported when one is made."""

import sys

import envpool.families.atari.registration
import envpool.families.box2d.registration
import envpool.families.classic_control.registration
import envpool.families.dm_control.registration
import envpool.families.gfootball.registration
import envpool.families.highway.registration
import envpool.families.metaworld.registration
import envpool.families.minigrid.registration
import envpool.families.mujoco.gym.registration
import envpool.families.procgen.registration
import envpool.families.robotics.registration
import envpool.families.toy_text.registration
import envpool.families.vizdoom.registration  # noqa: F401


def _add_paths(package: str, path: str) -> None:
    """Makes modules of ours, those whose names begin so, EnvPool's, too."""
    for name in [name for name in sys.modules if name.startswith(package)]:
        other = path + name.removeprefix(package)
        parent, _, last = other.rpartition(".")
        sys.modules[other] = sys.modules[name]
        setattr(sys.modules[parent], last, sys.modules[name])


# EnvPool has its families beside this module, and clients import them there. Some are elsewhere.
_add_paths("envpool.families.", "envpool.")
_add_paths("envpool.families.dm_control", "envpool.mujoco.dmc")
_add_paths("envpool.families.metaworld", "envpool.mujoco.metaworld")
_add_paths("envpool.families.robotics", "envpool.mujoco.robotics")
