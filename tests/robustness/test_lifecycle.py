"""Beginnings, interruptions and ends of pools: constructors, Ctrl-C, close, collection, spawn."""

import contextlib
import functools
import gc
import importlib
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import envpool.families.testing.registration  # noqa: F401 - the tasks
from envpool import EnvironmentFailure
from envpool.tasks.gymnasium_makers import make_vector_env
from helpers import assert_runs, in_threads
from helpers import make as make_task

N = 4


def make(name, num_envs=N, **kwargs):
    return make_task(f"testing/{name}-v0", num_envs, **kwargs)


def count_threads():
    gc.collect()  # pools of earlier tests
    return len(list(Path("/proc/self/task").iterdir()))


# What blocks, and what must hold afterwards: nothing is lost and the pool can be used.
BLOCKING_CALLS = {
    "recv": ("pool.send(actions)", "pool.recv()", "assert pool.recv()[0].tolist() == [[1]] * 4"),
    "recv with a timeout": (
        "pool.send(actions)",
        "pool.recv(timeout=100)",
        "assert pool.recv()[0].tolist() == [[1]] * 4",
    ),
    "recv with a timeout and nothing in flight": (
        "",
        "pool.recv(timeout=100)",
        "assert pool.step(actions)[0].tolist() == [[1]] * 4",
    ),
    "recv of an asynchronous pool": (
        'pool = make("Sleeping", batch_size=2, num_threads=4, step_ms=1000)\n'
        "pool.async_reset(); pool.recv(); pool.recv()\n"
        "pool.send(actions[:2], np.arange(2))",
        "pool.recv()",
        "assert sorted(pool.recv()[-1]['env_id']) == [0, 1]",
    ),
    "step": ("", "pool.step(actions)", "assert pool.recv()[0].tolist() == [[1]] * 4"),
    "reset": ("", "pool.reset()", "assert pool.recv(reset=True)[0].tolist() == [[0]] * 4"),
    "close": (
        "send_and_see_begun(pool, actions)",
        "pool.close()",
        "pool.close(); assert pool.reset()[0].tolist() == [[0]] * 4",
    ),
    "recv behind another thread's": (
        "pool.send(actions)\n"
        "other = threading.Thread(target=pool.recv)\n"
        "other.start()\n"
        "time.sleep(0.1)",
        "pool.recv(timeout=100)",
        "other.join(); assert pool.reset()[0].tolist() == [[0]] * 4",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKING_CALLS)
@pytest.mark.one_in(2)
def test_ctrl_c_in_blocking_calls(name):
    prepare, call, afterwards = BLOCKING_CALLS[name]
    reset_ms = 1000 if name == "reset" else 0
    assert_runs(
        f"""
pool = make("Sleeping", num_threads=4, step_ms=1000, reset_ms={reset_ms})
actions = np.zeros(4, int)
pool.reset()
{prepare}
assert_notices_ctrl_c(lambda: {call})
{afterwards}
""",
        attempts=3,
    )


def test_ctrl_c_while_environments_are_made():
    assert_runs(
        """
assert_notices_ctrl_c(lambda: make("Sleeping", num_envs=1000, create_ms=20))
while count_threads() > THREADS:  # what was being made is still made
    time.sleep(0.01)
""",
        attempts=3,
    )


@pytest.mark.slow
def test_after_an_interrupted_close():
    """The pool refuses everything until the environments are done, then it starts anew.

    Of states that is true even without a second close.
    """
    assert_runs("""
pool = make("Sleeping", num_threads=4, step_ms=2000)
pool.reset()
send_and_see_begun(pool, np.zeros(4, int))
latency_of_ctrl_c(pool.close)
calls = pool.reset, pool.recv, pool.async_reset, pool.get_state, lambda: pool.recv(timeout=1)
for call in calls:
    refuses(call, "is being closed")
while True:
    try:
        states = pool.get_state()
        break
    except RuntimeError as error:
        assert "is being closed" in str(error), error
        time.sleep(0.01)
assert len(states) == 4
pool.close()
assert pool.reset()[0].tolist() == [[0]] * 4
""")


@pytest.mark.slow
def test_interrupted_close_of_a_vector_environment():
    assert_runs("""
import gymnasium
env = gymnasium.make_vec("envpool/testing-Sleeping-v0", num_envs=2, num_threads=2, step_ms=1000)
env.reset()
latency_of_ctrl_c(lambda: env.step(np.zeros(2, int)), after=0.2)
latency_of_ctrl_c(env.close, after=0.1)
assert not env.closed
refuses(env.reset, "is being closed")
env.close()
assert env.closed
assert count_threads() == THREADS
""")


@pytest.mark.long
def test_gymnasium_environments_after_ctrl_c():
    """A reset forgets the interrupted step; a step would give its results."""
    assert_runs("""
import gymnasium
name = "envpool/testing-Sleeping-v0"
single = gymnasium.make(name, step_ms=500, disable_env_checker=True)
vector = gymnasium.make_vec(name, num_envs=2, step_ms=500)
for env, action in ((single, 0), (vector, np.zeros(2, int))):
    env.reset()
    latency_of_ctrl_c(lambda: env.step(action), after=0.1)
    refuses(lambda: env.step(action), error=gymnasium.error.ResetNeeded)
    assert env.reset()[0].max() == 0
    assert env.step(action)[0].max() == 1
""")


class AlarmError(Exception):
    """What the handler of an alarm raises."""


@pytest.fixture
def alarm():
    """Sets when, in seconds from now, a signal's handler raises an AlarmError."""

    def ring(number, frame):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    yield functools.partial(signal.setitimer, signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("step_ms", [15, 100])
def test_signals_are_looked_at_before_results_are_handed_out(alarm, step_ms):
    """The calling thread may run the environment itself, and wait for nothing."""
    with make("Sleeping", 1, num_threads=1, step_ms=step_ms) as pool:
        pool.reset()
        pool.step(np.zeros(1, int))
        with pytest.raises(AlarmError):
            alarm(0.005)
            pool.step(np.zeros(1, int))
        assert pool.recv()[0].tolist() == [[2]]
        assert pool.step(np.zeros(1, int))[0].tolist() == [[3]]


def test_stable_baselines3_resets_after_an_interruption(alarm):
    pytest.importorskip("stable_baselines3")
    env = importlib.import_module("envpool.sb3").VecEnv("testing/Sleeping-v0", 2, step_ms=15)
    env.reset()
    with pytest.raises(AlarmError):
        alarm(0.005)
        env.step(np.zeros(2, int))
    with pytest.raises(ResetNeeded, match="interrupted"):
        env.step_wait()
    with pytest.raises(ResetNeeded, match="interrupted"):
        env.step(np.zeros(2, int))
    assert env.reset().max() == 0
    assert env.step(np.zeros(2, int))[0].max() == 1
    env.close()


@pytest.mark.slow
def test_a_changed_option_changes_the_cost():
    """What has become slow is no longer run by the calling thread, which must notice Ctrl-C."""
    assert_runs(
        """
from envpool.tasks.gymnasium_makers import make_vector_env
env = make_vector_env("testing/Sleeping-v0", 4, num_threads=4)
env.reset()
for _ in range(300):
    env.step(np.zeros(4, int))
env.set_attr("step_ms", 1500)
assert_notices_ctrl_c(lambda: env.step(np.zeros(4, int)), within=0.5)
""",
        attempts=3,
    )


@pytest.mark.parametrize("batch_size", [N, 2])
@pytest.mark.parametrize("in_flight", [0, N])
@pytest.mark.one_in(4)
def test_threads_end_with_the_pool(batch_size, in_flight):
    """Closed, collected or the last reference deleted, with results in flight too."""
    before = count_threads()
    for end in ("close", "delete", "collect"):
        pool = make("Counting", N, batch_size=batch_size, num_threads=3)
        pool.async_reset()
        for _ in range((N - in_flight) // batch_size):
            pool.recv()
        assert count_threads() == before + 3
        if end == "close":
            pool.close()
        elif end == "collect":
            pool.itself = pool
        del pool
        assert count_threads() == before, end


def test_collection_while_environments_run():
    before = count_threads()
    pool = make("Sleeping", N, num_threads=2, step_ms=100)
    pool.reset()
    pool.send(np.zeros(N, int))
    del pool
    assert count_threads() == before


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("runtime_error", "failed on purpose in step"),
        ("bad_alloc", "std::bad_alloc"),
        ("number", "an exception that is no std::exception"),
    ],
)
def test_all_that_environments_can_throw(error, message):
    """What follows, test_pools.py has for all kinds of pools."""
    pool = make("Failing", N, error=error, place=["step"] + ["never"] * 3)
    pool.reset()
    pool.step(np.zeros(N, int))
    with pytest.raises(EnvironmentFailure) as caught:
        pool.step(np.zeros(N, int))
    assert (caught.value.env_ids, caught.value.messages) == ([0], [message])
    assert caught.value.results[0].tolist() == [[2], [2], [2]]


@pytest.mark.parametrize("batch_size", [N, 2])
@pytest.mark.parametrize("num_threads", [1, 4])
def test_all_environments_fail_at_once(batch_size, num_threads):
    pool = make("Failing", N, batch_size=batch_size, num_threads=num_threads, place="reset")
    pool.async_reset()
    failed = []
    for _ in range(N // batch_size):
        with pytest.raises(EnvironmentFailure) as caught:
            pool.recv()
        failed += caught.value.env_ids
        assert caught.value.results[0].shape == (0, 1)
    assert sorted(failed) == list(range(N))


def test_failing_constructors_leave_nothing_behind():
    before = count_threads()
    places = ["never"] * 3 + ["constructor"]
    for _ in range(100):
        with pytest.raises(RuntimeError, match="failed on purpose in constructor"):
            make("Failing", N, place=places, num_threads=3)
    with pytest.raises(MemoryError):
        make("Failing", N, place=places, error="bad_alloc")
    assert count_threads() == before


def test_too_little_memory():
    """Far too many environments are a MemoryError, and the process goes on."""
    assert_runs("""
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**30, resource.RLIM_INFINITY))
for mode in ("NextStep", "SameStep"):
    options = dict(num_envs=4_000_000, autoreset_mode=mode)
    refuses(lambda: make("Counting", **options), error=MemoryError)
assert make("Counting").reset()[0].shape == (4, 1)
""")


@pytest.mark.slow
def test_no_memory_for_a_batch():
    """The refused reset has changed nothing: neither what it would have reset nor the others."""
    assert_runs("""
import resource
from envpool.tasks.gymnasium_makers import make_vector_env
n = 120_000  # a batch takes more than malloc may have reserved for a thread
env = make_vector_env("testing/Picture-v0", n, seed=1)
kept = [env.reset()]  # in use, so that every call needs new memory
mask = np.arange(n) == 0
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**20, hard))
refuses(lambda: env.reset(seed=7, options={"reset_mask": mask}), error=MemoryError)
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
env.step(np.zeros(n, int))
assert set(env.get_attr("elapsed_step")) == {1}
""")


@pytest.mark.long
def test_threads_that_cannot_be_started_while_somebody_waits():
    assert_runs("""
import resource
pool = make("Counting", num_threads=512, batch_size=2)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
timeouts = []
def wait():
    try:
        pool.recv(timeout=2)
    except TimeoutError as error:
        timeouts.append(error)
receiver = threading.Thread(target=wait)
receiver.start()
time.sleep(0.2)
# For some of the threads, whose stacks take 2**23 each, and half a stack for what they begin with.
resource.setrlimit(resource.RLIMIT_AS, (used + 2**31 + 2**22, hard))
refuses(pool.async_reset, "Resource temporarily unavailable")
receiver.join()
assert len(timeouts) == 1
""")


def test_threads_that_cannot_be_started():
    """The call fails as if it had not been made, and a later one succeeds."""
    assert_runs("""
import re, resource
pool = make("Counting", num_threads=64)
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
# For some of the threads, whose stacks take 2**23 each, and half a stack for what they begin with.
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26 + 2**22, hard))
try:
    pool.reset()
except RuntimeError as error:
    told = r"num_threads is 64, but only (\\d+) threads .*unavailable.*: lower num_threads"
    assert 0 <= int(re.fullmatch(told, str(error))[1]) < 64, error
else:
    raise AssertionError
assert count_threads() == THREADS
resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
assert pool.reset()[0].shape == (4, 1)
assert count_threads() == THREADS + 64
""")


@pytest.mark.slow
def test_timeout_behind_another_receiver():
    pool = make("Counting", N, batch_size=2)

    def wait() -> None:
        with pytest.raises(TimeoutError):
            pool.recv(timeout=1.5)

    other = threading.Thread(target=wait)
    other.start()
    time.sleep(0.1)
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        pool.recv(timeout=0.1)
    assert time.monotonic() - start < 1.0
    other.join()


def test_other_threads_run_while_an_option_changes():
    env = make_vector_env("testing/Sleeping-v0", 4, num_threads=2)
    env.reset()
    slow = threading.Thread(target=env.set_attr, args=("create_ms", 400))
    slow.start()
    start = time.monotonic()
    for _ in range(10):
        env.stats()
        env.get_attr("step_ms")
        env.step(np.zeros(4, int))
    assert time.monotonic() - start < 0.6  # it takes 0.8 s, two at a time
    slow.join()
    assert env.get_attr("create_ms") == (400.0,) * 4


def test_threads_that_share_a_pool():
    """Calls of several threads are serialised or refused; every result goes to one of them."""
    pool = make("Counting", 8, batch_size=2, num_threads=2, episode_length=10**6)
    pool.async_reset()
    received = []
    end = time.monotonic() + 0.4

    def work() -> None:
        while time.monotonic() < end:
            try:
                obs, *_, info = pool.recv(timeout=0.1)
            except TimeoutError:
                continue
            received.append((info["env_id"], obs[:, 0]))
            pool.send(np.zeros(2, int), info["env_id"])

    def disturb() -> None:
        while time.monotonic() < end:
            for call in (pool.stats, pool.get_state, pool.async_reset):
                with contextlib.suppress(RuntimeError):  # some environment is running
                    call()

    in_threads(work, work, work, disturb)
    for env_id in range(8):
        steps = np.sort(np.concatenate([obs[ids == env_id] for ids, obs in received]))
        assert len(steps) > 10
        # Each observation came out once, whoever got it.
        np.testing.assert_array_equal(steps, np.arange(len(steps)))


def test_close_from_many_threads():
    for _ in range(20):
        pool = make("Counting", N, batch_size=2, num_threads=2)
        pool.async_reset()
        in_threads(*[pool.close] * 4)
        assert pool.reset()[0].shape == (2, 1)
