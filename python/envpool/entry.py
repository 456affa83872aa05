"""Registers the tasks of all families. The families themselves are imported when one is made."""

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
