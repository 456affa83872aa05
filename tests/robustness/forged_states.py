"""Gives a pool made-up snapshots: python tests/robustness/forged_states.py TASK COUNT [SEED].

Each is a real one with a few changes and a checksum that fits them. The pool may refuse it or take
it, and goes on then; whatever else happens ends this program with an error, or never. The last line
that it prints says which forgery that was.
"""

from __future__ import annotations

import struct
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import envpool
import envpool.families.testing.registration
from envpool.tasks.registry import registry

HEAD_BYTES = 16  # magic, format, checksum
LIMIT = 12  # of an episode's steps, so that a few steps see its end
STEPS = 20  # after each forgery that was taken
# Where emulators keep what is no picture, and what they write as text: generators.
DENSE_BYTES = 8192
TEXT = b"0123456789 "

# What a field may be taken for, at its worst.
WORDS = [
    struct.pack(code, value)
    for code, values in {
        "<b": [0, 1, -1, 2, 127, -128],
        "<i": [0, 1, -1, 2**31 - 1, -(2**31), 2**30, 1000],
        "<q": [0, 1, -1, 2**63 - 1, -(2**63), 2**62, 2**32, 1000],
        "<f": [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45],
        "<d": [np.nan, np.inf, -np.inf, 1e308, -1e308, 1e17, 5e-324],
    }.items()
    for value in values
]

Change = Callable[[bytearray, bytes, int, np.random.Generator], None]


def checksum(data: bytes) -> int:
    """FNV-1a, as in snapshot.cpp."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def mend(snapshot: bytes) -> bytes:
    """The same with a checksum that fits."""
    return snapshot[:8] + struct.pack("<Q", checksum(snapshot[HEAD_BYTES:])) + snapshot[HEAD_BYTES:]


def start_of_state(snapshot: bytes) -> int:
    """Where the state begins, after the key and its own length."""

    def number(place: int) -> int:
        return int(struct.unpack_from("<Q", snapshot, place)[0])

    place = HEAD_BYTES
    place += 8 + number(place)  # the type's name
    place += 4  # its version
    settings = number(place)
    place += 8
    for _ in range(settings):
        place += 8 + number(place)
    return place + 8


def put(data: bytearray, _other: bytes, place: int, rng: np.random.Generator) -> None:
    word = WORDS[rng.integers(len(WORDS))]
    data[place : place + len(word)] = word[: len(data) - place]


def flip(data: bytearray, _other: bytes, place: int, rng: np.random.Generator) -> None:
    data[place] ^= 1 << rng.integers(8)


def scatter(data: bytearray, _other: bytes, place: int, rng: np.random.Generator) -> None:
    data[place] = rng.integers(256)


def splice(data: bytearray, other: bytes, place: int, rng: np.random.Generator) -> None:
    end = place + int(rng.integers(1, 64)) if rng.random() < 0.5 else len(data)
    data[place:end] = other[place:end]


def cut(data: bytearray, _other: bytes, place: int, _rng: np.random.Generator) -> None:
    del data[place:]


def insert(data: bytearray, _other: bytes, place: int, rng: np.random.Generator) -> None:
    data[place:place] = rng.bytes(int(rng.integers(1, 16)))


CHANGES: list[Change] = [put, put, put, flip, scatter, splice, cut, insert]


def forge(snapshot: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """A snapshot that is like the first one, but for one to three changes."""
    data = bytearray(snapshot)
    start = start_of_state(snapshot)
    for _ in range(rng.integers(1, 4)):
        first = start if rng.random() < 0.95 else HEAD_BYTES
        last = len(data) if rng.random() < 0.3 else min(len(data), first + DENSE_BYTES)
        if first < last:
            place = int(rng.integers(first, last))
            while data[place] in TEXT and rng.random() < 0.9:
                place = int(rng.integers(first, last))
            CHANGES[rng.integers(len(CHANGES))](data, other, place, rng)
    if len(data) > start and rng.random() < 0.9:  # or else its length alone gives it away
        data[start - 8 : start] = struct.pack("<Q", len(data) - start)
    return mend(bytes(data))


class Attack:
    """A pool of one environment, and its states.

    Args:
        task_id: The task.
        rng: Decides on everything.
        options: The task's.
    """

    def __init__(self, task_id: str, rng: np.random.Generator, **options: Any) -> None:
        self.rng = rng
        self.taken = 0
        self.pool: Any = envpool.make(
            task_id, "gymnasium", num_envs=1, max_episode_steps=LIMIT, seed=1, **options
        )
        self.pool.action_space.seed(1)
        self.real = self.pool.get_state()  # before the first reset
        self.pool.reset()
        for _ in range(2 * LIMIT):
            self.real += self.pool.get_state()
            self.step(1)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.pool.step(np.asarray(self.pool.action_space.sample())[None])

    def run(self) -> None:
        """One forgery."""
        snapshot, other = (self.real[i] for i in self.rng.integers(len(self.real), size=2))
        try:
            self.pool.set_state([forge(snapshot, other, self.rng)])
        except (ValueError, RuntimeError):
            self.pool.reset()
            self.step(1)
            return
        self.taken += 1
        self.step(STEPS)
        states = self.pool.get_state()
        self.pool.set_state(states)
        assert self.pool.get_state() == states


def attack(task_id: str, count: int, seed: int = 0, **options: Any) -> None:
    """So many forgeries; always the same ones for the same seed."""
    warnings.simplefilter("ignore")  # of simulations that have become unstable
    attacker = Attack(task_id, np.random.default_rng(seed), **options)
    for index in range(count):
        print(f"{task_id} {options}: forgery {index} of seed {seed}", flush=True)
        attacker.run()
    assert 0 < attacker.taken < count or count < 20, f"{attacker.taken} of {count} were taken"
    print(f"{task_id}: {attacker.taken} of {count} were taken")


if __name__ == "__main__":
    assert sys.argv[1] in registry.tasks, sys.argv[1]
    attack(sys.argv[1], *map(int, sys.argv[2:]))
