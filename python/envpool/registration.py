"""EnvPool's path of the registry and of what makes pools, which clients import."""

from envpool.tasks.makers import (
    list_all_envs,
    make,
    make_dm,
    make_gym,
    make_gymnasium,
    make_python,
    make_spec,
)
from envpool.tasks.registration import (
    EnvRegistry,
    asset_base_path,
    base_path,
    register,
    register_python,
    registry,
)

__all__ = [
    "EnvRegistry",
    "asset_base_path",
    "base_path",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_python",
    "make_spec",
    "register",
    "register_python",
    "registry",
]
