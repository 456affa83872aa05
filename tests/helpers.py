"""What several test modules share."""

from __future__ import annotations

import copy
import functools
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

import envpool
from envpool.differences import first_difference
from envpool.families.record import records
from envpool.families.vizdoom import maps_folder
from envpool.families.vizdoom.registration import OF_ASSETS, name_of
from envpool.oracles import upstreams
from envpool.spec.values import AutoresetMode
from envpool.tasks.registry import registry

GYMNASIUM = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
HANG_S = 60  # who needs this long hangs: nothing here takes a tenth of it


def make(task_id: str, num_envs: int = 4, env_type: str = "gymnasium", **kwargs: Any) -> Any:
    """A pool; two threads, so that they have to agree."""
    kwargs.setdefault("num_threads", 2)
    return envpool.make(task_id, env_type, num_envs=num_envs, **kwargs)


def begun(pool: Any, **kwargs: Any) -> Any:
    """A pool or environment after its first reset, of which nobody needs the results."""
    pool.reset(**kwargs)
    return pool


def skip_without_upstream(family: str) -> None:
    """Skips the module that calls this where the packages are not that a family must equal.

    Args:
        family: The part of the module's name behind ``envpool.families.``.
    """
    try:
        upstreams.require(f"envpool.families.{family}")
        upstreams.UPSTREAMS[f"envpool.families.{family}"].load()
    except ImportError as error:
        pytest.skip(str(error), allow_module_level=True)


FAMILIES = records()
# By the modules of families: why their tasks cannot run here; empty where they can.
LACKS = {record.package: record.lack() for record in FAMILIES.values()}
NO_MUJOCO = LACKS["envpool.families.mujoco.gym"]
NO_DM_CONTROL = LACKS["envpool.families.dm_control"]
NO_ROBOTICS = LACKS["envpool.families.robotics"]
NO_ALE = LACKS["envpool.families.atari"]
needs_mujoco = pytest.mark.skipif(bool(NO_MUJOCO), reason=NO_MUJOCO)
needs_dm_control = pytest.mark.skipif(bool(NO_DM_CONTROL), reason=NO_DM_CONTROL)
needs_ale = pytest.mark.skipif(bool(NO_ALE), reason=NO_ALE)
NO_MAPS = "" if maps_folder() else "needs envpool-assets, which has its map"
OF_MAPS = [f"{name_of(scenario)}-v1" for scenario in OF_ASSETS]


def skipping_without_engine(task_ids: Iterable[str]) -> list[Any]:
    """Parameters of a test of all tasks, which skips those whose engine is not installed.

    Args:
        task_ids: Ids of ours, or Gymnasium's for ours.
    """
    missing = {
        name: reason
        for task_id, task in registry.tasks.items()
        if (reason := LACKS.get(task.import_path) or (NO_MAPS if task_id in OF_MAPS else ""))
        for name in (task_id, "envpool/" + task_id.replace("/", "-"))
    }
    return [
        pytest.param(name, marks=pytest.mark.skip(missing[name]) if name in missing else ())
        for name in task_ids
    ]


def assert_all_compared(registered: Iterable[str], compared: Iterable[str], table: str) -> None:
    """Fails unless each registered task is one that the tests compare with its original.

    Args:
        registered: Ids of tasks.
        compared: Ids of those that have something to be compared with.
        table: Where these are written down, for the message to those who add a task.
    """
    new = sorted(set(registered) - set(compared))
    assert not new, f"nothing is compared with the registered tasks {new}: add them to {table}"
    gone = sorted(set(compared) - set(registered))
    assert not gone, f"{table} names {gone}, which are not registered"


def leaves(result: Any, path: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All arrays of nested tuples and dicts, with their paths."""
    if isinstance(result, dict):
        items = list(result.items())
    elif isinstance(result, tuple):
        items = list(enumerate(result))
    else:
        yield path, result
        return
    for key, value in items:
        yield from leaves(value, f"{path}/{key}")


def assert_same_bytes(ours: np.ndarray, theirs: np.ndarray, what: str = "") -> None:
    """Equal dtype, shape and bits: also those of -0.0 and NaN."""
    assert ours.dtype == theirs.dtype, what
    assert ours.shape == theirs.shape, what
    if ours.tobytes() != theirs.tobytes():
        np.testing.assert_array_equal(ours, theirs, what)
        raise AssertionError(f"{what}: equal values, but other bytes: {ours} {theirs}")


def assert_same_results(ours: Any, theirs: Any) -> None:
    """The same arrays under the same keys in the same order."""
    our_leaves, their_leaves = list(leaves(ours)), list(leaves(theirs))
    assert [path for path, _ in our_leaves] == [path for path, _ in their_leaves]
    for (path, our_array), (_, their_array) in zip(our_leaves, their_leaves, strict=True):
        assert_same_bytes(our_array, their_array, path)


def assert_goes_on_from_snapshots(pool: Any, actions: Any, before: int) -> None:
    """A pool that was reset repeats what followed a snapshot, which is taken after some actions."""
    for action in actions[:before]:
        pool.step(action)
    state = pool.get_state()
    expected = [pool.step(action) for action in actions[before:]]
    pool.set_state(state)
    for action, result in zip(actions[before:], expected, strict=True):
        assert_same_results(pool.step(action), result)


def assert_identical(ours: Any, theirs: Any, path: str = "result") -> None:
    """Equal types, keys in the same order, dtypes, shapes and bits, also inside object arrays."""
    difference = first_difference(ours, theirs, path)
    assert difference is None, str(difference)


def random_actions(pool: Any, rng: np.random.Generator, rows: int | None = None) -> np.ndarray:
    """A batch of actions of a pool, within its action space."""
    space = pool.action_space
    rows = pool.num_envs if rows is None else rows
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.integers(space.n, size=rows, dtype=np.int32)
    return rng.uniform(space.low, space.high, size=(rows, *space.shape)).astype(np.float32)


def actions_by_env(task_id: str, num_envs: int, steps: int, seed: int = 0) -> np.ndarray:
    """``[step, env]`` actions, for when the order of stepping must not matter."""
    pool = make(task_id, num_envs)
    rng = np.random.default_rng(seed)
    return np.stack([random_actions(pool, rng) for _ in range(steps)])


class OneByOne:
    """Gymnasium's environments, one by one, with next-step auto-resets.

    Args:
        envs: The environments.
    """

    def __init__(self, envs: Sequence[gymnasium.Env]) -> None:
        self.envs = list(envs)
        self.elapsed = np.zeros(len(envs), np.int32)
        self.over = np.zeros(len(envs), bool)

    def reset(self, seeds: Sequence[int | None], options: dict | None = None) -> np.ndarray:
        self.elapsed[:] = 0
        self.over[:] = False
        pairs = zip(self.envs, seeds, strict=True)
        return np.stack([env.reset(seed=seed, options=options)[0] for env, seed in pairs])

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Observation, reward, terminated, truncated, elapsed_step."""
        rows = []
        for i, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            if self.over[i]:
                rows.append((env.reset()[0], 0.0, False, False))
                self.elapsed[i] = 0
            else:
                rows.append(env.step(action)[:4])
                self.elapsed[i] += 1
            self.over[i] = rows[-1][2] or rows[-1][3]
        obs, reward, terminated, truncated = zip(*rows, strict=True)
        with np.errstate(over="ignore"):
            reward32 = np.array(reward, np.float64).astype(np.float32)
        return np.stack(obs), reward32, np.array(terminated), np.array(truncated), self.elapsed


Policy = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def assert_follows(
    pool: Any,
    oracle: OneByOne,
    policy: Policy,
    steps: int,
    seeds: Sequence[int],
    options: dict | None = None,
) -> tuple[int, int]:
    """Steps both and compares everything; returns how many episodes terminated and truncated."""
    rng = np.random.default_rng(0)
    obs, info = pool.reset(seed=seeds, options=options)
    assert_same_bytes(obs, oracle.reset(seeds, options), "reset")
    names = ("observation", "reward", "terminated", "truncated", "elapsed_step")
    ended = np.zeros(2, int)
    for step in range(steps):
        actions = policy(obs, rng)
        obs, reward, terminated, truncated, info = pool.step(actions)
        ours = (obs, reward, terminated, truncated, info["elapsed_step"])
        for name, our, their in zip(names, ours, oracle.step(actions), strict=True):
            assert_same_bytes(our, their, f"{name} at step {step}")
        ended += terminated.sum(), truncated.sum()
    return int(ended[0]), int(ended[1])


def run_command(
    *command: str | Path, timeout: float = HANG_S, cwd: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program, with more environment variables; a hang fails."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=cwd,
        env=os.environ | variables,
    )


def run_python(
    code: str, timeout: float = HANG_S, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The same of a program in a fresh interpreter.

    Python 3.12 and later warn of each fork beside threads, which is what some programs test.
    """
    no_warning = ("-W", "ignore:This process:DeprecationWarning")
    return run_command(sys.executable, *no_warning, "-c", code, timeout=timeout, **variables)


def output_of(code: str, **variables: str) -> str:
    """What a program prints that finds the modules of tests, and must end well."""
    done = run_python(code, PYTHONPATH=os.pathsep.join(sys.path), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


# What programs of tests begin with.
PREAMBLE = """
import gc, os, signal, sys, threading, time
import numpy as np
import envpool, envpool.families.testing.registration

# A shell ignores Ctrl-C for what it runs in the background, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

def make(name, num_envs=4, **options):
    return envpool.make(f"testing/{name}-v0", "gymnasium", num_envs=num_envs, **options)

def count_threads():
    time.sleep(0.02)  # until then the system may show one that has been joined
    return len(os.listdir("/proc/self/task"))

threading.Thread(target=int).start()  # with the first one, sanitizers start one of their own
THREADS = count_threads()  # NumPy has some of its own

def send_and_see_begun(pool, actions):
    busy = sum(pool.stats().worker_busy)
    pool.send(actions)
    while sum(pool.stats().worker_busy) <= busy:  # a close drops what no thread has begun
        time.sleep(0.001)

def latency_of_ctrl_c(call, after=0.3):
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(after, interrupt).start()
    try:
        call()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    raise AssertionError("was not interrupted")

def assert_notices_ctrl_c(call, within=0.2, after=0.3):
    latency = latency_of_ctrl_c(call, after)
    assert latency < within, f"late: {latency}"

def refuses(call, *texts, error=RuntimeError):
    try:
        call()
    except error as raised:
        for text in texts:
            assert text in str(raised), raised
    else:
        raise AssertionError(f"{call} is not refused")
"""


def assert_runs(program: str, attempts: int = 1) -> None:
    """Runs a program; again if it only asserted "late", which others on the machine may cause."""
    done = run_python(PREAMBLE + program)
    if "AssertionError: late" in done.stderr and attempts > 1:
        assert_runs(program, attempts - 1)
        return
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


class Twins:
    """A pool to misuse, and an equal one that never is."""

    def __init__(self, task_id: str, num_envs: int = 4, **kwargs: Any) -> None:
        self.pool = make(task_id, num_envs, **kwargs)
        self.undisturbed = make(task_id, num_envs, **kwargs)
        self.rng = np.random.default_rng(0)
        self.both(lambda pool: pool.reset(seed=1))
        self.assert_equal()

    def both(self, call: Callable[[Any], Any]) -> Any:
        """Calls both and compares the results."""
        ours = call(self.pool)
        assert_same_results(ours, call(self.undisturbed))
        return ours

    def assert_equal(self, steps: int = 3) -> None:
        """Steps both and compares the results."""
        for _ in range(steps):
            actions = random_actions(self.pool, self.rng)
            self.both(lambda pool, actions=actions: pool.step(actions))


class Pair:
    """A vector environment of ours and Gymnasium's of the same: what one does, the other must."""

    def __init__(self, ours: Any, theirs: Any) -> None:
        self.ours, self.theirs = ours, theirs

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Calls both, each with copies of the arguments, and compares the results."""
        results = []
        for env in (self.ours, self.theirs):
            own_args, own_kwargs = copy.deepcopy((args, kwargs))
            results.append(getattr(env, method)(*own_args, **own_kwargs))
            results.append((own_args, own_kwargs))  # which reset() changes
        assert_identical(results[:2], results[2:], method)
        return results[0]

    def assert_same_generators(self) -> None:
        states = [
            [rng.bit_generator.state for rng in env.np_random] for env in (self.ours, self.theirs)
        ]
        assert states[0] == states[1]

    def play(
        self, steps: int, partial_resets: bool = True, actions: Iterable[Any] | None = None
    ) -> int:
        """Steps both, at random if no actions are given; without auto-reset, resets what is over.

        Returns:
            How many episodes ended.
        """
        if actions is None:
            self.theirs.action_space.seed(0)
            actions = (self.theirs.action_space.sample() for _ in itertools.count())
        mode = self.theirs.metadata["autoreset_mode"]
        episodes = 0
        for action in itertools.islice(actions, steps):
            _, _, terminated, truncated, _ = self.call("step", action)
            ended = np.asarray(terminated) | np.asarray(truncated)
            episodes += int(ended.sum())
            if mode is gymnasium.vector.AutoresetMode.DISABLED and ended.any():
                self.call("reset", options={"reset_mask": ended} if partial_resets else None)
        return episodes


class Each(list[Any]):
    """Values of an option, of which each environment has its own."""

    def __init__(self, *values: Any) -> None:
        super().__init__(values)


def options_of(env: int, options: dict[str, Any]) -> dict[str, Any]:
    """The options of one environment."""
    return {
        name: value[env] if isinstance(value, Each) else value for name, value in options.items()
    }


def pair_with(
    task_id: str,
    makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]],
    mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    vector: type[SyncVectorEnv] = SyncVectorEnv,
    **options: Any,
) -> Pair:
    """Ours with these options, beside the environments that these functions make."""
    name = f"envpool/{task_id.replace('/', '-')}"
    ours = gymnasium.make_vec(name, len(makers), num_threads=2, autoreset_mode=mode, **options)
    return Pair(ours, vector(makers, autoreset_mode=mode))


class OraclePair(Pair):
    """Ours, and what the family's oracle makes with the same options; reset with the seeds.

    Attributes:
        first: The first observations.
    """

    def __init__(
        self,
        task_id: str,
        seeds: Sequence[int] = (0, 1),
        mode: AutoresetMode = AutoresetMode.NEXT_STEP,
        vector: type[SyncVectorEnv] = SyncVectorEnv,
        **options: Any,
    ) -> None:
        from envpool.oracles.session import family_of  # which needs Gymnasium 1.0

        self.oracle = upstreams.UPSTREAMS[family_of(task_id)].load()
        makers = [
            functools.partial(self.oracle.make, task_id, seed, **options_of(i, options))
            for i, seed in enumerate(seeds)
        ]
        pair = pair_with(task_id, makers, mode, vector, **options)
        super().__init__(pair.ours, pair.theirs)
        self.first, _ = self.call("reset", seed=list(seeds))

    def play_as_oracle(self, steps: int, seed: int = 0, **kwargs: Any) -> int:
        """Steps both with the oracle's actions; returns how many episodes ended."""
        actions = self.oracle.actions(self.theirs.action_space, seed)
        return self.play(steps, actions=actions, **kwargs)


class Screen:
    """Remembers what windows show that nobody sees.

    Attributes:
        title: The last window's.
        picture: What it showed last, RGB.
        shown: How many pictures were shown.
        fps: The rates at which they followed one another.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pygame = pytest.importorskip("pygame")
        self.quit()  # others may have used it, with another driver
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
        monkeypatch.setattr(self._pygame.display, "flip", self._flip)
        monkeypatch.setattr(self._pygame.time, "Clock", lambda: SimpleNamespace(tick=self._tick))
        self.title = ""
        self.picture = np.zeros((0, 0, 3), np.uint8)
        self.shown = 0
        self.fps: list[float] = []

    @property
    def is_open(self) -> bool:
        """True if there is a window."""
        return self._pygame.display.get_surface() is not None

    def quit(self) -> None:
        """Leaves no window, nor the driver."""
        self._pygame.display.quit()

    def close(self) -> None:
        """Does what somebody does who closes the window."""
        self._pygame.event.post(self._pygame.event.Event(self._pygame.QUIT))

    def _tick(self, fps: float) -> None:
        self.fps.append(fps)

    def _flip(self) -> None:
        surface = self._pygame.display.get_surface()
        self.picture = self._pygame.surfarray.array3d(surface).swapaxes(0, 1)
        self.title, _ = self._pygame.display.get_caption()
        self.shown += 1


def refused(
    error: type[BaseException] | tuple[type[BaseException], ...],
    match: str,
    call: Callable[..., object],
    *args: Any,
    **kwargs: Any,
) -> None:
    """The call raises an exception of this type that says this."""
    with pytest.raises(error, match=match):
        call(*args, **kwargs)


def in_thread(function: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Runs a function in a thread; the list gets what it returns or raises."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(function())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, outcome


def in_threads(*bodies: Callable[[], object]) -> None:
    """Runs functions at the same time; raises what the first one raised."""
    barrier = threading.Barrier(len(bodies))
    errors: list[BaseException] = []

    def run(body: Callable[[], object]) -> None:
        try:
            barrier.wait(HANG_S)
            body()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
