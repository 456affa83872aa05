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

from envpool import ctrl_c, entry, registration  # the first before what takes time
from envpool.errors import ArgumentError, EnvironmentFailure, UnknownTaskError
from envpool.tasks.registration import (
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_multi,
    make_python,
    make_spec,
    register,
    register_python,
)

if TYPE_CHECKING:
    from envpool import normalize, python, sb3, sdk, vector  # noqa: F401 - sb3 is not for *
    from envpool.films.filming import film
    from envpool.flavours.base import EnvPool
    from envpool.flavours.dm import DMEnvPool
    from envpool.flavours.gymnasium import GymnasiumEnvPool
    from envpool.flavours.torch_pool import torch as torch  # not for *, either
    from envpool.recordings.recording import replay
    from envpool.sdk import get_cmake_dir, get_include
    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.thread_pool import ThreadPool

    __version__: str

__all__ = [
    "ArgumentError",
    "DMEnvPool",
    "EnvPool",
    "EnvSpec",
    "EnvironmentFailure",
    "GymnasiumEnvPool",
    "ThreadPool",
    "UnknownTaskError",
    "entry",
    "film",
    "get_cmake_dir",
    "get_include",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_multi",
    "make_python",
    "make_spec",
    "normalize",
    "python",
    "register",
    "register_python",
    "registration",
    "replay",
    "sdk",
    "vector",
]

_LATE = {
    "DMEnvPool": "envpool.flavours.dm",
    "EnvPool": "envpool.flavours.base",
    "EnvSpec": "envpool.spec.env_spec",
    "GymnasiumEnvPool": "envpool.flavours.gymnasium",
    "ThreadPool": "envpool.spec.thread_pool",
    "film": "envpool.films.filming",
    "get_cmake_dir": "envpool.sdk",
    "get_include": "envpool.sdk",
    "replay": "envpool.recordings.recording",
    "torch": "envpool.flavours.torch_pool",
}
_MODULES = ("_core", "normalize", "python", "sb3", "sdk", "vector")

if not TYPE_CHECKING:  # a type checker would take any name for one of ours

    def __getattr__(name: str) -> Any:
        """Imports what is asked for the first time; after that Python finds it itself."""
        if name in _LATE:
            value = getattr(importlib.import_module(_LATE[name]), name)
        elif name in _MODULES:
            value = importlib.import_module(f"envpool.{name}")
        elif name == "__version__":
            value = importlib.import_module("envpool.machine").own_version()
        else:
            raise AttributeError(f"module 'envpool' has no attribute {name!r}")
        globals()[name] = value
        return value


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

registration.registry.join_gymnasium()
ctrl_c.end()
