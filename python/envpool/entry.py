"""Registers the tasks of all families. The families themselves are imported when one is made."""

import sys

import envpool.families.atari.registration
import envpool.families.box2d.registration
import envpool.families.classic_control.registration
import envpool.families.dm_control.registration
import envpool.families.minigrid.babyai
import envpool.families.minigrid.registration
import envpool.families.mujoco.gym.registration
import envpool.families.toy_text.registration  # noqa: F401

# EnvPool has its families beside this module, and clients import them there.
for _name in [name for name in sys.modules if name.startswith("envpool.families.")]:
    _path = _name.removeprefix("envpool.families.")
    sys.modules[f"envpool.{_path}"] = sys.modules[_name]
    if "." not in _path:
        setattr(sys.modules["envpool"], _path, sys.modules[_name])
