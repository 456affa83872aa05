"""Checks that nothing is left of episodes and of pools: memory, threads, files."""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from envpool.checks.actions import Actions
from envpool.checks.probe import Play, Probe
from envpool.checks.report import Found
from envpool.checks.subject import SEED, Subject

_PROCESS = Path("/proc/self")
# The first series is for what is kept on purpose, such as a vector's capacity. There are so many,
# because what threads allocate differs by some kilobytes, up and down.
_SERIES = 8
_MOST_RESETS, _LEAST_RESETS = 1000, 10
_MOST_POOLS, _LEAST_POOLS = 20, 4
_SECONDS, _SECONDS_IF_QUICK = 0.3, 0.05  # that a series takes about
_BYTES_PER_TIME = 16  # less than this is no leak, but noise of Python's
_MOST_NOISE = 512  # bytes
_MOST_BLOCKS = 32
_BLOCKS = "blocks of Python's memory"  # which are parts of what malloc() gives


class _MallInfo2(ctypes.Structure):
    """The result of glibc's mallinfo2()."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = tuple((name, ctypes.c_size_t) for name in _names.split())


def live_memory() -> int:
    """The bytes that were allocated and not freed; 0 where nobody counts them."""
    mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo2 is None:
        return 0
    mallinfo2.restype = _MallInfo2
    gc.collect()
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def _count(what: str) -> int:
    return len(list((_PROCESS / what).iterdir())) if (_PROCESS / what).exists() else 0


def leaks_of_resets(subject: Subject) -> Iterator[Found]:
    """The same series of short episodes again and again."""
    spec = subject.spec(num_envs=1)
    with Probe(spec) as probe:
        play = Play(probe, Actions(spec))

        def episode(number: int) -> None:
            play.start(SEED + number).run(2)

        yield from _growth(subject, episode, "reset", _LEAST_RESETS, _MOST_RESETS)


def leaks_of_pools(subject: Subject) -> Iterator[Found]:
    """Pools that are made, used and closed again and again."""
    spec = subject.spec(**subject.threads(2))

    def use(number: int) -> None:
        with Probe(spec) as probe:
            Play(probe, Actions(spec)).start(SEED + number).run(2)

    yield from _growth(subject, use, "pool", _LEAST_POOLS, _MOST_POOLS)


def _growth(
    subject: Subject, do: Callable[[int], None], what: str, least: int, most: int
) -> Iterator[Found]:
    """Finds what a process holds more of after each series of things that it does.

    Args:
        subject: What is checked.
        do: Does one of them, always the same for the same number.
        what: What it is.
        least: How many a series has, at least.
        most: At most.
    """
    begin = time.monotonic()
    do(0)
    do(1)
    each = (time.monotonic() - begin) / 2
    seconds = _SECONDS_IF_QUICK if subject.quick else _SECONDS
    times = int(min(max(seconds / each, least), most))
    held = []
    for _ in range(_SERIES):
        for number in reversed(range(times)):  # what is left of the last one is always the same
            do(number)
        held.append({"bytes": live_memory(), "threads": _count("task"), "files": _count("fd")})
        if subject.python is not None:
            held[-1][_BLOCKS] = sys.getallocatedblocks()
    for name in held[0]:
        # A leak grows in each series; caches and the like don't.
        growth = min(later[name] - earlier[name] for earlier, later in pairwise(held[1:]))
        noise = {
            "bytes": max(_MOST_NOISE, _BYTES_PER_TIME * times),
            _BLOCKS: max(_MOST_BLOCKS, times * 3 // 4),
        }
        if growth > noise.get(name, 0):
            yield (
                f"the process has {growth:,} {name} more after every {times} {what}s, "
                f"which is {growth / times:,.3g} per {what}"
            )
