"""A long run of an asynchronous pool, compared with a synchronous one.

    python tests/robustness/soak.py --steps 100_000_000

CartPoles are sent and received in random parts and orders. Whatever happens, what an environment
returns in its n-th step must be what it returns in its n-th step in a synchronous pool, to the
last byte. What environments return is compared by a checksum each. Memory must not grow.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import envpool

MIB = 2**20
POINTS = 100  # of a run at which memory is looked at
WARM_UP = 10  # so many of them, while memory may grow
MOST_GROWTH = 2 * MIB

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


@dataclass(frozen=True)
class Run:
    """What a run took."""

    seconds: float
    memory: np.ndarray  # resident bytes at each of the points

    @property
    def growth(self) -> int:
        """By how many bytes the process grew after the warm-up."""
        return self.memory[WARM_UP:].max() - self.memory[WARM_UP - 1]


def measure(run: Iterable[int], steps: int, show: Callable[[int], None]) -> Run:
    """Does a run of so many steps, and shows now and then how many are done."""
    start = time.monotonic()
    memory = np.zeros(POINTS, np.int64)  # not a list, which would grow
    passed = 0
    for done in run:
        if done * POINTS < steps * (passed + 1):
            continue
        show(done)
        resident = resident_bytes()
        while passed < POINTS and done * POINTS >= steps * (passed + 1):
            memory[passed] = resident
            passed += 1
    return Run(time.monotonic() - start, memory)


@dataclass(frozen=True)
class Report:
    """What came of it."""

    asynchronous: Run
    synchronous: Run
    steps: np.ndarray  # of each environment
    differing: np.ndarray  # the ids of those that returned something else


def soak(
    num_envs: int,
    batch_size: int,
    num_threads: int,
    steps: int,
    seed: int = 0,
    show: Callable[[str, int], None] = lambda run, done: None,
) -> Report:
    """Runs both pools; ``show`` is told now and then what runs and how many steps are done."""

    def make(rows: int) -> Any:
        sizes = {"num_envs": num_envs, "batch_size": rows, "num_threads": num_threads}
        return envpool.make_gymnasium("CartPole-v1", **sizes, seed=seed)

    ours, expected = Streams(num_envs), Streams(num_envs)
    with make(batch_size) as pool:
        run = run_asynchronous(pool, ours, steps, seed)
        asynchronous = measure(run, steps, lambda done: show("asynchronous", done))
    with make(num_envs) as pool:
        run = run_synchronous(pool, expected, ours.steps)
        synchronous = measure(run, ours.steps.sum(), lambda done: show("synchronous", done))
    differing = np.flatnonzero(ours.sums != expected.sums)
    return Report(asynchronous, synchronous, ours.steps, differing)


def main(
    steps: Annotated[int, typer.Option(min=1, help="How many steps of an environment.")] = 10**7,
    num_envs: Annotated[int, typer.Option(min=2, help="How many environments.")] = 1024,
    batch_size: Annotated[int, typer.Option(min=1, help="How many results a recv() has.")] = 256,
    num_threads: Annotated[int, typer.Option(min=1, help="How many threads step them.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of the pools and of the order of calls.")] = 0,
) -> None:
    """Compare a long asynchronous run with a synchronous one, and watch the memory."""
    columns = (TextColumn("{task.description:<12}"), BarColumn(), TimeRemainingColumn())
    # Not refreshed by a thread, which would disturb the pools.
    progress = Progress(
        *columns,
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with progress:
        bar = progress.add_task("", total=steps)
        report = soak(
            num_envs,
            batch_size,
            num_threads,
            steps,
            seed,
            lambda run, done: progress.update(bar, description=run, completed=done, refresh=True),
        )

    total = report.steps.sum()
    print(f"{num_envs} environments, batches of {batch_size}, {num_threads} threads, seed {seed}")
    for name, run in (("asynchronous", report.asynchronous), ("synchronous", report.synchronous)):
        print(f"{name}: {total:,} steps in {run.seconds:.1f} s, {total / run.seconds:,.0f} per s")
        print(f"  memory, MiB: {' '.join(f'{point / MIB:.1f}' for point in run.memory[9::10])}")
    print(f"steps of an environment: {report.steps.min():,} to {report.steps.max():,}")

    failures = []
    if report.differing.size:
        failures.append(f"{report.differing.size} environments differ: {report.differing[:10]} ...")
    growth = max(report.asynchronous.growth, report.synchronous.growth)
    if growth > MOST_GROWTH:
        failures.append(f"memory grew by {growth / MIB:.1f} MiB")
    print("\n".join(failures) or f"all bytes equal; memory grew by {growth / MIB:.1f} MiB at most")
    raise typer.Exit(1 if failures else 0)


if __name__ == "__main__":
    typer.run(main)
