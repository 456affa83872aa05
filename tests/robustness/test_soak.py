"""Runs of asynchronous pools, compared with synchronous ones.

CartPoles are sent and received in random parts and orders. Whatever happens, what an environment
returns in its n-th step must be what it returns in its n-th step in a synchronous pool, to the
last byte. What environments return is compared by a checksum each. Memory must not grow.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers import make

RECEIVED = 2500  # batches
MOST_GROWTH = 2 * 2**20  # bytes

# Environment e does in its step n what is planned at (e * STRIDE + n) % PLAN.size: it takes an
# action, or rarely is reset.
RESET = 2
PLAN = np.random.default_rng(0).choice(
    np.array([0, 1, RESET], np.int8), size=2**16, p=[0.4995, 0.4995, 0.001]
)
STRIDE = 40_503

# Of the checksums, modulo 2^64. All odd, so that a product changes whenever its other factor does.
ODD = np.random.default_rng(1).integers(2**64, size=7, dtype=np.uint64) | np.uint64(1)
WEIGHTS, BASE = ODD[:6], ODD[6]


class Streams:
    """How many steps each environment did, and a checksum of all that they returned."""

    def __init__(self, num_envs: int) -> None:
        self.steps = np.zeros(num_envs, np.intp)
        self.sums = np.zeros(num_envs, np.uint64)

    def planned(self, ids: np.ndarray) -> np.ndarray:
        """What these environments do next."""
        return PLAN[(ids * STRIDE + self.steps[ids]) % PLAN.size]

    def add(self, ids: np.ndarray, results: tuple[Any, ...]) -> None:
        """Adds a row of each of some environments, as of ``recv``."""
        observation, reward, terminated, truncated, info = results
        words = np.empty((len(ids), 6), np.uint64)
        words[:, :2] = observation.view(np.uint64)
        words[:, 2] = reward.view(np.uint32)
        words[:, 3] = terminated.view(np.uint8)
        words[:, 4] = truncated.view(np.uint8)
        words[:, 5] = info["elapsed_step"].view(np.uint32)
        self.sums[ids] = self.sums[ids] * BASE + words @ WEIGHTS
        self.steps[ids] += 1


def send(pool: Any, streams: Streams, ids: np.ndarray) -> None:
    """Sends what is planned for some environments."""
    planned = streams.planned(ids)
    resets = planned == RESET
    if resets.any():
        pool.async_reset(ids[resets])
        ids, planned = ids[~resets], planned[~resets]
    pool.send(planned, ids)


def run_asynchronous(pool: Any, streams: Streams, steps: int, seed: int) -> Iterator[int]:
    """Sends and receives at random; yields how many steps were received so far."""
    rng, choose = np.random.default_rng(seed), random.Random(seed)
    batch_size = pool.config["batch_size"]
    held = pool.all_env_ids.astype(np.intp)  # received and not sent again yet
    in_flight = received = 0
    while received < steps:
        rng.shuffle(held)
        count = choose.randint(max(batch_size - in_flight, 0), len(held))
        cut = choose.randint(0, count)
        send(pool, streams, held[:cut])
        send(pool, streams, held[cut:count])
        results = pool.recv()
        ids = results[-1]["env_id"].astype(np.intp)
        streams.add(ids, results)
        held = np.concatenate([held[count:], ids])
        in_flight += count - len(ids)
        received += len(ids)
        yield received


def run_synchronous(pool: Any, streams: Streams, steps: np.ndarray) -> Iterator[int]:
    """Does so many steps of each environment; yields how many there were so far."""
    by_steps = np.argsort(-steps)
    done = 0
    for step in range(steps.max()):
        ids = by_steps[: np.count_nonzero(steps > step)]
        planned = streams.planned(ids)
        resets = planned == RESET
        streams.add(ids[~resets], pool.step(planned[~resets], ids[~resets]))
        if resets.any():
            observation, info = pool.reset(ids[resets])
            reward = np.zeros(len(observation), np.float32)
            over = np.zeros(len(observation), bool)
            streams.add(ids[resets], (observation, reward, over, over, info))
        done += len(ids)
        yield done


def resident_bytes() -> int:
    """How much of this process is in memory."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def growth(run: Iterable[int], steps: int) -> int:
    """Does a run of so many steps; returns by how much memory grew after its first tenth."""
    early = late = looked = 0
    for done in run:
        if done * 100 < steps * looked:
            continue
        looked += 1
        if done * 10 < steps:
            early = resident_bytes()
        else:
            late = max(late, resident_bytes())
    return late - early


def soak(num_envs: int, batch_size: int, num_threads: int, steps: int) -> list[int]:
    """Runs both pools, which must return the same; returns how much memory they took meanwhile."""
    sizes = {"num_envs": num_envs, "num_threads": num_threads, "seed": 0}
    ours, expected = Streams(num_envs), Streams(num_envs)
    with make("CartPole-v1", batch_size=batch_size, **sizes) as pool:
        grown = [growth(run_asynchronous(pool, ours, steps, seed=0), steps)]
    assert ours.steps.sum() == steps and ours.steps.min() > 0
    with make("CartPole-v1", **sizes) as pool:
        grown.append(growth(run_synchronous(pool, expected, ours.steps), steps))
    assert np.flatnonzero(ours.sums != expected.sums).tolist() == []
    return grown


@pytest.mark.parametrize(
    ("num_envs", "batch_size", "num_threads"),
    [(1024, 256, 2), (300, 299, 4), (64, 16, 8), (7, 3, 2), (2, 1, 1)],
)
@pytest.mark.one_in(3)
def test_asynchronous_is_synchronous(num_envs, batch_size, num_threads):
    soak(num_envs, batch_size, num_threads, RECEIVED * batch_size)


@pytest.mark.long
def test_a_hundred_million_steps():
    signal.setitimer(signal.ITIMER_REAL, 0)  # it takes minutes
    assert max(soak(1024, 256, 4, 390_625 * 256)) <= MOST_GROWTH
