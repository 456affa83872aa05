"""The tasks of toy_text, one call each.

Time limits and reward thresholds are EnvPool's and Gymnasium's. Gymnasium's ``tabular`` tasks need
JAX; here, as in EnvPool, they are other names of the plain ones. Taxi-v4 differs from Taxi-v3 only
with rain or a fickle passenger, which EnvPool does not have: there, both are version 4.
"""

from functools import partial

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.toy_text")

_register("Catch-v0", "Catch", height=10, width=5)
_register("FrozenLake-v1", "FrozenLake", size=4, max_episode_steps=100, reward_threshold=0.7)
_register("FrozenLake8x8-v1", "FrozenLake", size=8, max_episode_steps=200, reward_threshold=0.85)
_register("Taxi-v3", "Taxi", ["Taxi-v4"], max_episode_steps=200, reward_threshold=8.0)
_register("NChain-v0", "NChain", max_episode_steps=1000)
_register(
    "CliffWalking-v1",
    "CliffWalking",
    ["CliffWalking-v0", "tabular/CliffWalking-v0"],
    is_slippery=False,
)
_register("CliffWalkingSlippery-v1", "CliffWalking", is_slippery=True)
_register("Blackjack-v1", "Blackjack", ["tabular/Blackjack-v0"], sab=True, natural=False)
