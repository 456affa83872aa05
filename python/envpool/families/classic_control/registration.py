"""The tasks of classic control, one call each. Time limits and thresholds are Gymnasium's."""

from functools import partial

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.classic_control")

_register(
    "CartPole-v0", "CartPole", ["phys2d/CartPole-v0"], max_episode_steps=200, reward_threshold=195.0
)
_register(
    "CartPole-v1", "CartPole", ["phys2d/CartPole-v1"], max_episode_steps=500, reward_threshold=475.0
)
_register("Pendulum-v0", "Pendulum", ["phys2d/Pendulum-v0"], max_episode_steps=200, version=0)
_register("Pendulum-v1", "Pendulum", max_episode_steps=200)
_register("MountainCar-v0", "MountainCar", max_episode_steps=200, reward_threshold=-110.0)
_register(
    "MountainCarContinuous-v0",
    "MountainCarContinuous",
    max_episode_steps=999,
    reward_threshold=90.0,
)
_register("Acrobot-v1", "Acrobot", max_episode_steps=500, reward_threshold=-100.0)
