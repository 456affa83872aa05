"""The APIs that pools speak, and the one place that decides which of them a pool speaks."""

from __future__ import annotations

import functools
import os
from typing import Any

from envpool.errors import ArgumentError, import_or_say, shown

ENV_TYPES = ("gym", "gymnasium", "dm")
OLD_GYM = "old gym"  # the flavour that env_type "gym" is where somebody asks for it
VARIABLE = "ENVPOOL_OLD_GYM"

_FIRST_NEW = (0, 26)  # the first gym with Gymnasium's API
_NAMES = {"gymnasium": "GymnasiumEnvPool", "dm": "DMEnvPool", OLD_GYM: "GymEnvPool"}


def flavour_of(env_type: Any, old_gym: Any) -> str:
    """The API that a pool speaks: ``"gymnasium"``, ``"dm"`` or ``OLD_GYM``.

    Args:
        env_type: One of ``ENV_TYPES``. ``"gym"`` is Gymnasium's API unless an old gym's is wanted.
        old_gym: Says whether ``env_type="gym"`` is an old gym's API. If None, the environment
            variable ``ENVPOOL_OLD_GYM`` says it.

    Raises:
        TypeError: ``old_gym`` is neither None nor a bool, or does not go with the ``env_type``.
        ArgumentError: There is no such ``env_type``, or the variable is neither 0 nor 1.
        ImportError: An old gym's API is wanted, and no old gym is installed.
    """
    if env_type not in ENV_TYPES:
        expected = ", ".join(map(repr, ENV_TYPES))
        raise ArgumentError(f"env_type is {shown(env_type)}, expected one of {expected}")
    if env_type != "gym":
        if old_gym is not None:
            raise TypeError(
                f"old_gym is an option of env_type 'gym', and this is {shown(env_type)}"
            )
        return str(env_type)
    if old_gym is not None and not isinstance(old_gym, bool):
        raise TypeError(f"old_gym is {shown(old_gym)}, expected None or a bool")
    if not (_variable() if old_gym is None else old_gym):
        return "gymnasium"
    _require_old_gym("old_gym=True" if old_gym else f"{VARIABLE}=1")
    return OLD_GYM


def with_defaults(flavour: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options, with the default that is different where an old gym's API is spoken.

    Raises:
        ArgumentError: Resets shall not return the info, and it is another API.
    """
    if flavour == OLD_GYM:
        return {"gym_reset_return_info": False} | options
    require_reset_info(options.get("gym_reset_return_info", True))
    return options


def require_reset_info(returns_info: Any) -> None:
    """Refuses resets without the info, which only an old gym's API has.

    Raises:
        ArgumentError: They shall not return it.
    """
    if not returns_info:
        raise ArgumentError("gym_reset_return_info is False, expected True")


@functools.cache
def pool_class(name: str, module: str, flavour: str, *mixins: type) -> Any:
    """The class of pools that speak an API, such as ``CartPoleGymnasiumEnvPool``.

    Args:
        name: What the class's name begins with.
        module: The module that it shall be of, for ``__module__``.
        flavour: One of :func:`flavour_of`.
        *mixins: What its pools have beside, or in place of, what others have.

    Raises:
        ImportError: The package that has the API is not installed.
    """
    attributes = {"__module__": module}
    return type(name + _NAMES[flavour], (*mixins, *_bases(flavour)), attributes)


def _bases(flavour: str) -> tuple[Any, ...]:
    """The bases of pools' classes: clients look among the direct ones for what they know."""
    if flavour == "dm":
        from envpool.flavours.dm import DMEnvPool
        from envpool.spec.fields import import_dm_env

        return DMEnvPool, import_dm_env().Environment
    if flavour == OLD_GYM:
        import gym

        from envpool.flavours.gym import GymEnvPool

        return GymEnvPool, gym.Env
    from gymnasium import Env
    from gymnasium.vector import VectorEnv

    from envpool.flavours.gymnasium import GymnasiumEnvPool

    return GymnasiumEnvPool, VectorEnv, Env


def _variable() -> bool:
    """True if the environment variable asks for an old gym's API."""
    value = os.environ.get(VARIABLE, "0")
    if value not in ("", "0", "1"):
        raise ArgumentError(
            f"the environment variable {VARIABLE} is {shown(value)}, expected 0 or 1"
        )
    return value == "1"


def _require_old_gym(wanted_by: str) -> None:
    how = f'{wanted_by} needs a gym older than 0.26: pip install "gym==0.23.1"'
    version = import_or_say("gym", how + " ({})").__version__
    if tuple(map(int, version.split(".")[:2])) >= _FIRST_NEW:
        raise ImportError(f"{how} (there is {version})")
