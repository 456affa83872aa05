"""Who speaks the API of an old gym: of versions before 0.26, which took on Gymnasium's."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from envpool.errors import shown

_FIRST_NEW = (0, 26)
_HOW = 'old_gym=True needs a gym older than 0.26: pip install "gym==0.23.1"'


def wants_old_gym(old_gym: Any) -> bool:
    """Is a pool of ``env_type="gym"`` to speak an old gym's API?

    Scripts that were written for it have it among their names. Others are not to notice that some
    package has installed or imported it, so neither is asked.

    Args:
        old_gym: What the caller says. If None, the answer is what its module has: an old ``gym``
            among its global names, whatever it is called there.

    Raises:
        TypeError: ``old_gym`` is neither None nor a bool.
        ImportError: ``old_gym`` is True, but there is none.
    """
    if old_gym is None:
        return any(map(_is_old_gym, _globals_of_caller().values()))
    if not isinstance(old_gym, bool):
        raise TypeError(f"old_gym is {shown(old_gym)}, expected None or a bool")
    if old_gym:
        _require()
    return old_gym


def _globals_of_caller() -> dict[str, Any]:
    """The global names of the module that called this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals):
        frame = frame.f_back
    return frame.f_globals


def _is_ours(names: dict[str, Any]) -> bool:
    return str(names.get("__name__")).partition(".")[0] == "envpool"


def _is_old_gym(value: object) -> bool:
    if not isinstance(value, ModuleType) or value.__name__ != "gym":
        return False
    try:
        major, minor = str(getattr(value, "__version__", None)).split(".")[:2]
        return (int(major), int(minor)) < _FIRST_NEW
    except ValueError:
        return False  # some other module of that name


def _require() -> None:
    try:
        import gym
    except ImportError as error:
        raise ImportError(f"{_HOW} ({error})") from error
    if not _is_old_gym(gym):
        raise ImportError(f"{_HOW} (there is {getattr(gym, '__version__', 'another module')})")
