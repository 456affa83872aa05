"""MuJoCo's batches of simulations: controls in, positions and velocities out, no rewards.

Needs the packages `mujoco`, from 4.0 on, and `gymnasium`.
"""

import importlib
import time
from itertools import cycle
from typing import Any

import numpy as np

from ceiling import SampleActions
from makers import SEED, Order


class Batch:
    """A bench like those of `worker.py`: a call steps all simulations, as the task would."""

    reset_seconds = 0.0
    """Part of making."""

    def __init__(self, sample_actions: SampleActions, order: Order) -> None:
        env = importlib.import_module("gymnasium").make(order.task)
        model, self._frame_skip = env.unwrapped.model, env.unwrapped.frame_skip
        self.action_dtype = np.dtype(np.float64)
        actions = sample_actions(
            env.action_space, order.num_envs, self.action_dtype, order.action_batches
        )
        self._actions = cycle(actions)
        make = importlib.import_module("mujoco.batch").Batch
        start = time.perf_counter()
        self._batch: Any = make(model, order.num_envs, nthread=order.options["num_threads"])
        self._bound = [self._batch.bind(name) for name in ("ctrl", "qpos", "qvel")]
        noise = np.random.default_rng(SEED)
        for values in self._bound[1:]:
            values[:] += noise.uniform(-0.1, 0.1, values.shape)  # so that they differ
        self.make_seconds = time.perf_counter() - start
        env.close()

    def _step(self) -> None:
        control, *results = self._bound
        control[:] = next(self._actions)
        self._batch.step(nstep=self._frame_skip)
        for values in results:
            values.copy()  # what the next step does not overwrite, as our pool's results

    def advance(self, steps: int) -> None:
        """See `Bench`."""
        for _ in range(steps):
            self._step()

    def round(self, seconds: float) -> dict[str, Any]:
        """See `Bench`."""
        calls, cpu_start, start = 0, time.process_time(), time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            self._step()
            calls += 1
        cpu_seconds = time.process_time() - cpu_start
        return {"calls": calls, "seconds": elapsed, "cpu_seconds": cpu_seconds}

    def close(self) -> None:
        """Ends its threads."""
        del self._batch, self._bound


open_ceiling = Batch
