"""Whatever a signal's handler raises, and wherever: each row comes once, now or by `recv`.

What is stepped here counts its resets and steps together, so a row that is lost or comes twice
leaves a gap or a repetition among the counts that its caller sees.
"""

import contextlib
import dis
import functools
import importlib
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import NoAsyncCallError

import envpool
import envpool.families.testing.registration
from envpool.tasks.gymnasium_makers import make_single_env, make_vector_env
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from plain_envs import Counting

NUM_ENVS = 3
NOTHING_TO_WAIT_FOR = (RuntimeError, NoAsyncCallError, NotImplementedError)
PACKAGE = str(Path(envpool.__file__).parent)
MOST_OPCODES = 20_000

armed = [False]  # do handlers raise?


class Ticking(gymnasium.Env[Any, Any]):
    """Observes how often it was reset or stepped, or what a reset says about that."""

    observation_space = spaces.Box(0, np.inf, (1,), np.float32)
    action_space = spaces.Discrete(1000)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.ticks = (options or {}).get("start", 0)
        return np.float32([self.ticks]), {"ticks": self.ticks}

    def step(self, action: Any) -> Any:
        self.ticks += 1
        return np.float32([self.ticks]), 1.0, False, False, {"ticks": self.ticks}


class Subject:
    """Something that is stepped, and what a caller does after an interruption."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.actions: Any = np.zeros(NUM_ENVS, np.int32)

    def reset(self, start: int) -> Any:
        return self.env.reset(options={"start": start})

    def step(self) -> Any:
        return self.env.step(self.actions)

    def go_on(self, start: int | None) -> Any:
        """After a reset with this start; None: after a step."""
        return self.env.recv()

    def ticks(self, results: Any) -> list[int]:
        return [int(row) for row in np.ravel(results[0])]

    @property
    def pool(self) -> Any:
        """What has the flag that says whether results were handed over."""
        return self.env


class OfDmEnv(Subject):
    def ticks(self, results: Any) -> list[int]:
        return [int(row) for row in np.ravel(results.observation.obs)]


class OfSingle(Subject):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.actions = 0

    def go_on(self, start: int | None) -> Any:
        return self.pool.recv()

    @property
    def pool(self) -> Any:
        return self.env._vector_env


class OfTwoCalls(Subject):
    def reset(self, start: int) -> Any:
        self.env.reset_async(options={"start": start})
        return self.env.reset_wait()

    def step(self) -> Any:
        self.env.step_async(self.actions)
        return self.env.step_wait()

    def go_on(self, start: int | None) -> Any:
        return self.env.step_wait() if start is None else self.env.reset_wait()


class OfSB3(Subject):
    def reset(self, start: int) -> Any:
        self.env.set_options({"start": start})
        return (self.env.reset(),)

    def go_on(self, start: int | None) -> Any:
        return self.env.step_wait() if start is None else self.reset(start)

    @property
    def pool(self) -> Any:
        return self.env.vector_env


def native(env_type: str, **options: Any) -> Any:
    return envpool.make(
        "testing/Counting-v0", env_type, num_envs=NUM_ENVS, episode_length=10**9, **options
    )


def of_python(env_type: str, **options: Any) -> Any:
    return envpool.make_python(Ticking, env_type, num_envs=NUM_ENVS, **options)


def sb3_class() -> Any:
    pytest.importorskip("stable_baselines3")
    return importlib.import_module("envpool.sb3").VecEnv


def sb3(episode_length: int) -> OfSB3:
    env = sb3_class()("testing/Counting-v0", NUM_ENVS, episode_length=episode_length)
    return OfSB3(env)


def tensors(pool: Any) -> Any:
    pytest.importorskip("torch")
    return envpool.torch(pool)


FORKED = {"num_workers": 2, "start_method": "fork"}
SUBJECTS: dict[str, Callable[[], Subject]] = {
    "native": lambda: Subject(native("gymnasium", num_threads=2)),
    "native, same step": lambda: Subject(native("gymnasium", autoreset_mode="SameStep")),
    "native, tensors": lambda: Subject(tensors(native("gymnasium"))),
    "native, dm": lambda: OfDmEnv(native("dm")),
    "make_vec": lambda: Subject(
        make_vector_env("testing/Counting-v0", NUM_ENVS, episode_length=10**9)
    ),
    "single": lambda: OfSingle(make_single_env("testing/Counting-v0", episode_length=10**9)),
    "sb3": lambda: sb3(10**9),
    "sb3, Python": lambda: OfSB3(sb3_class()(Ticking, NUM_ENVS, **FORKED)),
    "Python": lambda: Subject(of_python("gymnasium", **FORKED)),
    "Python, this process": lambda: Subject(of_python("gymnasium", num_workers=0)),
    "Python, dm": lambda: OfDmEnv(of_python("dm", **FORKED)),
    "SyncVectorEnv": lambda: Subject(SyncVectorEnv([Ticking] * NUM_ENVS)),
    "AsyncVectorEnv": lambda: Subject(
        AsyncVectorEnv([Ticking] * NUM_ENVS, num_workers=2, context="fork")
    ),
    "AsyncVectorEnv, two calls": lambda: OfTwoCalls(
        AsyncVectorEnv([Ticking] * NUM_ENVS, num_workers=1, context="fork")
    ),
}


class Session:
    """Resets and steps a subject, and checks that no count is missing or comes twice."""

    def __init__(self, make: Callable[[], Subject]) -> None:
        self.make = make
        self.calls = self.interruptions = self.late = 0
        self.begin()

    def begin(self) -> None:
        self.subject = self.make()
        self.subject.reset(0)
        self.subject.step()
        self.seen = 1

    def call(
        self, disturb: contextlib.AbstractContextManager[Any], is_reset: bool | None = None
    ) -> None:
        """One reset or step, which may be disturbed. By default each fifth is a reset."""
        self.calls += 1
        is_reset = self.calls % 5 == 0 if is_reset is None else is_reset
        subject, results = self.subject, None
        start = self.seen + 1 if is_reset else None
        try:
            with disturb:
                results = subject.step() if start is None else subject.reset(start)
        except Disturbance as disturbance:
            self.interruptions += 1
            if isinstance(disturbance.__cause__, envpool.EnvironmentFailure):
                self._start_again()
                return
        except envpool.EnvironmentFailure:  # it was the environment's code that was disturbed
            self._start_again()
            return
        if results is None:
            try:
                results = subject.go_on(start)
                self.late += 1
            except NOTHING_TO_WAIT_FOR:
                return  # it was not begun
            except (envpool.EnvironmentFailure, Disturbance):
                self._start_again()
                return
        ticks = subject.ticks(results)
        assert ticks == [self.seen + 1] * len(ticks), (ticks, self.seen)
        self.seen += 1

    def _start_again(self) -> None:
        self.subject.env.close()
        self.begin()


class Disturbance(BaseException):
    """What a signal's handler raises."""


class DisturbanceError(Disturbance, RuntimeError):
    """Of the kind that calls raise themselves."""


@contextlib.contextmanager
def signalled(after: float) -> Iterator[None]:
    """A real signal comes after so many seconds, unless the block is over by then."""
    try:
        armed[0] = True
        signal.setitimer(signal.ITIMER_REAL, after)
        yield
    finally:
        armed[0] = False  # a signal that another thread gets may come late
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.fixture
def handler() -> Iterator[Callable[[type[Disturbance]], None]]:
    """Has SIGALRM raise an exception."""

    def install(kind: type[Disturbance]) -> None:
        def handle(number: int, frame: FrameType | None) -> None:
            if armed[0]:
                raise kind

        signal.signal(signal.SIGALRM, handle)

    before = signal.getsignal(signal.SIGALRM)
    yield install
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "kind", [Disturbance, pytest.param(DisturbanceError, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("name", SUBJECTS)
def test_signals_at_any_time(name: str, kind: type[Disturbance], handler: Any) -> None:
    session = Session(SUBJECTS[name])
    chance = random.Random(name)
    begin = time.perf_counter()
    for _ in range(20):
        session.call(contextlib.nullcontext())
    span = 1.5 * (time.perf_counter() - begin) / 20
    handler(kind)
    end = time.monotonic() + 0.25
    while time.monotonic() < end or session.interruptions == 0:
        session.call(signalled(chance.random() * span + 1e-6))
    session.call(contextlib.nullcontext())
    session.subject.env.close()


class Injector:
    """Raises an exception before a bytecode of the package, the first of which has the number 0.

    It leaves out what comes between a results' handing over and the return to the caller, where
    the interpreter looks for no signals: that is in calls, loops and at the start of functions.
    """

    LOOKS_FOR_SIGNALS = ("CALL", "PRECALL", "JUMP_BACKWARD", "RESUME", "SEND", "FOR_ITER")

    def __init__(self, flags: list[bool], number: int, only_after_calls: bool = False) -> None:
        self.flags = flags
        self.only_after_calls = only_after_calls
        self.previous = ""
        self.latest: dict[FrameType, str] = {}
        self.left = number
        self.has_raised = False
        self.was_kept = self.is_handed_over = False

    def __enter__(self) -> None:
        sys.settrace(self.trace)

    def __exit__(self, *exception: object) -> None:
        sys.settrace(None)

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and not self.is_over(frame):
            if self.left == 0:
                self.has_raised = True
                raise Disturbance
            self.left -= 1
        return self.trace

    def is_over(self, frame: FrameType) -> bool:
        self.is_handed_over |= self.was_kept and not self.flags[0]
        self.was_kept = self.flags[0]
        name = dis.opname[frame.f_code.co_code[frame.f_lasti]]
        # Most calls of Python functions look for signals at their start only, these at their end.
        is_back = self.latest.get(frame) == "CALL_FUNCTION_EX"
        self.latest[frame] = name
        if is_back or name.startswith(self.LOOKS_FOR_SIGNALS):
            self.is_handed_over = False
        self.previous, previous = name, self.previous
        is_watched = previous.startswith(self.LOOKS_FOR_SIGNALS)
        return self.is_handed_over or (self.only_after_calls and not is_watched)


@pytest.mark.slow
@pytest.mark.parametrize("is_reset", [False, True], ids=["step", "reset"])
@pytest.mark.parametrize("name", SUBJECTS)
def test_exceptions_at_every_bytecode(name: str, is_reset: bool) -> None:
    session = Session(SUBJECTS[name])
    for number in range(MOST_OPCODES):
        injector = Injector(session.subject.pool._is_kept, number)
        session.call(injector, is_reset)
        if not injector.has_raised:
            break
        session.call(contextlib.nullcontext())
    assert session.interruptions > 20
    assert session.late > 5
    session.subject.env.close()


@pytest.mark.parametrize("kind", ["native", pytest.param("Python", marks=pytest.mark.slow)])
def test_episodes_that_end_in_an_interrupted_step(kind: str) -> None:
    """Stable-Baselines3's step has two parts: what it steps, and the resets that follow."""
    make = functools.partial(Counting, 3)
    sources = {"native": ("testing/Counting-v0", {"episode_length": 3}), "Python": (make, FORKED)}
    source, options = sources[kind]
    env = sb3_class()(source, 2, **options)
    subject = OfSB3(env)
    subject.actions = np.array([1, 2])
    for number in range(MOST_OPCODES):
        env.reset()
        subject.step()
        subject.step()
        # What was counted and what was handed over is noted in two assignments.
        injector = Injector(subject.pool._is_kept, number, only_after_calls=True)
        results = None
        try:
            with injector:
                results = subject.step()
        except Disturbance:
            try:
                results = env.step_wait()
            except NoAsyncCallError:  # its actions had not come
                results = subject.step()
        observation, rewards, dones, infos = results
        assert (observation.tolist(), rewards.tolist()) == ([[0], [0]], [1.0, 2.0])
        assert dones.all()
        assert [info["episode"]["l"] for info in infos] == [3, 3]
        assert [info["episode"]["r"] for info in infos] == [3.0, 6.0]
        assert [info["terminal_observation"].tolist() for info in infos] == [[3], [3]]
        if not injector.has_raised:
            break
    assert number > 100
    env.step_async(subject.actions)
    with Injector([False], 0), pytest.raises(Disturbance):
        env.step_wait()
    assert env.step_wait()[0].tolist() == [[1], [1]]
    env.close()


@pytest.mark.parametrize("kind", ["native", "Python", "Python, this process"])
def test_no_batch_of_an_asynchronous_pool_is_lost(kind: str, handler: Any) -> None:
    make = native if kind == "native" else of_python
    options = {"native": {}, "Python": FORKED, "Python, this process": {"num_workers": 0}}[kind]
    pool = make("gymnasium", batch_size=1, **options)
    pool.async_reset(options={"start": 0})
    ticks = [-1] * NUM_ENVS
    chance = random.Random(kind)
    handler(Disturbance)
    end = time.monotonic() + 0.4
    interruptions = 0
    while time.monotonic() < end or interruptions == 0:
        results = None
        try:
            with signalled(chance.random() * 1e-4 + 1e-6):
                results = pool.recv()
        except Disturbance:
            interruptions += 1
            with contextlib.suppress(envpool.EnvironmentFailure):
                results = pool.recv() if results is None else results
        except envpool.EnvironmentFailure:
            pass
        if results is None:  # the environment's own code was interrupted
            pool.close()
            pool = make("gymnasium", batch_size=1, **options)
            pool.async_reset(options={"start": 0})
            ticks = [-1] * NUM_ENVS
            continue
        (env_id,) = results[-1]["env_id"].tolist()
        ticks[env_id] += 1
        assert int(results[0][0, 0]) == ticks[env_id]
        pool.send(np.zeros(1, np.int32), [env_id])
    pool.close()


def test_a_step_without_actions_is_refused() -> None:
    env = sb3_class()("testing/Counting-v0", 2, episode_length=3)
    env.reset()
    for _ in range(2):
        with pytest.raises(NoAsyncCallError, match="step_async"):
            env.step_wait()
        assert env.step(np.array([1, 2]))[0].tolist()[0] in ([1], [2])
    env.close()
