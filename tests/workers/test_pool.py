"""PythonPool: what all its users rely on, in whichever way the environments are run."""

import functools
import os
import signal
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from envpool.errors import ArgumentError, EnvironmentFailure
from helpers import run_command
from pools import actions, counters, each_way, opened, pool_options, started
from worker_envs import Counter, nap


@each_way
def test_calls_and_attributes(way):
    with opened(**way) as pool:
        assert pool.call("double", (2,), {"plus": 1}) == [5] * 4
        assert pool.call("length") == [5] * 4
        assert pool.call("double", (2,), env_ids=[3, 1]) == [4, 4]
        pool.set_attr("length", [1, 2, 3, 4])
        assert pool.get_attr("length") == [1, 2, 3, 4]
        assert pool.get_attr("length", [2, 0]) == [3, 1]
        pool.reset(None, [], None, False)
        assert [picture[0, 0, 0] for picture in pool.call("render")] == [0] * 4


@each_way
def test_an_unknown_attribute_fails(way):
    with opened(**way) as pool:
        with pytest.raises(EnvironmentFailure, match="no_such_thing") as caught:
            pool.get_attr("no_such_thing")
        assert isinstance(caught.value.__cause__, AttributeError)
        assert "reset it" not in str(caught.value)
        pool.reset(None, [], None, False)


@each_way
def test_what_is_told_of_the_environments(way):
    with opened(**way) as pool:
        assert pool.metadata["tag"] == "counter"
        assert pool.render_mode == "rgb_array"
        assert pool.observation_spaces == [pool.observation_space] * 4
        assert pool.action_spaces == [Counter().action_space] * 4


@each_way
def test_a_reset_passes_options_on(way):
    class Echo(Counter):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=seed)[0], {"options": options}

    with opened([Echo] * 2, **way) as pool:
        _, info = pool.reset(None, [], {"a": [1]}, False)
        assert info["options"]["a"].tolist() == [[1], [1]]
        _, info = pool.reset(None, [], None, False)
        assert info["options"].tolist() == [None, None]


class Chatty(gymnasium.Env):
    """Observes texts beside arrays, and is told texts."""

    observation_space = spaces.Dict({"text": spaces.Text(9), "number": spaces.Discrete(9)})
    action_space = spaces.Text(9)

    def reset(self, *, seed=None, options=None):
        return {"text": "begin", "number": 0}, {}

    def step(self, action):
        return {"text": action, "number": len(action)}, 0.0, False, False, {}


@each_way
def test_spaces_that_are_no_arrays(way):
    with opened([Chatty] * 3, check_actions=False, **way) as pool:
        observation, info = pool.reset(None, [], None, False)
        assert observation["text"] == ("begin",) * 3
        assert list(observation) == ["number", "text"]
        assert info == {}
        observation, *_ = pool.step(("a", "bc", "def"), None)
        assert observation["text"] == ("a", "bc", "def")
        np.testing.assert_array_equal(observation["number"], [1, 2, 3])
        observation, _ = pool.reset([1], [], None, True)
        assert observation["text"] == ("a", "begin", "def")


def test_without_processes_infos_stay_what_they_are():
    marker = object()

    class Marked(Counter):
        def reset(self, *, seed=None, options=None):
            return super().reset()[0], {"marker": marker, "options": options}

    with opened([Marked], num_workers=0) as pool:
        _, info = pool.reset(None, [], {"lambda": lambda: 5}, False)
        assert info["marker"][0] is marker
        assert info["options"]["lambda"][0]() == 5  # a copy


class Other(Counter):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Discrete(2)


def test_other_spaces_are_named():
    with (
        pytest.raises(ArgumentError, match="environment 2 has another action_space"),
        opened([Counter, Counter, Other, Counter]),
    ):
        pass


def test_only_processes_can_be_ended():
    with pytest.raises(ArgumentError, match=r"step_timeout is 1\.0 and num_workers is 0"):
        pool_options(4, 4, num_workers=0, step_timeout=1.0)


def test_neighbours_have_the_same_worker():
    assert pool_options(5, 5, num_workers=2).workers() == [0, 0, 0, 1, 1]
    assert pool_options(2, 2, num_workers=9).workers() == [0, 1]
    assert pool_options(2, 2, num_workers=0).workers() == [0, 0]


SCRIPT = """
import gymnasium, os, sys
import numpy as np
from gymnasium import spaces
from envpool.spec.option_values import PYTHON
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.pool import PythonPool

class Token:
    pass

class OfScript(Exception):
    pass

class Env(gymnasium.Env):
    observation_space = spaces.Discrete(3)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        assert isinstance((options or {}).get("token", Token()), Token)
        return 1, {"token": Token()}

    def step(self, action):
        raise OfScript("raised")

def main():
    gymnasium.register("OfScript-v0", Env)
    made = [Env, lambda: gymnasium.make("OfScript-v0").unwrapped]
    options = {"num_envs": 2, "num_workers": 2, "start_method": sys.argv[1]}
    pool = PythonPool(made, PoolOptions.of(PYTHON.settle(options)))
    observation, info = pool.reset(None, [], {"token": Token()}, False)
    assert [type(token) for token in info["token"]] == [Token, Token], info
    try:
        pool.step(np.array([0, 0]), None)
    except RuntimeError as error:
        assert type(error.__cause__) is OfScript, error.__cause__
        assert "in step" in error.__cause__.__notes__[0]
    pool.close()
    print("done")

"""
ONCE = """
assert not os.environ.get("RUN"), "__main__ runs again"
os.environ["RUN"] = "yes"
main()
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.one_in(2)
def test_scripts_need_no_guard(tmp_path, method):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT) + ONCE)
    done = run_command(sys.executable, script, method, RUN="")
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_calls_on_a_closed_pool():
    with started() as pool:
        pool.close()
        pool.close()
        for call in (
            lambda: pool.step(actions(0, 0, 0, 0), None),
            lambda: pool.reset(None, [], None, False),
            lambda: pool.call("length"),
            lambda: pool.recv(False, 0.0),
        ):
            with pytest.raises(RuntimeError, match="closed"):
                call()


def test_calls_need_idle_environments():
    with opened(counters(step=nap), batch_size=1) as pool:
        pool.send_reset(None, [], None)
        for _ in range(4):
            pool.recv(True, 5.0)
        pool.send(actions(0), [1])
        with pytest.raises(RuntimeError, match="1"):
            pool.call("length")
        assert pool.call("length", env_ids=[0, 2]) == [5, 5]


def test_a_call_that_takes_too_long():
    factories = [functools.partial(Counter, call=functools.partial(time.sleep, 0.2))] * 4
    with opened(factories) as pool:
        with pytest.raises(TimeoutError):
            pool.call("double", (1,), timeout=0.01)
        assert pool.call("length") == [5] * 4


class Large(Counter):
    def large(self, seconds):
        time.sleep(seconds)
        return bytes(3_000_000)  # far more than a socket holds


@pytest.mark.slow
def test_large_answers_that_nobody_waits_for():
    with started([Large] * 4) as pool:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                pool.call("large", (0.2,), timeout=0.0)
            pool.step(actions(0, 0, 0, 0), None)
            assert pool.call("length") == [5] * 4
        assert [len(answer) for answer in pool.call("large", (0,))] == [3_000_000] * 4


@pytest.mark.slow
def test_calls_come_in_their_order():
    with started([Large] * 4) as pool:
        for i in range(20):
            wait = pool.begin_call("large", (0.005,))
            pool.set_attr("length", [i] * 4)
            later = pool.begin_call("length")
            pool.set_attr("length", [-1] * 4)
            assert later(10.0) == [i] * 4
            assert len(wait(10.0)) == 4


def test_calls_can_be_waited_for_again():
    with opened([Large] * 4) as pool:
        wait = pool.begin_call("large", (0.2,))
        with pytest.raises(TimeoutError):
            wait(0.0)
        assert [len(answer) for answer in wait(30.0)] == [3_000_000] * 4


def test_interrupted_calls():
    with started([Large] * 4) as pool:
        for delay in (0.0, 0.001, 0.003, 0.01, 0.03):
            timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
            with pytest.raises(KeyboardInterrupt):
                timer.start()
                for _ in range(100):
                    pool.call("large", (0.001,))
            timer.join()
            pool.step(actions(0, 0, 0, 0), None)
            assert pool.call("length") == [5] * 4


def test_calls_in_several_threads():
    with opened([Large] * 4) as pool, ThreadPoolExecutor(4) as executor:
        calls = [executor.submit(pool.call, "double", (i,)) for i in range(40)]
        assert [call.result() for call in calls] == [[2 * i] * 4 for i in range(40)]


def test_workers_know_the_programs_arguments():
    def tell():
        environment = Counter()
        environment.told = sys.argv
        return environment

    with opened([tell], start_method="spawn") as pool:
        assert pool.get_attr("told") == [sys.argv]


class Showing(Counter):
    """Observes numbers of another type, beyond the bounds."""

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Box(-1, 1, (2,), np.float32)


def test_observations_are_converted_and_bounds_not_looked_at():
    with opened([Showing] * 2) as pool:
        pool.reset(None, [7, 8], None, False)
        observation, *_ = pool.step(actions(0, 0), None)
        assert observation.dtype == np.float32
        assert observation.tolist() == [[1, 7], [1, 8]]
