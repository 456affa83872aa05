"""Pools from specs, wherever these come from: another process, or another machine."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from envpool.forks import import_module
from envpool.tasks.old_gym import wants_old_gym
from envpool.tasks.registration import check_env_type

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def make_from_spec(spec: EnvSpec, env_type: str, old_gym: bool | None, **kwargs: Any) -> Any:
    """See :meth:`EnvSpec.make`."""
    check_env_type(env_type, old_gym)
    kind = type(spec)
    name = kind.__name__.removesuffix("EnvSpec")
    if env_type == "gym" and wants_old_gym(old_gym):
        pool_class = import_module("envpool.flavours.gym").pool_class(name, kind.__module__)
        return pool_class(spec.changed(**{"gym_reset_return_info": False} | kwargs))
    changed = spec.changed(**kwargs)
    changed.require_reset_info()
    role = "DMEnvPool" if env_type == "dm" else "GymnasiumEnvPool"
    return getattr(importlib.import_module(kind.__module__), name + role)(changed)
