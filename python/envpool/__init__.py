"""Many copies of a reinforcement-learning environment as one, stepped by native threads.

>>> import envpool
>>> env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=3)
>>> observation, info = env.reset(seed=42)
>>> observation.shape
(3, 4)
"""

from importlib.metadata import version as _version

from envpool import entry, python
from envpool.errors import EnvironmentFailure, UnknownTaskError
from envpool.python.protocol import DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool
from envpool.registration import (
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_spec,
    register,
)

__version__ = _version("envpool")

__all__ = [
    "DMEnvPool",
    "EnvPool",
    "EnvSpec",
    "EnvironmentFailure",
    "GymnasiumEnvPool",
    "UnknownTaskError",
    "entry",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
    "python",
    "register",
]
