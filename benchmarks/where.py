"""Shows where the time of our envpool's threads goes, from its own counters (`env.stats()`).

    python benchmarks/where.py [--cases PATTERN]

Per case, in shares of the cores' time while the pool is stepped as fast as it can be: running
environments; awake without running any (spinning, waking, switching, Python); asleep. What the
caller itself does between its calls is a part of the second. The ceiling of a case, threads that do
nothing but step (README.md), has 100 % in the first column, but for what else runs on the machine.
"""

import os
import time
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import envpool
from case import Case, simulator_case

CASES = [
    simulator_case(task, 64, batch_size, num_threads=2)
    for task in ("LunarLander-v3", "HalfCheetah-v5", "Pong-v5")
    for batch_size in (None, 16)
]
ROUNDS = 9
ROUND_SECONDS = 0.4

console = Console()


def main(
    cases: Annotated[
        str, typer.Option(metavar="PATTERN", help="Only cases whose name contains this.")
    ] = "*",
) -> None:
    """Show where the time of our envpool's threads goes."""
    table = Table(
        "case", "steps/s", "us per step of a thread", "running", "awake", "asleep", "caller outside"
    )
    for case in CASES:
        if case.matches(cases):
            with console.status(case.name):
                table.add_row(case.name, *measure(case))
    console.print(table)


def measure(case: Case) -> list[str]:
    """The row of a case: medians over the rounds."""
    batch_size = case.batch_size or case.num_envs
    env: Any = envpool.make(
        case.task,
        "gymnasium",
        num_envs=case.num_envs,
        batch_size=batch_size,
        num_threads=case.num_threads or 1,
        seed=0,
    )
    env.action_space.seed(0)
    actions = [
        np.stack([env.action_space.sample() for _ in range(batch_size)])
        for _ in range(case.action_batches // 8)
    ]
    if case.is_async:
        env.async_reset()
    else:
        env.reset()
    for _ in range(case.ageing * case.num_envs // batch_size):
        call(env, case, actions[0])
    rounds = np.array([one_round(env, case, actions) for _ in range(ROUNDS)])
    env.close()
    rate, cost, *shares = (median(column) for column in rounds.T)
    return [f"{rate:,.0f}", f"{cost:.2f}", *(f"{100 * share:.1f} %" for share in shares)]


def call(env: Any, case: Case, action: Any) -> None:
    """Step one batch."""
    if case.is_async:
        info = env.recv()[-1]
        env.send(action, info["env_id"])
    else:
        env.step(action)


def one_round(env: Any, case: Case, actions: list[Any]) -> list[float]:
    """Steps per second, microseconds per step, and shares: run, awake, asleep, caller outside."""
    env.stats(reset=True)
    cpu = time.process_time()
    end = time.perf_counter() + ROUND_SECONDS
    calls = 0
    while time.perf_counter() < end:
        call(env, case, actions[calls % len(actions)])
        calls += 1
    stats = env.stats()
    cpu = time.process_time() - cpu
    # Of the cores that the pool's threads and the caller could use at the same time.
    cores = min(case.num_threads or 1, len(os.sched_getaffinity(0)))
    whole = cores * stats.elapsed
    busy = sum(stats.worker_busy) + stats.caller_busy
    outside = stats.elapsed - stats.caller_busy - stats.recv_wait
    return [
        calls * (case.batch_size or case.num_envs) / stats.elapsed,
        1e6 * busy / max(stats.steps, 1),
        busy / whole,
        (cpu - busy) / whole,
        1 - cpu / whole,
        outside / whole,
    ]


if __name__ == "__main__":
    typer.run(main)
