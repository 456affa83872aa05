"""Times one contender inside its own interpreter, on the orders of `run.py`.

Reads one JSON request per line on stdin and answers each with one JSON line on stdout:

    {"do": "versions"}                   -> {"python": "3.11.7", "envpool": "1.2.5", ...}
    {"do": "open", "package": "envpool", "task": "CartPole-v1", "num_envs": 64,
     "batch_size": 16, "options": {"num_threads": 2}, "frames": null, "action_batches": 16}
                                         -> {"action_dtype": "int32", "seconds": 0.02}
    {"do": "advance", "steps": 20}       -> {}
    {"do": "round", "seconds": 0.1}      -> {"calls": 4095, "seconds": 0.13, "cpu_seconds": 0.15}
    {"do": "memory"}                     -> {"resident": 52428800}
    {"do": "close"}                      -> {}

The seconds of "open" are those that making the environments took; CPU seconds are those of all
threads of this process. Package "ceiling" is the library
of `ceiling.py`. A request that fails is answered with {"error": "reason"}. The environments stay
alive from one round to the next. Uses nothing but the standard library, NumPy and the package that
it times.
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
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

SEED = 0

Array = NDArray[Any]
Json = dict[str, Any]


class Bench(Protocol):
    """Environments of one case that can be timed."""

    action_dtype: np.dtype[Any]
    make_seconds: float

    def advance(self, steps: int) -> None:
        """Step each environment so many times, on average where they are asynchronous."""

    def round(self, seconds: float) -> Json:
        """Time calls for at least `seconds`; returns what a request for a round is answered."""

    def close(self) -> None:
        """Close the environments and end their threads."""


class PythonBench:
    """Environments that are called from Python, and the loop that times calls on them."""

    def __init__(
        self,
        package: str,
        task: str,
        num_envs: int,
        batch_size: int | None,
        options: Json,
        frames: Json | None,
        action_batches: int,
    ) -> None:
        make = {"envpool": make_envpool, "gymnasium": make_gymnasium}[package]
        importlib.import_module(package)  # Not part of the time that making takes.
        start = time.perf_counter()
        self._env, self.action_dtype = make(task, num_envs, batch_size, options, frames)
        self.make_seconds = time.perf_counter() - start
        batch_size = batch_size or num_envs
        self._actions = cycle(
            sample_actions(
                self._env.single_action_space, batch_size, self.action_dtype, action_batches
            )
        )
        self._calls_per_step = num_envs // batch_size
        self._time: Callable[[Any, Iterator[Array], int], float]
        if batch_size < num_envs:
            self._time = time_recv_send
            self._env.async_reset()
        else:
            renders = frames is not None and frames["call"] == "render"
            self._time = time_renders if renders else time_steps
            self._env.reset()

    def advance(self, steps: int) -> None:
        self._time(self._env, self._actions, steps * self._calls_per_step)

    def round(self, seconds: float) -> Json:
        if self._time is time_recv_send:
            # What an asynchronous pool has finished since the last round would come for free.
            self.advance(1)
        calls, elapsed, chunk = 0, 0.0, 1
        cpu_start = time.process_time()
        # Doubling keeps looks at the clock rare without knowing beforehand how long a call takes.
        while elapsed < seconds:
            elapsed += self._time(self._env, self._actions, chunk)
            calls += chunk
            chunk *= 2
        cpu_seconds = time.process_time() - cpu_start
        return {"calls": calls, "seconds": elapsed, "cpu_seconds": cpu_seconds}

    def close(self) -> None:
        self._env.close()
        # EnvPool ends its threads only when its pool is collected.
        del self._env
        gc.collect()


def open_bench(package: str, **case: Any) -> Bench:
    if package != "ceiling":
        return PythonBench(package, **case)
    # At the end, so that no file beside this one hides a package.
    sys.path.append(str(Path(__file__).parent))
    ceiling = importlib.import_module("ceiling")
    bench: Bench = ceiling.Ceiling(sample_actions, **case)
    return bench


def make_envpool(
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> tuple[Any, np.dtype[Any]]:
    """Environments of whichever `envpool` this interpreter has, and their action type."""
    # Imported here, so that a worker loads only the package that it times.
    envpool = importlib.import_module("envpool")
    if frames:
        renders = frames["call"] == "render"
        options = {
            **options,
            **({"render_mode": "rgb_array"} if renders else {"from_pixels": True}),
            "render_width": frames["size"],
            "render_height": frames["size"],
        }
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
    task: str, num_envs: int, batch_size: int | None, options: Json, frames: Json | None
) -> tuple[Any, np.dtype[Any]]:
    """Gymnasium's vectorised environments, and their action type."""
    if batch_size is not None:
        raise ValueError("gymnasium has no batches smaller than num_envs")
    gymnasium = importlib.import_module("gymnasium")
    if frames:
        os.environ.setdefault("MUJOCO_GL", "egl")  # Needs no display.
        size = frames["size"]
        options = {**options, "render_mode": "rgb_array", "width": size, "height": size}
        if frames["call"] == "step":
            wrappers = importlib.import_module("gymnasium.wrappers")
            options["wrappers"] = [wrappers.AddRenderObservation]
    env = gymnasium.make_vec(task, num_envs, **options)
    return env, np.dtype(env.action_space.dtype)


def sample_actions(space: Any, batch_size: int, dtype: np.dtype[Any], batches: int) -> list[Array]:
    """Batches of random actions, the same for every contender but for their type."""
    space.seed(SEED)
    return [
        np.stack([space.sample() for _ in range(batch_size)]).astype(dtype) for _ in range(batches)
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


def time_renders(env: Any, _actions: Iterator[Array], calls: int) -> float:
    """Seconds that `calls` calls of `render`, which draw all environments, take."""
    # Without arguments EnvPool draws one environment, Gymnasium all; it takes no arguments.
    ids = (np.arange(env.num_envs),) if hasattr(env, "async_reset") else ()
    render = env.render
    start = time.perf_counter()
    for _ in range(calls):
        render(*ids)
    return time.perf_counter() - start


def resident_bytes() -> int:
    """Memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def versions() -> Json:
    """Versions of Python and of the packages that matter; None where one is missing."""
    found: Json = {"python": platform.python_version()}
    for package in ("envpool", "gymnasium", "mujoco", "numpy"):
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
                self._bench = open_bench(**request)
                return {
                    "action_dtype": str(self._bench.action_dtype),
                    "seconds": self._bench.make_seconds,
                }
            case "advance" if self._bench:
                self._bench.advance(**request)
                return {}
            case "round" if self._bench:
                return self._bench.round(**request)
            case "memory":
                return {"resident": resident_bytes()}
            case "close":
                self.close()
                return {}
        raise ValueError("unknown request, or one that needs an open bench")

    def close(self) -> None:
        if self._bench:
            bench, self._bench = self._bench, None
            bench.close()


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
