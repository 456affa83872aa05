"""The tasks on MuJoCo that Gymnasium has; those of other families are registered there."""

import envpool.families.mujoco.gym.registration  # noqa: F401
