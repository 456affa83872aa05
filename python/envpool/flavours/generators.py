"""The environments' random generators, as NumPy's own Generator: who draws from one moves it on."""

from __future__ import annotations

import struct
import threading
from typing import Any

import numpy as np

from envpool import _core

_PACKED = struct.Struct("<4QI?")


def random_generators(pool: _core.Pool) -> tuple[np.random.Generator, ...]:
    """The generators of all environments, to be used while none of these runs."""
    # NumPy needs no more of a bit generator than what this class has.
    bits: list[Any] = [EnvironmentBits(random) for random in pool.get_random()]
    return tuple(map(np.random.Generator, bits))


class EnvironmentBits:
    """A bit generator that is an environment's own; a copy of it is a PCG64 of NumPy's.

    Args:
        random: The environment's.
    """

    def __init__(self, random: _core.Random) -> None:
        self._random = random
        self.capsule = random.capsule()
        self.lock = threading.Lock()

    @property
    def state(self) -> dict[str, Any]:
        """The state, as :attr:`numpy.random.PCG64.state` has it; it can be set."""
        low, high, low_increment, high_increment, half, has_half = _PACKED.unpack(
            self._random.pack()
        )
        words = {"state": high << 64 | low, "inc": high_increment << 64 | low_increment}
        return {
            "bit_generator": "PCG64",
            "state": words,
            "has_uint32": int(has_half),
            "uinteger": half,
        }

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        bits = np.random.PCG64()
        bits.state = state  # type: ignore[assignment]  # refuses what is none
        words = [bits.state["state"][name] for name in ("state", "inc")]
        halves = [half for word in words for half in (word % 2**64, word >> 64)]
        self._random.unpack(_PACKED.pack(*halves, bits.state["uinteger"], bits.state["has_uint32"]))

    def __reduce__(self) -> Any:
        return _copied, (self.state,)


def _copied(state: dict[str, Any]) -> np.random.PCG64:
    bits = np.random.PCG64()
    bits.state = state  # type: ignore[assignment]
    return bits
