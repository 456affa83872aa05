"""Surroundings: what a new process has to know to be like this one."""

from __future__ import annotations

import contextlib
import pickle
import sys
from typing import Any, NamedTuple

import cloudpickle
import gymnasium

# What registers these is known everywhere.
_OWN = ("gymnasium.envs.", "envpool.")


class Surroundings(NamedTuple):
    """To be pickled.

    Attributes:
        path: Where modules are looked for.
        argv: What the program was called with, which some environments read.
        specs: What was registered with Gymnasium, pickled each.
    """

    path: list[str]
    argv: list[str]
    specs: list[bytes]

    @classmethod
    def here(cls) -> Surroundings:
        """Those of this process."""
        specs = []
        for spec in list(gymnasium.registry.values()):
            if isinstance(spec.entry_point, str) and spec.entry_point.startswith(_OWN):
                continue
            with contextlib.suppress(Exception):  # it will be missed by name, if it is missed
                specs.append(cloudpickle.dumps(spec))
        return cls(sys.path, sys.argv, specs)

    def establish(self) -> None:
        """Makes them those of this process."""
        sys.path[:] = self.path
        sys.argv[:] = self.argv
        for pickled in self.specs:
            with contextlib.suppress(Exception):
                spec: Any = pickle.loads(pickled)
                gymnasium.registry.setdefault(spec.id, spec)
