"""Pools of the tests' environments."""

from __future__ import annotations

import functools
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envpool.spec.option_values import PYTHON
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.pool import PythonPool
from worker_envs import Counter

# How environments are run, by a name.
LOCAL: dict[str, Any] = {"num_workers": 0}
FORKED: dict[str, Any] = {"num_workers": 2, "start_method": "fork"}
WAYS = {
    "local": LOCAL,
    "fork": FORKED,
    "threads": {"num_workers": 1, "start_method": "fork", "worker_threads": 3},
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
local_or_forked = pytest.mark.parametrize("way", [LOCAL, FORKED], ids=["local", "fork"])
each_way_of_workers = pytest.mark.parametrize("way", [*WAYS.values()][1:], ids=[*WAYS][1:])


def pool_options(num_envs: int, batch_size: int = 0, **given: Any) -> PoolOptions:
    """How a pool is run: options of make_python, and what follows from none of them."""
    others = {name: given.pop(name) for name in [*given] if name not in PYTHON.defaults}
    config = PYTHON.settle({"num_envs": num_envs, "batch_size": batch_size} | given)
    return PoolOptions.of(config, **others)


@contextmanager
def opened(
    factories: list[Callable[[], Any]] | None = None, num_envs: int = 4, **options: Any
) -> Iterator[PythonPool]:
    """A pool of Counters; two workers that are forked, because that is quick."""
    factories = [Counter] * num_envs if factories is None else factories
    given = {"num_workers": 2, "start_method": "fork", "batch_size": len(factories)} | options
    pool = PythonPool(factories, pool_options(num_envs=len(factories), **given))
    try:
        yield pool
    finally:
        pool.close(terminate=True)


@contextmanager
def started(*factories: list[Callable[[], Any]], **options: Any) -> Iterator[PythonPool]:
    """The same, whose first episodes have begun."""
    with opened(*factories, **options) as pool:
        pool.reset(None, [], None, False)
        yield pool


def counters(num_envs: int = 4, **of_one: Any) -> list[Callable[[], Any]]:
    """Factories; environment 1 gets what is given."""
    return [functools.partial(Counter, **(of_one if i == 1 else {})) for i in range(num_envs)]


def open_files():
    """The names and numbers of the files that this process has open."""
    files = [file for file in Path("/proc/self/fd").iterdir() if file.exists()]
    return {(str(file.readlink()).split()[0], file.stat().st_ino) for file in files}


def stop(pid):
    """Stops all threads of a process, and waits until they are."""
    os.kill(pid, signal.SIGSTOP)
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        while stat.read_text().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.001)


def actions(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float64)
