"""Times one contender inside its own interpreter, on the orders of `run.py`.

Reads one JSON request per line on stdin and answers each with one JSON line on stdout:

    {"do": "versions"}                   -> {"python": "3.11.7", "envpool": "1.2.5", ...}
    {"do": "open", "package": "envpool", "task": "CartPole-v1", "num_envs": 64,
     "batch_size": 16, "options": {"num_threads": 2}}
                                         -> {"action_dtype": "int32"}
    {"do": "round", "seconds": 0.1}      -> {"calls": 4095, "seconds": 0.13}
    {"do": "close"}                      -> {}

A request that fails is answered with {"error": "reason"}. The environments stay alive from one
round to the next. Uses nothing but the standard library, NumPy and the package that it times.
"""

import gc
import importlib
import importlib.metadata
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 0
# Enough batches for varied behaviour, few enough to stay in the cache.
ACTION_BATCHES = 16

Array = NDArray[Any]
Json = dict[str, Any]


class Bench:
    """Environments of one case, and the loop that times calls on them."""

    def __init__(
        self,
        package: str,
        task: str,
        num_envs: int,
        batch_size: int | None,
        options: Json,
    ) -> None:
        make = {"envpool": make_envpool, "gymnasium": make_gymnasium}[package]
        self.env, self.action_dtype = make(task, num_envs, batch_size, options)
        self._actions = cycle(sample_actions(self.env, batch_size or num_envs, self.action_dtype))
        self._loop: Callable[[Any, Iterator[Array], int], float]
        if batch_size is None:
            self._loop = time_steps
            self.env.reset()
        else:
            self._loop = time_recv_send
            self.env.async_reset()

    def round(self, seconds: float) -> Json:
        """Time calls for at least `seconds`; returns their number and the seconds they took."""
        calls, elapsed, chunk = 0, 0.0, 1
        # Doubling keeps looks at the clock rare without knowing beforehand how long a call takes.
        while elapsed < seconds:
            elapsed += self._loop(self.env, self._actions, chunk)
            calls += chunk
            chunk *= 2
        return {"calls": calls, "seconds": elapsed}


def make_envpool(
    task: str, num_envs: int, batch_size: int | None, options: Json
) -> tuple[Any, np.dtype[Any]]:
    """Environments of whichever `envpool` this interpreter has, and their action type."""
    # Imported here, so that a worker loads only the package that it times.
    envpool = importlib.import_module("envpool")
    env = envpool.make(
        task,
        env_type="gymnasium",
        num_envs=num_envs,
        batch_size=batch_size or num_envs,
        seed=SEED,
        **options,
    )
    # Not the type of `action_space` (int64 for Discrete), which would be converted at each call.
    return env, np.dtype(env.spec.action_array_spec["action"].dtype)


def make_gymnasium(
    task: str, num_envs: int, batch_size: int | None, options: Json
) -> tuple[Any, np.dtype[Any]]:
    """Gymnasium's vectorised environments, and their action type."""
    if batch_size is not None:
        raise ValueError("gymnasium has no batches smaller than num_envs")
    gymnasium = importlib.import_module("gymnasium")
    env = gymnasium.make_vec(task, num_envs, **options)
    return env, np.dtype(env.action_space.dtype)


def sample_actions(env: Any, batch_size: int, dtype: np.dtype[Any]) -> list[Array]:
    """Batches of random actions, the same for every contender but for their type."""
    space = env.single_action_space
    space.seed(SEED)
    return [
        np.stack([space.sample() for _ in range(batch_size)]).astype(dtype)
        for _ in range(ACTION_BATCHES)
    ]


def time_steps(env: Any, actions: Iterator[Array], calls: int) -> float:
    """Seconds that `calls` calls of `step` take."""
    step, held = env.step, None
    start = time.perf_counter()
    for action in islice(actions, calls):
        # Held until the next call returns, as a training loop holds its last observation.
        held = step(action)
    seconds = time.perf_counter() - start
    del held
    return seconds


def time_recv_send(env: Any, actions: Iterator[Array], calls: int) -> float:
    """Seconds that `calls` pairs of `recv` and `send` take."""
    recv, send = env.recv, env.send
    start = time.perf_counter()
    for action in islice(actions, calls):
        held = recv()
        send(action, held[4]["env_id"])
    return time.perf_counter() - start


def versions() -> Json:
    """Versions of Python and of the packages that matter; None where one is missing."""
    found: Json = {"python": platform.python_version()}
    for package in ("envpool", "gymnasium", "numpy"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


class Worker:
    """Answers requests, one bench at a time."""

    def __init__(self) -> None:
        self._bench: Bench | None = None

    def answer(self, request: Json) -> Json:
        match request.pop("do"):
            case "versions":
                return versions()
            case "open":
                self.close()
                self._bench = Bench(**request)
                return {"action_dtype": str(self._bench.action_dtype)}
            case "round" if self._bench:
                return self._bench.round(**request)
            case "close":
                self.close()
                return {}
        raise ValueError("unknown request, or a round without an open bench")

    def close(self) -> None:
        """Close the environments; EnvPool ends its threads only when its pool is collected."""
        if self._bench:
            bench, self._bench = self._bench, None
            bench.env.close()
            del bench
            gc.collect()


def describe(error: Exception) -> str:
    """What went wrong, and the line where it did."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"


def main() -> None:
    # Whatever a package prints must not land among the replies.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker()
    for line in sys.stdin:
        try:
            reply = worker.answer(json.loads(line))
        except Exception as error:  # Every failure is run.py's to report.
            reply = {"error": describe(error)}
        print(json.dumps(reply), file=replies)
    worker.close()


if __name__ == "__main__":
    main()
