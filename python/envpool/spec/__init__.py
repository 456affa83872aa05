"""Specs: options, spaces and arrays of a task, known without making it."""

from pathlib import Path
from typing import TYPE_CHECKING

from envpool.late import late

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

__all__ = ["BASE_PATH", "EnvSpec"]

BASE_PATH = str(Path(__file__).parents[1])  # the installed package's folder

if not TYPE_CHECKING:  # for type hints of functions that are there before NumPy is
    __getattr__ = late(__name__, {"EnvSpec": "envpool.spec.env_spec"})
