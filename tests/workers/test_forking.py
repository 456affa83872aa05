"""Environments that fork, and pools of processes that were forked."""

import functools
import os
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from envpool.errors import EnvironmentFailure
from helpers import run_command, run_python
from pools import actions, each_way_of_workers, opened, started
from test_leftovers import assert_all_end, run
from worker_envs import Counter, Telling


class Forking(Telling):
    """Forks when it is told to, and lets the child come back, or leave by an exception.

    Args:
        when: See :meth:`Counter.obey`; or "init" or "attribute".
        how: What the child does.
        **kwargs: Of a Counter.
    """

    def __init__(self, when, how, **kwargs):
        self.children = []
        self.statuses = []
        self.when = when
        self.how = how
        super().__init__(**kwargs)
        self.obey("init")

    def obey(self, when):
        if when != self.when:
            return
        child = os.fork()
        if child == 0:
            self.how()
        else:
            self.children.append(child)

    @property
    def attribute(self):
        self.obey("attribute")
        return os.getpid()

    def wait(self):
        """What became of the children."""
        self.statuses += [os.waitstatus_to_exitcode(os.waitpid(i, 0)[1]) for i in self.children]
        self.children = []
        return self.statuses


def execute():
    os.execv("/no/such/program", ["x"])


def leave():
    raise SystemExit(3)


def come_back():
    pass


def steps_count(pool, first):
    """Steps the environments; all of them have been stepped by one process each."""
    for number in range(first, first + 10):
        observation, *_ = pool.step(actions(0, -1, 0, 0), None)
        np.testing.assert_array_equal(observation[:, 0], number)


@each_way_of_workers
@pytest.mark.parametrize("how", [execute, leave, come_back])
@pytest.mark.parametrize("when", ["init", "reset", "step", "act1", "close"])
@pytest.mark.one_in(3)
@pytest.mark.slow
def test_children_of_environments_end(way, when, how, capfd):
    factories = [functools.partial(Forking, when, how, length=100)] * 4
    with started(factories, **way) as pool:
        steps_count(pool, 1)
        for statuses in pool.call("wait"):
            assert set(statuses) <= {3 if how is leave else 1 if how is execute else 0, 1}
        pool.close()
    if how is execute and when != "close":
        assert "FileNotFoundError" in capfd.readouterr().err


CALLS = {
    "call": lambda pool: pool.call("double", (1,)),
    "attribute": lambda pool: pool.get_attr("attribute"),
    "get_state": lambda pool: pool.get_state(),
    "set_state": lambda pool: pool.set_state(pool.get_state()),
    "render": lambda pool: pool.call("render"),
}


@each_way_of_workers
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.one_in(2)
def test_children_of_calls_end(way, call):
    with started([functools.partial(Forking, call, leave, length=100)] * 4, **way) as pool:
        CALLS[call](pool)
        assert pool.call("wait") == [[3]] * 4
        steps_count(pool, 1)


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.slow
def test_children_do_not_outlive_workers(method):
    process = run(
        f"""
        from test_forking import Forking, come_back
        factory = functools.partial(Forking, "step", come_back)
        pool = PythonPool([factory] * 2, pool_options(2, 2, num_workers=1, start_method={method!r}))
        pool.reset(None, [], None, False)
        pool.step(zeros, None)
        print(*[child for each in pool.get_attr("children") for child in each], flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    output, _ = process.communicate(timeout=30)
    pids = [int(pid) for pid in output.split()]
    assert len(pids) == 2
    assert_all_end(pids)


def in_child(function):
    """Returns what it returns in a forked child: True or False."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if function() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("when", ["step", "reset"])
def test_without_workers_the_childs_call_is_refused(when):
    """It is a copy of the caller's program, whose pool is the parent's."""
    parent = os.getpid()
    with opened([functools.partial(Forking, when, come_back)] * 2, num_workers=0) as pool:
        try:
            pool.reset(None, [], None, False)
            observation, *_ = pool.step(actions(0, 0), None)
        except RuntimeError as error:
            if os.getpid() != parent:
                os._exit(0 if "forked the process" in str(error) else 1)
            raise
        finally:
            if os.getpid() != parent:
                os._exit(2)
        np.testing.assert_array_equal(observation[:, 0], 1)
        assert pool.call("wait") == [[0]] * 2


def test_without_workers_children_do_not_close_environments(tmp_path):
    closing = functools.partial(os.mkdir, tmp_path / "closed")
    with opened([functools.partial(Counter, close=closing)], num_workers=0) as pool:
        assert in_child(lambda: pool.close() is None)
        assert not (tmp_path / "closed").exists()
        pool.close()
        assert (tmp_path / "closed").exists()


class Nesting(gymnasium.Env):
    """Has a pool of its own."""

    observation_space = spaces.Box(-1e9, 1e9, (2,), np.float64)
    action_space = spaces.Box(-10.0, 10.0, (), np.float64)

    def __init__(self, method):
        self.method = method

    def reset(self, *, seed=None, options=None):
        with opened(num_envs=2, num_workers=1, start_method=self.method) as pool:
            return pool.reset(None, [seed or 0, 1], None, False)[0][0], {}

    def step(self, action):
        return np.zeros(2), 0.0, False, False, {}


def run_to_end(program):
    return run_python(program, PYTHONPATH=os.pathsep.join(sys.path))


def nest(inner, outer="fork"):
    with opened([functools.partial(Nesting, inner)], num_workers=1, start_method=outer) as pool:
        observation, _ = pool.reset(None, [5], None, False)
        return observation.tolist() == [[0.0, 5.0]]


@pytest.mark.slow
@pytest.mark.parametrize("inner", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("outer", ["fork", "forkserver", "spawn"])
@pytest.mark.one_in(2)
def test_environments_with_pools(inner, outer):
    assert nest(inner, outer)


@pytest.mark.slow
def test_forks_while_another_thread_starts_workers():
    """The child has no lock that is held for ever, and can make pools."""
    is_over = threading.Event()

    def start():
        while not is_over.is_set():
            opened(num_envs=2, start_method="fork").__enter__().close()

    thread = threading.Thread(target=start)
    thread.start()
    try:
        for _ in range(10):
            time.sleep(0.01)
            assert in_child(lambda: nest("fork"))
    finally:
        is_over.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_children_of_the_program_exit_quietly(method):
    program = f"""
import os, sys
from pools import started
with started(num_envs=2, start_method={method!r}) as pool:
    if os.fork() == 0:
        sys.exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
    pool.reset(None, [], None, False)
"""
    done = run_to_end(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_forks_that_fail(monkeypatch):
    """As where there are too many processes."""

    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    with pytest.raises(BlockingIOError, match="temporarily unavailable"):
        opened().__enter__()
    monkeypatch.undo()
    with started():
        pass


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
@pytest.mark.parametrize("most", [12, 20, 26])
@pytest.mark.one_in(2)
def test_starts_without_files(method, most):
    program = f"""
import resource
from pools import opened
opened(num_envs=2, start_method={method!r}).__enter__().close()  # what is imported late is there
resource.setrlimit(resource.RLIMIT_NOFILE, ({most}, 1000))
try:
    opened(num_envs=8, num_workers=8, start_method={method!r}).__enter__()
except OSError as error:
    print(error)
"""
    done = run_to_end(program)
    assert done.stdout == "[Errno 24] Too many open files\n", done.stderr


@pytest.mark.slow
def test_starts_without_a_working_folder(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(FileNotFoundError):
        opened(start_method="forkserver").__enter__()


def test_failures_of_the_parent_stay_failures():
    """An exception in the environment itself is told as ever, beside what its child does."""

    def forks_and_fails():
        if os.fork() == 0:
            raise SystemExit(0)
        raise ZeroDivisionError

    with started([functools.partial(Counter, act1=forks_and_fails)] * 2) as pool:
        with pytest.raises(EnvironmentFailure) as caught:
            pool.step(actions(0, -1), None)
        assert caught.value.env_ids == [1]
        assert type(caught.value.__cause__) is ZeroDivisionError


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_classes_of_the_main_program_in_processes_that_were_spawned(method, tmp_path):
    """As workers of a DataLoader and of executors are."""
    program = tmp_path / "main_program.py"
    program.write_text(
        f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
import envpool, gymnasium

class Own(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        return 1, {{}}

def play(kind):
    if kind == "pool":
        envs = envpool.make_python(Own, "gymnasium", num_envs=2, num_workers=1)
    else:
        envs = envpool.vector.AsyncVectorEnv([Own, lambda: Own()])
    with envs:
        return envs.reset()[0].tolist()

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        print(list(executor.map(play, ["pool", "vector"])))
"""
    )
    done = run_command(sys.executable, program)
    assert done.stdout.strip() == "[[1, 1], [1, 1]]", done.stderr
