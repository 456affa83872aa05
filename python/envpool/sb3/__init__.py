"""Environments, native or written in Python, as Stable-Baselines3 vector environments.

>>> from envpool.sb3 import VecEnv
>>> env = VecEnv("CartPole-v1", num_envs=8, seed=7)
>>> env.reset().shape
(8, 4)
>>> env.close()
"""

from envpool.errors import install

try:
    import stable_baselines3  # noqa: F401
except ImportError as error:
    raise ImportError(f"envpool.sb3 needs Stable-Baselines3: {install('sb3')} ({error})") from error

from envpool.sb3.vec_env import VecEnv

__all__ = ["VecEnv"]
