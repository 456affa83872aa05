"""Pools that programs of JAX step, as often as they are told, and other ways to do that."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from numpy.typing import NDArray

import envpool
from makers import Order, pool_options

SampleActions = Callable[..., list[NDArray[Any]]]
Json = dict[str, Any]
CHUNK = 256  # calls of one program, so that starting it is not what is timed


class XlaBench:
    """A pool, and a program that takes a number of calls to make, and the handle."""

    def __init__(
        self, pool: Any, how: str, actions: list[NDArray[Any]], make_seconds: float
    ) -> None:
        self._pool = pool
        self._actions = jnp.asarray(np.stack(actions))
        self.action_dtype = actions[0].dtype
        self.make_seconds = make_seconds
        start = time.perf_counter()
        if pool.is_async:
            pool.async_reset()
        else:
            pool.reset()
        self.reset_seconds = time.perf_counter() - start
        self._handle, self._recv, self._send, self._step = pool.xla()
        calls = {
            "loop": self._recv_send if pool.is_async else self._step_all,
            "nothing": self._step_none,
            "callback": self._call_back,
            "single": self._step_all,
        }
        self._call = calls[how]
        self._run = self._single_calls() if how == "single" else self._loop()
        self._run(2)

    def _action(self, i: Any) -> Any:
        return self._actions[i % len(self._actions)]

    def _step_all(self, i: Any, handle: Any) -> Any:
        return self._step(handle, self._action(i))[0]

    def _step_none(self, i: Any, handle: Any) -> Any:
        nobody = np.zeros(0, np.int32)
        return self._step(handle, self._action(i)[:0], nobody)[0]

    def _recv_send(self, i: Any, handle: Any) -> Any:
        handle, results = self._recv(handle)
        return self._send(handle, self._action(i), results[-1]["env_id"])

    def _call_back(self, i: Any, handle: Any) -> Any:
        observation, reward, terminated, truncated, _ = jax.eval_shape(
            self._step, handle, self._action(i)
        )[1]
        io_callback(
            lambda action: self._pool.step(np.asarray(action))[:4],
            (observation, reward, terminated, truncated),
            self._action(i),
            ordered=True,
        )
        return handle

    def _loop(self) -> Callable[[int], None]:
        run = jax.jit(lambda calls, handle: lax.fori_loop(0, calls, self._call, handle))
        return lambda calls: run(calls, self._handle).block_until_ready()

    def _single_calls(self) -> Callable[[int], None]:
        run = jax.jit(self._call)

        def call(calls: int) -> None:
            for i in range(calls):
                run(i, self._handle).block_until_ready()

        return call

    def advance(self, steps: int) -> None:
        self._run(steps * self._pool.config["num_envs"] // self._pool.config["batch_size"])

    def round(self, seconds: float) -> Json:
        calls, elapsed, chunk = 0, 0.0, CHUNK
        cpu_start = time.process_time()
        while elapsed < seconds:
            start = time.perf_counter()
            self._run(chunk)
            elapsed += time.perf_counter() - start
            calls += chunk
            chunk *= 2
        return {
            "calls": calls,
            "seconds": elapsed,
            "cpu_seconds": time.process_time() - cpu_start,
        }

    def close(self) -> None:
        self._pool.close()


def open_ceiling(sample_actions: SampleActions, order: Order) -> XlaBench:
    """A bench like those of `worker.py`."""
    order.refuse("a program", frames=True)
    config: Any = jax.config
    device = order.options.get("device", "cpu")
    config.update("jax_default_device", jax.local_devices(backend=device)[0])
    options = {"num_threads": order.options["num_threads"]}
    start = time.perf_counter()
    pool = envpool.make(order.task, **pool_options(replace(order, options=options)))
    make_seconds = time.perf_counter() - start
    space, batches = pool.single_action_space, order.action_batches
    actions = sample_actions(space, order.steps_per_call, np.dtype(np.int32), batches)
    return XlaBench(pool, order.options["how"], actions, make_seconds)
