"""The environments' random generators, as NumPy's own Generator: who draws from one moves it on."""

from __future__ import annotations

import struct
import threading
from typing import Any

import numpy as np

from envpool import _core

_HALF = struct.Struct("<I?")  # of a draw, which is kept for the next one


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
        packed = self._random.pack()
        words = {"state": packed[:16], "inc": packed[16:32]}
        half, has_half = _HALF.unpack(packed[32:])
        return {
            "bit_generator": "PCG64",
            "state": {name: int.from_bytes(word, "little") for name, word in words.items()},
            "has_uint32": int(has_half),
            "uinteger": half,
        }

    @state.setter
    def state(self, state: dict[str, Any]) -> None:
        given = _copied(state).state  # which refuses what is none
        words = [given["state"][name].to_bytes(16, "little") for name in ("state", "inc")]
        self._random.unpack(b"".join(words) + _HALF.pack(given["uinteger"], given["has_uint32"]))

    def __reduce__(self) -> Any:
        return _copied, (self.state,)


def _copied(state: dict[str, Any]) -> np.random.PCG64:
    bits = np.random.PCG64()
    bits.state = state  # type: ignore[assignment]
    return bits
