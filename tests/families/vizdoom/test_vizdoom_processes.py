"""The processes of ViZDoom's engines: how they start, what ends them, and what is left of them."""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from helpers import HANG_S, assert_same_results, begun, output_of, run_python
from vizdoom_oracle import engines, is_there

PROGRAM = """
import numpy as np
import envpool
pool = envpool.make("Basic-v1", num_envs=3)
pool.reset()
try:
    print("ready", flush=True)
    while True:
        pool.step(np.zeros((3, 3)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    try:
        pool.step(np.zeros((3, 3)))
    except RuntimeError:  # it came in the last step, whose results are there
        pool.recv()
        pool.step(np.zeros((3, 3)))
    print("played", flush=True)
"""


def comes_true(condition):
    """Waits until it does."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def ended(pids):
    return comes_true(lambda: not any(map(is_there, pids)))


def left_in_shared_memory():
    """The names there that no process uses; upstream's own environments keep and use theirs."""
    names = set(Path("/dev/shm").glob("ViZDoom*"))
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with contextlib.suppress(OSError):  # it has ended
            text = maps.read_text("utf-8", "replace")
            names = {name for name in names if str(name) not in text}
    return names


@pytest.fixture(autouse=True)
def _nothing_left_in_shared_memory():
    """For long: engines of tests that run beside this one start and end all the time."""
    before = left_in_shared_memory()
    yield
    left = left_in_shared_memory() - before

    def is_gone():
        left.intersection_update(left_in_shared_memory() if left else ())
        return not left

    assert comes_true(is_gone), left


@pytest.fixture
def started():
    """Tells which engines this process has started in the test, and that have not ended."""
    gc.collect()
    before = set(engines())
    return lambda: [pid for pid in engines() if pid not in before]


@pytest.fixture
def program():
    """A process of its own that steps three environments."""
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_they_end_with_the_pool(started):
    pool = begun(envpool.make("Basic-v1", num_envs=2))
    pids = started()
    assert len(pids) == 2
    pool.close()
    assert started() == []
    assert ended(pids)


def test_they_end_when_the_pool_is_collected(started):
    pool = begun(envpool.make("Basic-v1"))
    pids = started()
    del pool
    assert ended(pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_they_end_with_their_process(program, number):
    """Also if it had no time to end them."""
    pids = engines(program.pid)
    assert len(pids) == 3
    os.killpg(program.pid, number)
    program.wait(HANG_S)
    assert ended(pids)


def test_ctrl_c_reaches_us_and_not_them(program):
    pids = engines(program.pid)
    os.killpg(program.pid, signal.SIGINT)  # as a terminal does
    assert program.stdout.readline() == "interrupted\n"
    assert program.stdout.readline() == "played\n"
    assert program.wait(HANG_S) == 0
    assert ended(pids)


@pytest.mark.parametrize("env_id", [0, 1])
def test_an_engine_that_is_killed(env_id, started):
    """A failure of that environment, which a reset mends; the next episode is the seed's next."""
    pool = envpool.make("Basic-v1", num_envs=2, num_threads=1, seed=7)
    unhurt = envpool.make("Basic-v1", num_envs=2, num_threads=1, seed=7)
    pool.reset()
    pids = started()
    unhurt.reset()
    os.kill(pids[env_id], signal.SIGKILL)
    with pytest.raises(EnvironmentFailure, match="ViZDoom") as caught:
        pool.step(np.zeros((2, 3)))
    assert len(caught.value.env_ids) == 1
    ours, theirs = pool.reset()[0], unhurt.reset()[0]
    np.testing.assert_array_equal(ours, theirs)
    ours, theirs = pool.reset()[0], unhurt.reset()[0]
    np.testing.assert_array_equal(ours, theirs)


def test_killed_engines_and_on_failure(started):
    pool = begun(envpool.make("Basic-v1", num_envs=2, on_failure="reset"))
    os.kill(started()[0], signal.SIGKILL)
    with pytest.warns(RuntimeWarning, match="ViZDoom"):
        *_, truncated, info = pool.step(np.zeros((2, 3)))
    assert truncated.sum() == 1
    assert "ViZDoom" in info["failure"][truncated][0]
    for _ in range(3):
        pool.step(np.zeros((2, 3)))
    assert len(started()) == 2


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("DefendTheLine-v1", {}),  # where the player dies
        ("VizdoomBasic-v1", {"max_episode_steps": 9}),
        ("HealthGathering-v1", {"episodic_life": True, "game_args": "-host 1"}),  # the game goes on
    ],
)
def test_an_engine_that_is_killed_before_a_reset(task_id, options, started):
    """A new one begins that episode or life, and nothing has failed; nor does anything later."""
    options = options | {"num_envs": 1, "seed": 3}
    pool, unhurt = (envpool.make(task_id, "gymnasium", **options) for _ in range(2))
    pool.reset()
    (pid,) = started()
    unhurt.reset()
    action = np.zeros((1, *pool.action_space.shape), pool.action_space.dtype)
    ends = 0
    while ends < 3:
        ours, theirs = pool.step(action), unhurt.step(action)
        assert_same_results(ours, theirs)
        if ours[2][0] or ours[3][0]:
            ends += 1
            if ends == 1:
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("engine", ["/bin/false", "/bin/true", __file__])
def test_engines_that_do_not_start(engine):
    """The library alone would end the process here with a segmentation fault."""
    pool = envpool.make("Basic-v1", num_envs=2, vzd_path=engine)
    with pytest.raises(EnvironmentFailure, match="ViZDoom's engine has not started"):
        pool.reset()


def test_a_forked_child_leaves_them_alone():
    done = run_python("""
import contextlib
import gc
import os
import numpy as np
import envpool
pool = envpool.make("Basic-v1", num_envs=2)
pool.reset()
child = os.fork()
if child == 0:
    del pool
    gc.collect()
    other = envpool.make("Basic-v1")
    other.reset()
    other.step(np.zeros((1, 3)))
    raise SystemExit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
pool.step(np.zeros((2, 3)))
print("played")
""")
    assert (done.returncode, done.stdout) == (0, "played\n"), done.stderr


def test_nothing_is_written_where_we_are(tmp_path):
    """The engine itself makes a folder and a file of settings wherever it is."""
    output_of(f"""
import os
import envpool
os.chdir({str(tmp_path)!r})
envpool.make("Basic-v1").reset()
""")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["a link", "open to all"])
def test_a_working_folder_that_others_may_write_to(kind, tmp_path, monkeypatch, capfd):
    folder = tmp_path / f"envpool-vizdoom-{os.getuid()}"
    own = tmp_path / "own"
    (own if kind == "a link" else folder).mkdir()
    if kind == "a link":
        folder.symlink_to(own)
    else:
        folder.chmod(0o777)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match="ViZDoom's engine has not started"):
        envpool.make("Basic-v1").reset()
    assert str(folder) in capfd.readouterr().err
    assert list(own.iterdir() if kind == "a link" else folder.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a mount")
@pytest.mark.parametrize(
    ("mount", "match"),
    [("-o size=64k", "65536 bytes are left of the 361472"), ("-o ro", "has not started: Failed")],
)
def test_without_shared_memory(mount, match):
    """The first use of memory that is not there would end the process."""
    program = """
import envpool
try:
    envpool.make("Basic-v1").reset()
except envpool.EnvironmentFailure as failure:
    print(failure)
"""
    shell = f'mount -t tmpfs {mount} tmpfs /dev/shm && exec "$0" -c "$1"'
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", shell, sys.executable, program],
        capture_output=True, text=True, timeout=HANG_S, check=False,
    )  # fmt: skip
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(done.stderr)
    assert match in done.stdout


@pytest.fixture
def group():
    """A control group of ours, in which a number of threads and processes may be."""
    for root in (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup")):
        folder = root / f"envpool-test-{os.getpid()}"
        with contextlib.suppress(OSError):
            folder.mkdir()
            if (folder / "pids.max").exists():
                break
            folder.rmdir()
    else:
        pytest.skip("needs a control group of its own for processes")
    yield folder
    assert comes_true(lambda: not (folder / "cgroup.procs").read_text())
    folder.rmdir()


@pytest.mark.slow
@pytest.mark.parametrize("most", [10, 11, 12])
def test_without_room_for_processes(most, group):
    """ViZDoom's library does not notice that it could make none: it would wait for ever."""
    program = f"""
import contextlib, os, envpool
from pathlib import Path
pools = [envpool.make("Basic-v1", num_envs=3, num_threads=3) for _ in range(2)]
group = Path("{group}")
(group / "cgroup.procs").write_text(str(os.getpid()))
(group / "pids.max").write_text("{most}")
for pool in pools:
    with contextlib.suppress(envpool.EnvironmentFailure, RuntimeError):
        pool.reset()
print("ended", flush=True)
os._exit(0)
"""
    assert "ended" in run_python(program, OPENBLAS_NUM_THREADS="1").stdout


@pytest.mark.long
def test_many_at_once(started):
    pool = begun(envpool.make("Basic-v1", num_envs=100))
    pids = started()
    assert len(pids) == 100
    for _ in range(20):
        pool.step(np.zeros((100, 3)))
    pool.close()
    assert ended(pids)
