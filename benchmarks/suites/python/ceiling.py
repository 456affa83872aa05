"""Processes that step environments written in Python, each its own, and wait for nobody.

They write what the environments observe to memory that another process could read. Nobody reads
it, and nobody sends actions.
"""

import mmap
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from makers import Order
from suites.python.tasks import Factory, calibrate, factories

SampleActions = Callable[..., list[NDArray[Any]]]
Json = dict[str, Any]
prepare = calibrate


class PythonCeiling:
    """As many processes as `num_workers` says, in which environments step on their own."""

    def __init__(self, task: str, num_envs: int, num_workers: int, action: NDArray[Any]) -> None:
        start = time.perf_counter()
        context = multiprocessing.get_context("fork")
        self._num_envs, self.action_dtype = num_envs, action.dtype
        self._workers = []
        made = factories(task, num_envs)
        for worker in range(num_workers):
            ours, theirs = context.Pipe()
            environments = slice(worker, None, num_workers)
            arguments = (theirs, made[environments], action[environments])
            process = context.Process(target=run, args=arguments, daemon=True)
            process.start()
            self._workers.append((ours, process))
        self.make_seconds = time.perf_counter() - start
        self.reset_seconds = 0.0

    def advance(self, steps: int) -> None:
        """Environments that are stepped by nobody do not age."""

    def round(self, seconds: float) -> Json:
        for pipe, _ in self._workers:
            pipe.send(seconds)
        done = [pipe.recv() for pipe, _ in self._workers]
        rate = sum(steps / elapsed for steps, elapsed, _ in done)
        cpu_seconds = sum(cpu for *_, cpu in done)
        return {
            "calls": rate * seconds / self._num_envs,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
        }

    def close(self) -> None:
        for pipe, process in self._workers:
            pipe.close()
            process.kill()
            process.join()


def run(pipe: Connection, made: list[Factory], actions: NDArray[Any]) -> None:
    """A process: for each number of seconds that comes, step, and tell how many steps it were."""
    environments = [make() for make in made]
    first = [env.reset(seed=0)[0] for env in environments]
    memory = mmap.mmap(-1, sum(row.nbytes for row in first))
    rows = np.frombuffer(memory, first[0].dtype).reshape(len(first), *first[0].shape)
    while True:
        seconds = pipe.recv()
        steps, elapsed, cpu = 0, 0.0, time.process_time()
        start = time.perf_counter()
        while elapsed < seconds:
            for env, action, row in zip(environments, actions, rows, strict=True):
                observation, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    observation, _ = env.reset()
                row[...] = observation
            steps += len(environments)
            elapsed = time.perf_counter() - start
        pipe.send((steps, elapsed, time.process_time() - cpu))


def open_ceiling(sample_actions: SampleActions, order: Order) -> PythonCeiling:
    """A bench like those of `worker.py`."""
    order.refuse("a process alone", frames=True, batches=True)
    space = factories(order.task, 1)[0]().action_space
    (action,) = sample_actions(space, order.num_envs, np.dtype(np.int64), 1)
    return PythonCeiling(order.task, order.num_envs, order.options["num_workers"], action)
