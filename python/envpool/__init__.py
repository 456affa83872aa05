"""Many copies of a reinforcement-learning environment as one, stepped by native threads.

>>> import envpool
>>> env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=3)
>>> observation, info = env.reset(seed=42)
>>> observation.shape
(3, 4)

Importing envpool registers the tasks, with Gymnasium too. It loads Gymnasium (and so NumPy) for
that, but not the native core, which is loaded when somebody makes a pool.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool import entry
from envpool.compat import paths
from envpool.errors import ArgumentError, EnvironmentFailure, UnknownTaskError
from envpool.late import late
from envpool.tasks import registration
from envpool.tasks.registration import (
    list_all_envs,
    make,
    make_batched,
    make_dm,
    make_gym,
    make_gymnasium,
    make_multi,
    make_python,
    make_spec,
    register,
    register_python,
)
from envpool.tasks.registry import registry

if TYPE_CHECKING:
    from envpool import curriculum, sb3, sdk, vector  # noqa: F401 - sb3 is not for *
    from envpool.compat import protocol as python
    from envpool.evaluation import evaluate
    from envpool.families import mujoco  # noqa: F401
    from envpool.families.mujoco.model.making import make_mujoco
    from envpool.films.filming import film
    from envpool.flavours.base import EnvPool
    from envpool.flavours.dm import DMEnvPool
    from envpool.flavours.gymnasium import GymnasiumEnvPool
    from envpool.flavours.torch_pool import torch as torch  # not for *, either
    from envpool.recordings.recording import replay
    from envpool.rollouts.async_rollout import AsyncRollout
    from envpool.rollouts.replay_buffer import ReplayBuffer
    from envpool.rollouts.rollout import Rollout
    from envpool.sdk import get_cmake_dir, get_include
    from envpool.spec.env_spec import EnvSpec

    __version__: str

__all__ = [
    "ArgumentError",
    "AsyncRollout",
    "DMEnvPool",
    "EnvPool",
    "EnvSpec",
    "EnvironmentFailure",
    "GymnasiumEnvPool",
    "ReplayBuffer",
    "Rollout",
    "UnknownTaskError",
    "curriculum",
    "entry",
    "evaluate",
    "film",
    "get_cmake_dir",
    "get_include",
    "list_all_envs",
    "make",
    "make_batched",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_mujoco",
    "make_multi",
    "make_python",
    "make_spec",
    "python",
    "register",
    "register_python",
    "registration",
    "replay",
    "sdk",
    "vector",
]

_LATE = {
    "AsyncRollout": "envpool.rollouts.async_rollout",
    "DMEnvPool": "envpool.flavours.dm",
    "EnvPool": "envpool.flavours.base",
    "EnvSpec": "envpool.spec.env_spec",
    "GymnasiumEnvPool": "envpool.flavours.gymnasium",
    "ReplayBuffer": "envpool.rollouts.replay_buffer",
    "Rollout": "envpool.rollouts.rollout",
    "evaluate": "envpool.evaluation",
    "film": "envpool.films.filming",
    "get_cmake_dir": "envpool.sdk",
    "get_include": "envpool.sdk",
    "make_mujoco": "envpool.families.mujoco.model.making",
    "replay": "envpool.recordings.recording",
    "torch": "envpool.flavours.torch_pool",
}
_MODULES = ("_core", "curriculum", "sb3", "sdk", "vector")

if not TYPE_CHECKING:
    _get = late(__name__, _LATE)

    def __getattr__(name: str) -> Any:
        """Imports what is asked for the first time."""
        if name in _MODULES:
            return importlib.import_module(f"envpool.{name}")
        if name == "__version__":
            return importlib.import_module("envpool.machine").own_version()
        return _get(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *_MODULES, "__version__"})


# EnvPool itself fills the same folder, and pip lets it: then half of each would be there. All of
# its versions have this file, and to look for one file costs nothing.
_folder = Path(__file__).parent
if (_folder / "classic_control" / "classic_control_envpool.so").exists():
    raise ImportError(
        f"the files of two projects are in {_folder}: of envpool (EnvPool's own) and of "
        "envpool-next (this one). Remove both (pip uninstall envpool envpool-next), and install "
        "one of them again"
    )

paths.add_paths()
registry.join_gymnasium()
