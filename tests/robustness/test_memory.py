"""Pools when memory is short: an exception says so, and with memory again they go on."""

import pytest

from helpers import PREAMBLE, run_python

PROGRAM = """
import ctypes, resource, warnings

warnings.simplefilter("ignore")
NUM_ENVS = 16

def limit(left):
    # Allows so many bytes more than the process has now; None for as many as there are.
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (most if left is None else used + left, most))

def attempt(call):
    try:
        return call()
    except (MemoryError, OSError, RuntimeError, ValueError):
        return None  # the last are of what failed before, as an environment that was not reset

def live(pool, actions):
    for _ in range(2):
        attempt(pool.reset)
        for _ in range(3):
            attempt(lambda: pool.step(actions))
        state = attempt(pool.get_state)
        if state:
            attempt(lambda: pool.set_state(state))

def check(task, left):
    def make():
        return envpool.make(task, "gymnasium", num_envs=NUM_ENVS, num_threads=2, seed=1)
    undisturbed = make()
    undisturbed.reset()
    sample = undisturbed.action_space.sample
    actions = np.array([sample() for _ in range(NUM_ENVS)])
    pool, running = make(), make()
    running.reset()
    for begin in (lambda: pool, lambda: running, make):
        ctypes.CDLL(None).malloc_trim(0)
        limit(left)
        tried = attempt(begin)
        if tried is not None:
            live(tried, actions)
        limit(None)
        if tried is not None:
            tried.reset()
            undisturbed.reset()
            tried.set_state(undisturbed.get_state())
            for ours, theirs in zip(tried.step(actions), undisturbed.step(actions)):
                if isinstance(ours, np.ndarray):
                    assert ours.tobytes() == theirs.tobytes()
            tried.close()
"""
CALLS = """
for kilobytes in LEVELS:
    check(TASK, kilobytes * 1024)
"""


def run(task_id: str, levels: list[int]) -> None:
    done = run_python(f"{PREAMBLE}{PROGRAM}LEVELS, TASK = {levels}, {task_id!r}\n{CALLS}")
    assert (done.returncode, done.stderr) == (0, "")


# The levels are in kilobytes, and less than a thread's stack takes. A thread that begins when there
# is a little more may find nothing for what the C library keeps of it, which then ends the process.
@pytest.mark.parametrize("task_id", ["LunarLander-v3", "BipedalWalkerHardcore-v3"])
@pytest.mark.one_in(2)
def test_little_memory(task_id):
    run(task_id, [100, 1000, 4000])


FAST = ["Acrobot-v1", "Blackjack-v1", "FrozenLake-v1", "LunarLanderContinuous-v3", "Reacher-v5"]
SLOW = ["CarRacing-v3", "Humanoid-v5", "Pong-v5"]


@pytest.mark.long
@pytest.mark.parametrize("task_id", SLOW)
@pytest.mark.parametrize("level", [0, 500, 1000, 3000, 7000])
def test_little_memory_of_slow_ones(task_id, level):
    run(task_id, [level])


@pytest.mark.long
@pytest.mark.parametrize("task_id", FAST)
def test_little_memory_of_any_size(task_id):
    run(task_id, [*range(0, 2000, 200), *range(2000, 8000, 500)])
