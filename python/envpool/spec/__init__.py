"""Specs: options, spaces and arrays of a task, known without making it."""

from typing import TYPE_CHECKING

from envpool.late import late

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

__all__ = ["EnvSpec"]

if not TYPE_CHECKING:  # for type hints of functions that are there before NumPy is
    __getattr__ = late(__name__, {"EnvSpec": "envpool.spec.env_spec"})
