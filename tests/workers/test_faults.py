"""Environments that raise: their exceptions arrive, and nothing else suffers."""

import bdb
import contextlib
import functools
import os
import pickle
import signal
import stat
import threading
import time

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.errors import EnvironmentFailure, RemoteError
from envpool.workers.worker_side.worker import State
from pools import actions, counters, each_way, each_way_of_workers, open_files, opened, started
from worker_envs import (
    Counter,
    CustomError,
    Telling,
    fail,
    fail_oddly,
    interrupt,
    leave,
    press_ctrl_c,
)

FAILURES = {
    fail: (ZeroDivisionError, "ZeroDivisionError: told to"),
    leave: (SystemExit, "SystemExit: 3"),
    interrupt: (KeyboardInterrupt, "KeyboardInterrupt"),
}


def assert_fails(call, kind, text, env_ids=(1,)):
    """The call raises an EnvironmentFailure, which is returned."""
    with pytest.raises(EnvironmentFailure) as caught:
        call()
    assert caught.value.env_ids == list(env_ids)
    assert text in caught.value.messages[0]
    assert isinstance(caught.value.__cause__, kind)
    return caught.value


def tells_where(failure):
    """The text that tells where in the environment it was raised."""
    cause = failure.__cause__
    return "\n".join(getattr(cause, "__notes__", [])) + str(cause)


@each_way
@pytest.mark.parametrize("command", [fail, leave])
def test_steps(way, command):
    kind, text = FAILURES[command]
    with started(counters(act1=command), **way) as pool:
        failure = assert_fails(lambda: pool.step(actions(1, -1, 3, 4), None), kind, text)
        observation, reward, _, _, info = failure.results
        assert observation.shape == (3, 2)
        np.testing.assert_array_equal(reward, [1, 3, 4])
        np.testing.assert_array_equal(info["double"], 2)
        if way["num_workers"]:
            assert "in obey" in tells_where(failure)
        with pytest.raises(RuntimeError, match="1"):
            pool.step(actions(0), [1])
        pool.step(actions(0), [0])
        pool.reset([1], [], None, False)
        pool.step(actions(1, 2, 3, 4), None)


@each_way_of_workers
def test_interrupts_in_workers_are_failures(way):
    with started(counters(act1=interrupt), **way) as pool:
        assert_fails(lambda: pool.step(actions(1, -1, 3, 4), None), *FAILURES[interrupt])


@pytest.mark.parametrize("command", [interrupt, press_ctrl_c])
def test_interrupts_in_the_callers_thread_lose_nothing(command):
    """The environment that was at it has failed; the others go on with the next recv."""
    with started(counters(act1=command), num_workers=0) as pool:
        with pytest.raises(KeyboardInterrupt):
            pool.step(actions(1, -1, 3, 4), None)
        failure = assert_fails(lambda: pool.recv(False, None), *FAILURES[interrupt])
        np.testing.assert_array_equal(failure.results[1], [1, 3, 4])
        pool.reset([1], [], None, False)
        with pytest.raises(KeyboardInterrupt):
            pool.step(actions(1, -1, 3, 4), None)
        pool.native.discard()
        pool.reset(None, [], None, False)
        pool.step(actions(1, 2, 3, 4), None)


class OwnInterrupt(KeyboardInterrupt):
    pass


def test_interrupts_in_the_callers_thread_come_out_as_they_are():
    """Nobody has pressed Ctrl-C: its handler is not called."""

    def raise_own():
        raise OwnInterrupt("why")

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with started(counters(act1=raise_own), num_workers=0) as pool:
            with pytest.raises(OwnInterrupt, match="why") as caught:
                pool.step(actions(1, -1, 3, 4), None)
            failure = assert_fails(lambda: pool.recv(False, None), OwnInterrupt, "why")
            assert failure.__cause__ is caught.value
    finally:
        signal.signal(signal.SIGINT, before)


def test_interrupts_in_the_callers_thread_keep_actions():
    """Those that are no arrays, and which environments have not read yet."""

    class Speller(Counter):
        def __init__(self):
            super().__init__(read=press_ctrl_c)
            self.action_space = spaces.Text(5)

        def step(self, action):
            if action == "read":
                self.obey("read")
            return (*super().step(len(action))[:4], {"said": action})

    with started([Speller] * 3, num_workers=0) as pool:
        with pytest.raises(KeyboardInterrupt):
            pool.step(("a", "read", "bcd"), None)
        failure = assert_fails(lambda: pool.recv(False, None), *FAILURES[interrupt])
        np.testing.assert_array_equal(failure.results[1], [1, 3])
        assert failure.results[4]["said"].tolist() == ["a", "bcd"]


@each_way
def test_resets(way):
    with opened(**way) as pool:
        options = {"command": fail}
        kind, text = FAILURES[fail]
        with pytest.raises(EnvironmentFailure, match="it was never reset"):
            pool.reset([0], [], None, True)
        pool.reset(None, [], None, False)
        assert_fails(lambda: pool.reset([1, 2], [], options, False), kind, text, [1, 2])
        pool.reset([1, 2], [], None, False)
        failure = assert_fails(lambda: pool.reset([2], [], options, True), kind, text, [2])
        assert failure.results[0].shape == (3, 2)
        pool.reset(None, [], None, False)


@each_way
def test_exceptions_that_do_not_unpickle(way):
    with started(counters(act1=fail_oddly), **way) as pool:
        kind = RemoteError if way["num_workers"] else CustomError
        failure = assert_fails(
            lambda: pool.step(actions(1, -1, 3, 4), None), kind, "CustomError: 1 and 2"
        )
        assert "1 and 2" in tells_where(failure)


@each_way
def test_calls(way):
    with started(counters(render=fail), **way) as pool:
        failure = assert_fails(lambda: pool.call("render"), *FAILURES[fail])
        assert failure.results is None
        assert "reset it" not in str(failure)
        pool.step(actions(1, 2, 3, 4), None)


@each_way
def test_constructors(way):
    def broken():
        raise ZeroDivisionError("told to")

    failure = assert_fails(
        lambda: opened([Counter, broken, Counter], **way).__enter__(), *FAILURES[fail]
    )
    assert "reset it" not in str(failure)


def test_constructors_of_several_workers():
    with pytest.raises(EnvironmentFailure) as caught:
        opened([leave, Counter, Counter, leave], num_workers=2).__enter__()
    assert caught.value.env_ids == [0, 3]


@each_way
def test_closing(way):
    with started(counters(close=fail), **way) as pool:
        assert_fails(pool.close, *FAILURES[fail])
        pool.close()


class Odd(gymnasium.Env):
    """Returns what it is given."""

    observation_space = spaces.Box(-1, 1, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, of_reset=((0, 0), {}), of_step=None):
        self.of_reset = of_reset
        self.of_step = of_step

    def reset(self, *, seed=None, options=None):
        return self.of_reset

    def step(self, action):
        return self.of_step


GOOD = np.zeros(2, np.float32)
# What is returned, and what the message tells of it.
ODD_STEPS = {
    "a tuple that is too short": ((GOOD, 0.0, False, {}), "expected 5"),
    "no tuple": (None, "NoneType"),
    "a shape": ((np.zeros(3, np.float32), 0.0, False, False, {}), r"\(3,\).*\(2,\)"),
    "a dtype": ((np.array([1j, 2]), 0.0, False, False, {}), "complex128"),
    "no array": (("text", 0.0, False, False, {}), "obs"),
    "two ends": ((GOOD, 0.0, np.ones(2, bool), False, {}), "as terminated .*ndarray.*expected a"),
    "no reward": ((GOOD, None, False, False, {}), "as reward .*NoneType.*expected a number"),
    "an info": ((GOOD, 0.0, False, False, None), "NoneType.*expected a dict"),
    "a reward": ((GOOD, "much", False, False, {}), "str|number|real"),
    "an info that cannot be pickled": ((GOOD, 0.0, False, False, {"f": (i for i in ())}), "pickle"),
}


@pytest.mark.parametrize(("returned", "told"), ODD_STEPS.values(), ids=ODD_STEPS)
@pytest.mark.one_in(4)
def test_what_steps_return(returned, told):
    factories = [Odd, functools.partial(Odd, of_step=returned)]
    with started(factories) as pool:
        with pytest.raises(EnvironmentFailure, match=f"(?s)environment 1: .*{told}"):
            pool.step(np.array([1]), [1])
        pool.reset([1], [], None, False)


NESTED = spaces.Dict(a=spaces.Discrete(3), b=spaces.Tuple((spaces.Discrete(3), spaces.Text(5))))
# What is observed in such a space, and what the message tells of it.
LACKING = {
    "a missing part": ({"a": 1}, r"the observation is {'a': 1}, expected .* the part 'b'"),
    "a number": (3, "the observation is 3, expected .* the part 'a'"),
    "None": (None, "the observation is None, expected .* the part 'a'"),
    "another number of items": ({"a": 1, "b": ()}, r"observation\['b'\] is \(\), .* the part 0"),
    "a missing text": ({"a": 1, "b": (2,)}, r"observation\['b'\] is \(2,\), .* the part 1"),
    "a list": ([1, 2], r"the observation is \[1, 2\], expected .* the part 'a'"),
}


@each_way
@pytest.mark.parametrize(("observation", "told"), LACKING.values(), ids=LACKING)
def test_observations_that_lack_a_part(way, observation, told):
    class Lacking(Odd):
        observation_space = NESTED

    good = {"a": 0, "b": (1, "text")}
    made = functools.partial(Lacking, (good, {}), (observation, 0.0, False, False, {}))
    with started([made, made], **way) as pool:
        with pytest.raises(EnvironmentFailure, match=f"environment 1: .*{told}"):
            pool.step(np.array([1]), [1])
        pool.reset([1], [], None, False)


def test_what_resets_return():
    with opened([functools.partial(Odd, of_reset=None), Odd]) as pool:
        with pytest.raises(EnvironmentFailure, match=r"environment 0: .*NoneType"):
            pool.reset(None, [], None, False)
        with pytest.raises(EnvironmentFailure, match="environment 0: "):
            pool.reset([0], [], None, True)


class Bare:
    """Without spaces."""

    reset = step = print


NO_ENVIRONMENTS = {
    "a list": (list, r"the factory made \[\], expected an environment, which has reset"),
    "no spaces": (Bare, "observation_space is None, expected a gymnasium.Space"),
    "a vector": (
        functools.partial(gymnasium.make_vec, "CartPole-v1", 2),
        r"a vector of environments, expected one of them: the pool makes num_envs",
    ),
    "a pool": (
        functools.partial(envpool.make, "CartPole-v1"),
        r"a vector of environments, expected one of them: the pool makes num_envs",
    ),
}


@each_way
@pytest.mark.parametrize(("factory", "told"), NO_ENVIRONMENTS.values(), ids=NO_ENVIRONMENTS)
def test_what_is_no_environment(way, factory, told):
    with pytest.raises(EnvironmentFailure, match=f"environment 1: TypeError: .*{told}"):
        opened([Counter, factory], **way).__enter__()


class NeverPickled:
    def __reduce__(self):
        raise RuntimeError("I am not to be pickled")


class NeverUnpickled:
    def __reduce__(self):
        return fail, ()


@each_way
def test_what_drawing_needs_without_a_display(way, monkeypatch):
    class Draws(Counter):
        def __init__(self):
            raise RuntimeError("an OpenGL platform library has not been loaded")

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    with pytest.raises(EnvironmentFailure, match="been loaded; without a display, set MUJOCO_GL="):
        opened([Draws], **way).__enter__()
    monkeypatch.setenv("MUJOCO_GL", "egl")
    with pytest.raises(EnvironmentFailure, match=r"been loaded$"):
        opened([Draws], **way).__enter__()


def test_factories_that_cannot_be_pickled():
    held = NeverPickled()
    with pytest.raises(
        EnvironmentFailure, match=r"environment 1: the factories of its worker canno"
    ):
        opened([Counter, lambda: held], start_method="spawn").__enter__()
    with opened([Counter, lambda: Counter() if held else None]) as pool:  # forks need no pickles
        pool.reset(None, [], None, False)


def test_factories_that_cannot_be_unpickled():
    held = NeverUnpickled()
    kind, text = FAILURES[fail]
    assert_fails(
        lambda: opened([lambda: held], num_workers=1, start_method="spawn").__enter__(),
        kind,
        text,
        [0],
    )


class Unreadable:
    """Its unpickling does what it is told, but for this process's."""

    def __init__(self, do):
        self.home = os.getpid()
        self.do = do

    def __reduce__(self):
        return unpickle, (self.home, self.do)


def unpickle(home, do):
    if os.getpid() != home:
        do()
    return Unreadable(do)


class Taking(Telling):
    """Takes and gives things."""

    def __init__(self):
        super().__init__()
        self.taken = None

    def take(self, *things):
        self.taken = things
        return self.pid()

    def give(self, do):
        self.taken = Answer(do)
        return self.taken


REQUESTS = {
    "call": lambda pool, odd: pool.call("take", (odd,), env_ids=[1]),
    "call by name": lambda pool, odd: pool.call("take", (), {"length": odd}, env_ids=[1]),
    "set_attr": lambda pool, odd: pool.set_attr("taken", [1, odd, 2, 3]),
    "reset": lambda pool, odd: pool.reset([1], [], {"odd": odd}, False),
}


@each_way_of_workers
@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("command", FAILURES)
def test_requests_that_do_not_unpickle(way, request_, command):
    """Only what the worker was asked has failed, and it lives."""
    kind, text = FAILURES[command]
    with started([Taking] * 4, **way) as pool:
        pids = pool.call("take")
        is_shared = request_ == "set_attr"  # by the environments of its worker
        asked = range(4 // way["num_workers"]) if is_shared else [1]
        assert_fails(lambda: REQUESTS[request_](pool, Unreadable(command)), kind, text, asked)
        if request_ == "reset":
            pool.reset([1], [], None, False)
        assert pool.call("take") == pids
        pool.step(actions(0, 0, 0, 0), None)


@pytest.mark.parametrize("command", FAILURES)
def test_states_that_do_not_unpickle(command):
    kind, text = FAILURES[command]
    with started([Taking] * 4) as pool:
        pids = pool.call("take")
        states = pool.get_state()
        odd = State.from_bytes(states[1], "state")
        content = pickle.dumps((Unreadable(command), None, []))
        states[1] = odd._replace(content=content).to_bytes()
        assert_fails(lambda: pool.set_state(states), kind, text)
        assert pool.call("take") == pids


def test_answers_that_do_not_unpickle():
    """They can be pickled in the worker, and not be read here."""
    with started([Taking] * 4) as pool:
        for call in (
            lambda: pool.call("give", (fail,), env_ids=[1]),
            lambda: pool.get_attr("taken", [1]),
        ):
            with pytest.raises(ZeroDivisionError, match="told to"):
                call()
        pool.step(actions(0, 0, 0, 0), None)


class Answer:
    """What a worker can read, and the caller cannot."""

    def __init__(self, do):
        self.do = do

    def __reduce__(self):
        return (Answer, (self.do,)) if os.getpid() == HOME else (self.do, ())


HOME = os.getpid()


def test_spaces_that_do_not_pickle():
    class Locked(spaces.Discrete):
        def __init__(self):
            super().__init__(2)
            self.lock = threading.Lock()

    class Env(Counter):
        def __init__(self):
            super().__init__()
            self.action_space = Locked()

    with pytest.raises(EnvironmentFailure, match="cannot pickle") as caught:
        opened([Env] * 2, num_workers=1).__enter__()
    assert caught.value.env_ids == [0, 1]


OUTPUTS = {
    "closed": "sys.stdout.close()",
    "none": "sys.stdout = None",
    "gone": "del sys.stdout",
    "an odd object": "sys.stdout = 7",
    "one that leaves": "sys.stdout = type('Odd', (), {'flush': lambda self: sys.exit(3)})()",
    "a descriptor that is closed": "os.close(1)",
}


@pytest.mark.parametrize("code", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.one_in(2)
def test_standard_output_may_be_anything(code):
    with started(counters(call=functools.partial(exec, f"import os, sys\n{code}"))) as pool:
        assert pool.call("double", (1,)) == [2] * 4
        assert pool.get_attr("length") == [5] * 4
        pool.step(actions(0, 0, 0, 0), None)
        pool.close()


def test_values_that_cannot_be_pickled():
    with opened() as pool:
        with pytest.raises(RuntimeError, match="not to be pickled"):
            pool.set_attr("length", [NeverPickled()] * 4)
        with pytest.raises(RuntimeError, match="not to be pickled"):
            pool.reset(None, [], {"x": NeverPickled()}, False)
        assert pool.get_attr("length") == [5] * 4
        pool.reset(None, [], None, False)
        with pytest.raises(EnvironmentFailure, match="told to"):
            pool.reset(None, [], {"x": NeverUnpickled()}, False)
        pool.reset(None, [], None, False)


def write_to_its_sockets():
    for descriptor in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):  # that of the list itself is closed
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, b"\x00\x00\x00\x04what")


def test_a_worker_whose_socket_is_written_to():
    """Nothing waits for it, and its environments can be reset."""
    with started(counters(step=write_to_its_sockets)) as pool:
        pool.step(actions(1, 2, 3, 4), None)
        with pytest.raises(EnvironmentFailure, match="was ended, because it answers") as caught:
            pool.call("obey", ["nothing"])
        assert caught.value.env_ids == [0, 1]
        while not pool.native.lost_workers(None):
            time.sleep(0.01)
        pool.reset([0, 1], [], None, False)
        pool.step(actions(1, 2), [2, 3])


class Lister(Counter):
    def open_files(self):
        return open_files()


def test_environments_cannot_write_to_the_shared_memory_by_a_number():
    inherited = open_files()  # such as the memory of pools that nobody has closed
    with opened([Lister] * 2) as pool:
        files = {name for each in pool.call("open_files") for name, _ in each - inherited}
        assert "/memfd:envpool-inbox" in files
        assert "/memfd:envpool" not in files


def quit_debugger():
    raise bdb.BdbQuit  # as a breakpoint does where there is no terminal


def test_a_debugger_in_a_worker():
    with started([functools.partial(Counter, step=quit_debugger)], num_workers=1) as pool:
        with pytest.raises(EnvironmentFailure, match=r"BdbQuit.*use num_workers=0") as caught:
            pool.step(actions(0), None)
        assert isinstance(caught.value.__cause__, bdb.BdbQuit)
