"""What is left of pools when they are gone: nothing."""

import functools
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from envpool.errors import EnvironmentFailure
from envpool.workers.pool_side.pool import PythonPool
from pools import actions, counters, opened, pool_options, started
from test_pool import Other
from worker_envs import Counter, fail, hang, kill_itself

# What programs here begin with; they tell the pids of their workers on standard output.
PREAMBLE = """
import functools, os, signal, sys, threading, time
import numpy as np
from envpool.workers.pool_side.pool import PythonPool
from pools import pool_options
from worker_envs import Telling, hang, nap

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)

def take_files():
    os.closerange(3, 1000)
    files = [os.open("/dev/null", os.O_RDWR) for _ in range(30)]
    time.sleep(1000)

def open_pool(method="spawn", **commands):
    factory = functools.partial(Telling, **commands)
    return PythonPool([factory] * 2, pool_options(2, 2, num_workers=2, start_method=method))

def tell(pool):
    print(*pool.call("pid"), flush=True)

zeros = np.zeros(2)
"""


def snapshot():
    """The children, open files and mappings of this process."""
    gc.collect()
    children = [entry.read_text() for entry in Path("/proc/self/task").glob("*/children")]
    entries = list(Path("/proc/self/fd").iterdir())  # one of them was open for that
    descriptors = sorted(str(entry.readlink()) for entry in entries if entry.is_symlink())
    mappings = Path("/proc/self/maps").read_text()
    return "".join(children).split(), descriptors, mappings.count("memfd:envpool")


def by_close():
    with started(counters()) as pool:
        pool.step(actions(0, 0, 0, 0), None)
        pool.close()


def by_close_without_workers():
    with started(counters(), num_workers=0) as pool:
        pool.step(actions(0, 0, 0, 0), None)


def by_close_amid_steps():
    with started(counters(act1=hang)) as pool:
        pool.send(actions(0, -1, 0, 0), None)
        pool.close(timeout=0.05)


def by_termination():
    with opened() as pool:
        pool.close(terminate=True)


def by_collection():
    pool = PythonPool([Counter] * 2, pool_options(2, 2, num_workers=2, start_method="fork"))
    pool.reset(None, [], None, False)
    del pool
    gc.collect()


def by_a_constructor():
    with pytest.raises(EnvironmentFailure):
        opened([Counter, Counter, fail]).__enter__()


def by_restarts():
    with opened(counters(act1=kill_itself)) as pool:
        for _ in range(2):
            pool.reset(None, [], None, False)
            with pytest.raises(EnvironmentFailure):
                pool.step(actions(0, -1, 0, 0), None)


def by_other_spaces():
    with pytest.raises(ValueError, match="action_space"):
        opened([Counter, Other]).__enter__()


ENDS = (
    by_close,
    by_close_without_workers,
    by_close_amid_steps,
    by_termination,
    by_collection,
    by_a_constructor,
    by_restarts,
    by_other_spaces,
)


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("times", [1, pytest.param(100, marks=pytest.mark.long)])
def test_nothing_is_left_here(end, times):
    end()
    before = snapshot()
    for _ in range(times):
        end()
    assert snapshot() == before


def run(program, **kwargs):
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        **kwargs,
    )


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # who reaps orphans may take its time


def assert_all_end(pids):
    """Waits until none of them runs any more. One that never ends lets the test fail as hanging."""
    while any(map(is_alive, pids)):
        time.sleep(0.01)


EXITS = {
    "nothing is closed": "",
    "a step is in flight": "pool.send(zeros, None)",
    "a step hangs": "pool.call('commands'); pool.set_attr('commands', [{'step': hang}] * 2); "
    "pool.send(zeros, None); time.sleep(0.1)",
    "a daemon thread waits": """
pool.set_attr('commands', [{'step': hang}] * 2)
threading.Thread(target=pool.step, args=(zeros, None), daemon=True).start()
time.sleep(0.1)
""",
    "an exception": "raise SystemExit(0)",
    "a child that forked off ends first": """
if os.fork() == 0:
    sys.exit(0)
os.wait()
pool.step(zeros, None)
""",
    "closing hangs": "pool.set_attr('commands', [{'close': hang}] * 2)",
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("program", EXITS.values(), ids=EXITS)
def test_exits_leave_nothing(program):
    process = run(
        f"pool = open_pool('fork'); tell(pool); pool.reset(None, [], None, False)\n{program}"
    )
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert_all_end([int(pid) for pid in output.split()])


DEATHS = {
    "idle": ("time.sleep(60)", "spawn"),
    "amid steps": ("while True: pool.step(zeros, None)", "fork"),
    "while a step hangs": (
        "pool.set_attr('commands', [{'step': hang}] * 2); pool.step(zeros, None)",
        "spawn",
    ),
    "while workers are stopped": (
        "pool.set_attr('commands', [{'step': stop}] * 2); pool.step(zeros, None)",
        "forkserver",
    ),
    "while forked workers are stopped": (
        "pool.set_attr('commands', [{'step': stop}] * 2); pool.step(zeros, None)",
        "fork",
    ),
    "after environments have taken all files": (
        "pool.set_attr('commands', [{'step': take_files}] * 2); pool.step(zeros, None)",
        "spawn",
    ),
    "with a child that lives on": (
        "if os.fork() == 0: time.sleep(3); os._exit(0)\ntime.sleep(60)",
        "fork",
    ),
}


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize(("program", "method"), DEATHS.values(), ids=DEATHS)
def test_deaths_of_the_parent_leave_nothing(program, method, sent):
    process = run(
        f"pool = open_pool({method!r}); pool.reset(None, [], None, False); tell(pool)\n{program}"
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) == 2
    time.sleep(0.1)
    process.send_signal(sent)
    process.wait(timeout=10)
    assert_all_end(pids)
    process.stdout.close()


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_interrupts(method):
    """Ctrl-C goes to the whole group; workers leave it to the parent."""
    process = run(
        f"""
        pool = open_pool({method!r}, reset=nap)
        try:
            tell(pool)
            while True:
                pool.reset(None, [], None, False)
        except KeyboardInterrupt:
            pool.native.discard()
            pool.reset(None, [], None, False)
            pool.close()
            print("closed", flush=True)
        """,
        process_group=0,
    )
    pids = [int(pid) for pid in process.stdout.readline().split()]
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout.read() == "closed\n"
    process.stdout.close()
    assert process.wait(timeout=10) == 0
    assert_all_end(pids)


@pytest.mark.slow
@pytest.mark.parametrize("times", [8, pytest.param(30, marks=pytest.mark.long)])
def test_interrupted_constructors(times):
    """Whether it starts the processes just then, or waits for them."""

    def interrupt(delay):
        time.sleep(delay)
        os.kill(os.getpid(), signal.SIGINT)

    before = snapshot()
    for delay in np.linspace(0, 0.04, times):
        thread = threading.Thread(target=interrupt, args=(delay,))
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            opened([hang, Counter]).__enter__()
        thread.join()
    assert snapshot() == before


def test_a_forked_child_cannot_use_the_pool():
    with started() as pool:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for call in (
                    lambda: pool.step(actions(0, 0, 0, 0), None),
                    lambda: pool.reset(None, [], None, False),
                    lambda: pool.call("length"),
                ):
                    with pytest.raises(RuntimeError, match="before the process forked"):
                        call()
                pool.close()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        pool.step(actions(0, 0, 0, 0), None)
        assert pool.call("length") == [5] * 4


def _open_numbers():
    numbers = (int(file.name) for file in Path("/proc/self/fd").iterdir())
    return sorted(number for number in numbers if number > 2)


def _open_others(folder):
    """Closes the worker's files, and opens some that get their numbers."""
    last = _open_numbers()[-1]
    os.closerange(3, last + 1)
    for number in range(3, last + 1):
        os.open(folder / str(number), os.O_RDWR | os.O_CREAT)


def _put_others_in_their_places(folder):
    numbers = _open_numbers()
    other = os.open(folder / "other", os.O_RDWR | os.O_CREAT)
    for number in numbers:
        os.dup2(other, number)


class Thief(Counter):
    """Has files in the places of the worker's."""

    def __init__(self, steal, folder, when):
        sys.stderr = None  # pytest's has a file in such a place, too
        super().__init__(**{when: functools.partial(steal, folder)})


@pytest.mark.parametrize("when", ["act1", "reset"])
@pytest.mark.parametrize("steal", [_open_others, _put_others_in_their_places])
def test_nothing_is_written_to_the_files_of_environments(steal, when, tmp_path):
    thief = functools.partial(Thief, steal, tmp_path, when)
    with opened([Counter, Counter, thief, thief], num_workers=2) as pool:
        with pytest.raises(EnvironmentFailure, match=r"worker 1 .* exited with status 1") as caught:
            pool.reset(None, [], None, False)
            pool.step(actions(1, 1, -1, -1), None)
        assert set(caught.value.to_reset or [2, 3]) <= {2, 3}
        assert pool.call("length", env_ids=[0, 1]) == [5, 5]
        assert {file.stat().st_size for file in tmp_path.iterdir()} == {0}
        if when != "reset":
            pool.reset([2, 3], [], None, False)
            pool.step(actions(1, 1, 1, 1), None)
