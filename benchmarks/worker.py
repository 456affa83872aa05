"""Times one contender inside its own interpreter, on the orders of `run.py`.

Reads one JSON request per line on stdin and answers each with one JSON line on stdout:

    {"do": "versions"}                   -> {"python": "3.11.7", "envpool": "1.2.5", ...}
    {"do": "open", "package": "envpool", "task": "CartPole-v1", "num_envs": 64,
     "batch_size": 16, "options": {"num_threads": 2}, "frames": null, "action_batches": 16,
     "what": "step"}
                        -> {"action_dtype": "int32", "make_seconds": 0.02, "reset_seconds": 0.01}
    {"do": "advance", "steps": 20}       -> {}
    {"do": "round", "seconds": 0.1}      -> {"calls": 4095, "seconds": 0.13, "cpu_seconds": 0.15}
    {"do": "memory"}                     -> {"resident": 52428800}
    {"do": "close"}                      -> {}

The seconds of "open" are those that making the environments and their first reset took; where that
is asynchronous, it only begins. CPU seconds are those of all threads of this process, and of the
processes that the package has started. The package is one of `makers.py`, or a module with a
ceiling, such as "suites.mujoco.ceiling". A request that fails is answered with
{"error": "reason"}. The environments stay alive from one round to the next. Uses nothing but the
standard library, NumPy and the package that it times.
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

# At the end, so that no file beside this one hides a package.
sys.path.append(str(Path(__file__).parent))
from makers import SEED, Maker, Order, action_dtype, is_envpool, maker

Array = NDArray[Any]
Json = dict[str, Any]


class Bench(Protocol):
    """Environments of one case that can be timed."""

    action_dtype: np.dtype[Any]
    make_seconds: float
    reset_seconds: float

    def advance(self, steps: int) -> None:
        """Step each environment so many times, on average where they are asynchronous."""

    def round(self, seconds: float) -> Json:
        """Time calls for at least `seconds`; returns what a request for a round is answered."""

    def close(self) -> None:
        """Close the environments and end their threads."""


class PythonBench:
    """Environments that are called from Python, and the loop that times calls on them."""

    def __init__(self, make_of: Maker, order: Order) -> None:
        make = make_of(order)
        start = time.perf_counter()
        self._env = make()
        self.make_seconds = time.perf_counter() - start
        self.action_dtype = action_dtype(self._env)
        space, batch_size = self._env.single_action_space, order.steps_per_call
        actions = sample_actions(space, batch_size, self.action_dtype, order.action_batches)
        self._actions = cycle(actions)
        self._calls_per_step = order.num_envs // batch_size
        self._time = timer(self._env, self._is_async, order.frames)
        start = time.perf_counter()
        self._reset()
        self.reset_seconds = time.perf_counter() - start
        self._processes = processes_of_session()

    @property
    def _is_async(self) -> bool:
        return self._calls_per_step > 1

    def _reset(self) -> None:
        if not is_envpool(self._env):
            # Asynchronous environments of ALE already return a batch.
            self._env.reset(seed=SEED)
        elif self._is_async:
            self._env.async_reset()
        else:
            self._env.reset()

    def advance(self, steps: int) -> None:
        self._time(self._env, self._actions, steps * self._calls_per_step)

    def round(self, seconds: float) -> Json:
        if self._is_async:
            # What an asynchronous pool has finished since the last round would come for free.
            self.advance(1)
        calls, elapsed, chunk = 0, 0.0, 1
        cpu_start = cpu_seconds_of(self._processes)
        # Doubling keeps looks at the clock rare without knowing beforehand how long a call takes.
        while elapsed < seconds:
            elapsed += self._time(self._env, self._actions, chunk)
            calls += chunk
            chunk *= 2
        cpu_seconds = cpu_seconds_of(self._processes) - cpu_start
        return {"calls": calls, "seconds": elapsed, "cpu_seconds": cpu_seconds}

    def close(self) -> None:
        self._env.close()
        # EnvPool ends its threads only when its pool is collected.
        del self._env
        gc.collect()


class StartBench(PythonBench):
    """A call makes and resets all environments, which it then closes."""

    def __init__(self, make_of: Maker, order: Order) -> None:
        self._open = partial(PythonBench, make_of, order)
        bench = self._open()
        self.action_dtype = bench.action_dtype
        self.make_seconds, self.reset_seconds = bench.make_seconds, bench.reset_seconds
        bench.close()

    def round(self, seconds: float) -> Json:
        calls, elapsed, cpu_seconds = 0, 0.0, 0.0
        while elapsed < seconds:
            cpu_start = time.process_time()
            bench = self._open()
            elapsed += bench.make_seconds + bench.reset_seconds
            cpu_seconds += cpu_seconds_of(processes_of_session()) - cpu_start
            bench.close()
            calls += 1
        return {"calls": calls, "seconds": elapsed, "cpu_seconds": cpu_seconds}

    def close(self) -> None:
        """Every round has closed what it made."""


class IdleBench(PythonBench):
    """Nobody calls; CPU seconds count from 10 ms after a step on."""

    def round(self, seconds: float) -> Json:
        self.advance(1)
        time.sleep(0.01)
        start, cpu_start = time.perf_counter(), cpu_seconds_of(self._processes)
        time.sleep(seconds)
        cpu_seconds = cpu_seconds_of(self._processes) - cpu_start
        return {"calls": 1, "seconds": time.perf_counter() - start, "cpu_seconds": cpu_seconds}


BENCHES = {"step": PythonBench, "start": StartBench, "idle": IdleBench}


def open_bench(package: str, what: str, **details: Any) -> Bench:
    order = Order(**details)
    if make_of := maker(package):
        return BENCHES[what](make_of, order)
    bench: Bench = importlib.import_module(package).open_ceiling(sample_actions, order)
    return bench


def sample_actions(space: Any, batch_size: int, dtype: np.dtype[Any], batches: int) -> list[Array]:
    """Batches of random actions, the same for every contender but for their type."""
    space.seed(SEED)
    return [
        np.stack([space.sample() for _ in range(batch_size)]).astype(dtype) for _ in range(batches)
    ]


def timer(
    env: Any, is_async: bool, frames: Json | None
) -> Callable[[Any, Iterator[Array], int], float]:
    """The function that times what the case calls."""
    if frames and frames["call"] == "render":
        return time_renders
    # A step of ALE's environments sends and receives one batch, however many are under way.
    return time_recv_send if is_async and is_envpool(env) else time_steps


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


def processes_of_session() -> list[int]:
    """This process, which `run.py` starts in a session of its own, and all that it has started."""
    processes = []
    for process in (int(path.name) for path in Path("/proc").glob("[0-9]*")):
        with suppress(ProcessLookupError):  # It may have ended meanwhile.
            if os.getsid(process) == os.getsid(0):
                processes.append(process)
    return processes


def cpu_seconds_of(processes: list[int]) -> float:
    """What these have computed so far; nothing for those that have ended."""
    seconds = 0.0
    for process in processes:
        with suppress(OSError):
            seconds += time.clock_gettime(cpu_clock(process))
    return seconds


def cpu_clock(process: int) -> int:
    """The clock that clock_getcpuclockid of C names: CPU time of all threads of a process."""
    return (~process << 3) | 2


def resident_bytes() -> int:
    """Memory that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def versions(packages: Iterable[str]) -> Json:
    """Versions of Python and of these packages; None where one is missing."""
    found = {package: version_of(package) for package in packages}
    found["envpool"] = version_of("envpool-next") or version_of("envpool")  # Ours, or the real one.
    return {"python": platform.python_version(), **found}


def version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


class Worker:
    """Answers requests, one bench at a time."""

    def __init__(self) -> None:
        self._bench: Bench | None = None

    def answer(self, request: Json) -> Json:
        match request.pop("do"):
            case "versions":
                return versions(**request)
            case "open":
                self.close()
                self._bench = open_bench(**request)
                return {
                    "action_dtype": str(self._bench.action_dtype),
                    "make_seconds": self._bench.make_seconds,
                    "reset_seconds": self._bench.reset_seconds,
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
