"""The tasks of Box2D, one call each. Time limits and thresholds are Gymnasium's."""

from functools import partial

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.box2d")

_register(
    "LunarLander-v3",
    "LunarLanderDiscrete",
    ["LunarLander-v2"],
    max_episode_steps=1000,
    reward_threshold=200.0,
)
_register(
    "LunarLanderContinuous-v3",
    "LunarLanderContinuous",
    ["LunarLanderContinuous-v2"],
    max_episode_steps=1000,
    reward_threshold=200.0,
)
_register(
    "BipedalWalker-v3",
    "BipedalWalker",
    hardcore=False,
    max_episode_steps=1600,
    reward_threshold=300.0,
)
_register(
    "BipedalWalkerHardcore-v3",
    "BipedalWalker",
    hardcore=True,
    max_episode_steps=2000,
    reward_threshold=300.0,
)
_register(
    "CarRacing-v3", "CarRacing", ["CarRacing-v2"], max_episode_steps=1000, reward_threshold=900.0
)
