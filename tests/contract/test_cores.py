"""How many threads and processes there are where nobody says it."""

import os
from pathlib import Path

import pytest

import envpool
from envpool.machine import VARIABLE, cores, demanded, usable_cores
from envpool.spec.option_values import PYTHON
from envpool.vector.arguments import choose_workers
from envpool.workers.options import PoolOptions
from helpers import assert_runs, run_python

HERE = len(os.sched_getaffinity(0))


def write(root: Path, files: dict[str, str]) -> Path:
    """Fakes the system's files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.fsencode(text))
    return root


def cores_by(root: Path) -> int:
    """How many cores there are by the faked files."""
    return usable_cores(root / "proc", root / "sys/fs/cgroup")


@pytest.fixture
def sixteen_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)))


# --- control groups ---------------------------------------------------------------------------

V1_LINES = "12:memory:/docker/a1\n4:cpu,cpuacct:/docker/a1\n1:name=systemd:/docker/a1\n"
QUOTA, PERIOD = "cpu.cfs_quota_us", "cpu.cfs_period_us"
# What the process's file says of its groups, the files of groups, and how many cores these allow.
QUOTAS = {
    "no control groups": ("", {}, 16),
    "a container's namespace": ("0::/\n", {"cpu.max": "400000 100000\n"}, 4),
    "a name that is no UTF-8": ("0::/\udcff\n", {"\udcff/cpu.max": "3 1\n"}, 3),
    "no limit": ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n"}, 16),
    "the group around it has less": (
        "0::/a/b\n",
        {"a/cpu.max": "300000 100000\n", "a/b/cpu.max": "900000 100000\n"},
        3,
    ),
    "others' groups do not count": (
        "0::/a\n",
        {"a/cpu.max": "100000 100000\n", "a/o/cpu.max": "1 1\n", "o/cpu.max": "50000 100000\n"},
        1,
    ),
    "one and a half": ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
    "a hundredth": ("0::/\n", {"cpu.max": "1000 100000\n"}, 1),
    "more than cores": ("0::/\n", {"cpu.max": "9900000 100000\n"}, 16),
    "outside of the namespace": ("0::/../../x\n", {"cpu.max": "200000 100000\n"}, 2),
    "nonsense": ("0::/\nnonsense\n\n::", {"cpu.max": "much\n"}, 16),
    "version 1": (
        V1_LINES,
        {f"cpu/docker/a1/{QUOTA}": "250000\n", f"cpu/docker/a1/{PERIOD}": "50000\n"},
        5,
    ),
    "version 1 in a container, which does not see the path": (
        V1_LINES,
        {f"cpu,cpuacct/{QUOTA}": "200000\n", f"cpu,cpuacct/{PERIOD}": "100000\n"},
        2,
    ),
    "version 1 without a limit": (
        V1_LINES,
        {f"cpu/docker/a1/{QUOTA}": "-1\n", f"cpu/docker/a1/{PERIOD}": "100000\n"},
        16,
    ),
    "version 1 with a period of nothing": (
        V1_LINES,
        {f"cpu/{QUOTA}": "100000\n", f"cpu/{PERIOD}": "0\n"},
        16,
    ),
    "both versions": (
        V1_LINES + "0::/docker/a1\n",
        {
            f"cpu/docker/a1/{QUOTA}": "600000\n",
            f"cpu/docker/a1/{PERIOD}": "100000\n",
            "unified/docker/a1/cpu.max": "700000 100000\n",
        },
        6,
    ),
}


@pytest.mark.usefixtures("sixteen_cores")
@pytest.mark.parametrize(("own", "groups", "expected"), QUOTAS.values(), ids=QUOTAS)
def test_quotas(tmp_path, own, groups, expected):
    files = {f"sys/fs/cgroup/{name}": text for name, text in groups.items()}
    assert cores_by(write(tmp_path, files | {"proc/self/cgroup": own})) == expected


def test_affinity(monkeypatch, tmp_path):
    quota = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "400000 100000\n"}
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5})
    assert cores_by(write(tmp_path, quota)) == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert cores_by(tmp_path) == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores_by(tmp_path) == 1


def test_this_machine(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert 1 <= cores() == usable_cores() <= HERE


# --- the variable -----------------------------------------------------------------------------


def test_the_variable_decides(monkeypatch):
    monkeypatch.setenv(VARIABLE, "7")
    assert demanded() == cores() == 7
    monkeypatch.delenv(VARIABLE)
    assert demanded() is None


@pytest.mark.parametrize(
    "value", ["", "0", "00", "-1", "+2", "2.0", "1e1", "four", " 2", "1_0", "٣", "4097", "9" * 5000]
)
def test_what_is_no_number_is_refused(monkeypatch, value):
    monkeypatch.setenv(VARIABLE, value)
    makers = [
        lambda: envpool.make("CartPole-v1", "gymnasium"),
        lambda: envpool.make("CartPole-v1", "gymnasium", num_threads=1),
        lambda: envpool.make_python("CartPole-v1", num_envs=2),
    ]
    for make in makers:
        with pytest.raises(ValueError, match=f"{VARIABLE} is .*, expected an integer from 1") as e:
            make()
        assert len(str(e.value)) < 400
    monkeypatch.setenv(VARIABLE, "2")
    envpool.make("CartPole-v1", "gymnasium").close()


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ({"num_envs": 8}, 3),
        ({"num_envs": 2}, 2),
        ({"num_envs": 8, "batch_size": 2}, 2),
        ({"num_envs": 8, "num_threads": 5}, 5),
    ],
)
def test_threads(monkeypatch, shape, expected):
    monkeypatch.setenv(VARIABLE, "3")
    with envpool.make("CartPole-v1", "gymnasium", **shape) as pool:
        assert len(pool.stats().worker_busy) == expected


def test_processes(monkeypatch):
    def workers_of(**options):
        return PoolOptions.of(PYTHON.settle(options)).workers()

    monkeypatch.setenv(VARIABLE, "3")
    assert workers_of(num_envs=8) == [0, 0, 0, 1, 1, 1, 2, 2]
    assert workers_of(num_envs=2) == [0, 1]
    assert workers_of(num_envs=2, num_workers=1) == [0, 0]


@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("20", 16)])
def test_processes_of_async_vector_env(monkeypatch, value, expected):
    monkeypatch.setenv(VARIABLE, value)
    assert choose_workers(16, None, 1, None) == (expected, 1)
    assert choose_workers(16, 4, 1, None) == (4, 1)


# --- one thread: the caller's -----------------------------------------------------------------


def test_one_means_no_thread_but_the_callers():
    assert_runs("""
import gymnasium
from envpool.tasks.gymnasium_makers import make_vector_env
os.environ["ENVPOOL_NUM_THREADS"] = "1"
pools = [make("Counting", 8), make("Counting", 8, num_threads=1), make("Counting", 1)]
pools[0].async_reset()
pools[0].recv(reset=True)
for pool in pools:
    pool.reset()
    for _ in range(20):
        pool.step(np.zeros(pool.num_envs, np.int32))
    assert pool.stats().worker_busy == ()
    assert pool.stats().caller_busy > 0
singles = [gymnasium.make("envpool/CartPole-v1") for _ in range(3)]
vector = make_vector_env("CartPole-v1", num_envs=8)
for env in (*singles, vector):
    env.reset()
    env.step(env.action_space.sample())
    env.unwrapped.set_state(env.unwrapped.get_state())
assert count_threads() == THREADS, count_threads()

# Who wants more gets more, and so does a pool that cannot do without.
two = make("Counting", 8, num_threads=2)
two.reset()
assert count_threads() == THREADS + 2, count_threads()
asynchronous = make("Counting", 8, batch_size=4)
asynchronous.async_reset()
assert count_threads() == THREADS + 3, count_threads()
""")


@pytest.mark.slow
def test_the_caller_runs_what_takes_long_and_notices_ctrl_c():
    assert_runs(
        """
os.environ["ENVPOOL_NUM_THREADS"] = "1"
pool = make("Sleeping", 30, step_ms=25.0)
pool.reset()
actions = np.zeros(30, np.int32)
assert latency_of_ctrl_c(lambda: pool.step(actions)) < 0.5, "late"  # between two environments
assert len(pool.recv()[1]) == 30  # the rest, and all of them are there
pool.async_reset()
try:
    pool.recv(timeout=0.0)
except TimeoutError:
    pass
pool.recv(reset=True)
pool.send(actions)
pool.close()  # what waits is forgotten
pool.reset()
pool.step(actions)
assert count_threads() == THREADS, count_threads()
""",
        attempts=3,
    )


def test_close_by_another_thread():
    assert_runs(
        """
os.environ["ENVPOOL_NUM_THREADS"] = "1"
pool = make("Sleeping", 100, step_ms=30.0)
pool.reset()
closer = threading.Timer(0.1, pool.close)
closer.start()
refuses(lambda: pool.step(np.zeros(100, np.int32)), "the pool was closed")
closer.join()
"""
    )


def test_import_does_not_read_the_variable():
    assert run_python("import envpool, envpool.machine", **{VARIABLE: "nonsense"}).returncode == 0
