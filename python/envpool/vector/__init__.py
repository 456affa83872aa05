"""Replacements for Gymnasium's vector environments, with their API and results, run by a pool.

>>> import gymnasium
>>> from envpool.vector import AsyncVectorEnv
>>> envs = AsyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 64)
>>> observations, infos = envs.reset(seed=42)
>>> observations.shape
(64, 4)
>>> envs.close()
"""

from typing import NoReturn

import gymnasium

from envpool.flavours.gymnasium import old_gymnasium

if gymnasium.__version__.startswith("0."):

    def __getattr__(name: str) -> NoReturn:
        raise old_gymnasium(f"envpool.vector.{name}")
else:
    from envpool.vector.async_env import AsyncVectorEnv
    from envpool.vector.sync_env import SyncVectorEnv

__all__ = ["AsyncVectorEnv", "SyncVectorEnv"]
