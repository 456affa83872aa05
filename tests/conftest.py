"""Fixtures that several test modules share."""

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from envpool.errors import left_out
from envpool.oracles.opengl import find_backend
from helpers import GYMNASIUM, HANG_S, Screen, Twins

# A shell's background job ignores Ctrl-C, and so would the programs that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# They test what Gymnasium does since version 1.4.
NEWER = ["flavours/test_single_env.py", "flavours/test_vector_env.py"]
LEFT_OUT = left_out()
collect_ignore = NEWER if GYMNASIUM < (1, 4) else []
collect_ignore += [f"families/{family.removesuffix('_gym')}" for family in LEFT_OUT]


def pytest_report_header() -> str:
    """Says which tests are not collected because their families were not built."""
    return f"without the tests of {', '.join(LEFT_OUT)}: ENVPOOL_FAMILIES" if LEFT_OUT else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker per core, up to four; none for single tests, which end before workers start."""
    if all("::" in argument for argument in config.args):
        return 0
    return min(4, len(os.sched_getaffinity(0)))


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Makes tests long, of those that are marked one_in(n). Alone, each is for every day."""
    seen: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None:
            test = item.nodeid.partition("[")[0]
            # Another one of each n, or else a second parameter might always have the same value.
            n = mark.args[0]
            if seen[test] % n != seen[test] // n % n:
                item.add_marker(pytest.mark.long)
            seen[test] += 1


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """Millions of objects live until the end: nobody is to look through them for garbage again."""
    gc.disable()
    yield
    gc.enable()
    gc.freeze()


@pytest.fixture(autouse=True)
def _hangs_fail() -> Iterator[None]:
    """Ends a test that hangs. All waits of a pool can be interrupted by a signal."""

    def fail(*_: object) -> None:
        pytest.fail(f"hangs: not done after {HANG_S} s")

    before = signal.signal(signal.SIGALRM, fail)
    # Once more for each attempt of Hypothesis to make it hang again.
    signal.setitimer(signal.ITIMER_REAL, HANG_S, HANG_S / 10)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def cartpoles() -> Twins:
    return Twins("CartPole-v1")


@pytest.fixture
def pendulums() -> Twins:
    return Twins("Pendulum-v1")


@pytest.fixture
def scratch_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of the test's own, for what writes files wherever it is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """What windows show, which nobody sees."""
    screen = Screen(monkeypatch)
    yield screen
    screen.quit()


@pytest.fixture
def opengl(monkeypatch: pytest.MonkeyPatch) -> str:
    """Skips the test where nothing can be drawn; otherwise sees to it that all draw alike."""
    backend, reason = find_backend()
    if not backend:
        pytest.skip(f"needs offscreen OpenGL: {reason}")
    monkeypatch.setenv("MUJOCO_GL", backend)
    return backend
