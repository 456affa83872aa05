"""Registers the tasks of all families. The families themselves are imported when one is made."""

import envpool.atari.registration
import envpool.box2d.registration
import envpool.classic_control.registration
import envpool.mujoco.gym.registration
import envpool.toy_text.registration  # noqa: F401
