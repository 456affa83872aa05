"""Environments, native or written in Python, as Stable-Baselines3 vector environments.

>>> from envpool.sb3 import VecEnv
>>> env = VecEnv("CartPole-v1", num_envs=8, seed=7)
>>> env.reset().shape
(8, 4)
>>> env.close()
"""

from envpool.errors import import_or_say, install

import_or_say("stable_baselines3", f"envpool.sb3 needs Stable-Baselines3: {install('sb3')} ({{}})")

from envpool.sb3.vec_env import VecEnv  # noqa: E402 - after what it needs

__all__ = ["VecEnv"]
