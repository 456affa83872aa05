"""What ``render_mode="human"`` shows: in all flavours, without a display, without OpenCV."""

import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from canvas import FLAVOURS, N, actions, make, make_one, make_vec, paint, states_of, strict
from envpool.render import window
from helpers import assert_runs, refused


def on_screen(screen):
    """The picture in the only window, RGB."""
    (picture,) = screen.windows.values()
    return picture[:, :, ::-1]


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_window(env_type, screen):
    pool = make(env_type=env_type, render_mode="human", render_env_id=1)
    states = states_of(pool.reset())
    states = states_of(pool.step(actions()))
    assert screen.windows == {}  # here only render() shows anything
    assert pool.render() is None
    np.testing.assert_array_equal(on_screen(screen), paint(states[1]))
    assert screen.waits == 1
    for ids in (3, [3], np.array([3])):
        assert pool.render(ids, camera_id=2) is None
        np.testing.assert_array_equal(on_screen(screen), paint(states[3], camera=2))
    refused(ValueError, "env_ids has 2 entries, expected 1", pool.render, [0, 1])
    refused(ValueError, "env_ids has 0 entries, expected 1", pool.render, [])
    refused(ValueError, "env_id", pool.render, 9)
    assert "testing/Canvas-v0" in next(iter(screen.windows))
    pool.close()
    assert screen.windows == {}
    pool.close()
    pool.render()
    np.testing.assert_array_equal(on_screen(screen), paint(states[1]))
    screen.windows.clear()  # as if the user had closed it
    pool.close()


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self):
        self.now = 100.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds


def test_a_window_has_the_pace_of_its_task(screen, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(window, "time", clock)
    pool = make(render_mode="human", fps=20.0)
    pool.reset()
    pool.render()
    assert clock.now == 100.0  # nobody waits for the first
    for count in range(1, 4):
        pool.step(actions())
        pool.render()
        assert clock.now == pytest.approx(100.0 + count / 20)
    clock.now += 7.0  # who is late does not catch up
    pool.render()
    assert clock.now == pytest.approx(107.15)
    pool.render()
    assert clock.now == pytest.approx(107.20)


@pytest.mark.parametrize("fps", [None, 0])
def test_a_task_without_time_has_no_pace(fps, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(window, "time", clock)
    pace = window.Pace(fps)
    for _ in range(5):
        pace.wait()
    assert clock.now == 100.0


def test_two_pools_have_two_windows(screen):
    pools = [make(render_mode="human") for _ in range(2)]
    for pool in pools:
        pool.reset()
        pool.render()
    assert len(screen.windows) == 2
    pools[0].close()
    assert len(screen.windows) == 1


def test_receiving_shows_nothing(screen):
    pool = make(batch_size=2, render_mode="human")
    pool.async_reset()
    pool.recv(reset=True)
    assert screen.shown == 0


@strict
def test_vector_env_shows_itself(screen):
    env = make_vec(render_mode="human", render_env_id=2)
    assert env.render_mode == "human"
    refused(ResetNeeded, "reset", env.render)
    states, _ = env.reset()
    np.testing.assert_array_equal(on_screen(screen), paint(states[2]))
    for count in range(2, 12):
        states = env.step(actions())[0]
        np.testing.assert_array_equal(on_screen(screen), paint(states[2]))
        assert screen.shown == count
    states, _ = env.reset(options={"reset_mask": np.arange(N) == 2})
    np.testing.assert_array_equal(on_screen(screen), paint(states[2]))
    assert env.render() is None
    env.close()
    assert screen.windows == {}


@strict
def test_single_env_shows_itself(screen):
    env = make_one(render_mode="human")
    state, _ = env.reset()
    np.testing.assert_array_equal(on_screen(screen), paint(state))
    state = env.step(0)[0]
    np.testing.assert_array_equal(on_screen(screen), paint(state))
    assert env.render() is None
    env.close()
    assert screen.windows == {}


def test_no_opencv(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    monkeypatch.setitem(sys.modules, "cv2", None)
    pool = make(render_mode="human")
    pool.reset()
    refused(ImportError, r'OpenCV: pip install "envpool-next\[render\]"', pool.render)
    pool.step(actions())
    pool.close()


def test_opencv_without_windows(screen, monkeypatch):
    def imshow(*_):
        raise screen.error("The function is not implemented. Rebuild the library with GTK+")

    monkeypatch.setattr(screen, "imshow", imshow)
    pool = make(render_mode="human")
    pool.reset()
    match = r'unlike opencv-python-headless: .*pip install "envpool-next\[render\]" \(The function'
    refused(ImportError, match, pool.render)
    pool.close()


def test_the_installed_opencv_without_windows(monkeypatch):
    monkeypatch.delenv("SDL_VIDEODRIVER", raising=False)
    cv2 = pytest.importorskip("cv2")
    build = cv2.getBuildInformation()
    if any(
        f"{name}:" in build and "YES" in build.split(f"{name}:")[1][:40] for name in ("QT", "GTK+")
    ):
        pytest.skip("it has windows")
    monkeypatch.setenv("DISPLAY", ":0")
    pool = make(render_mode="human")
    pool.reset()
    refused(ImportError, "unlike opencv-python-headless", pool.render)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such variables")
def test_no_display(screen, monkeypatch):
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    pool = make(render_mode="human")
    pool.reset()
    with pytest.warns(RuntimeWarning, match="needs a display, .*neither DISPLAY nor WAYLAND_DISP"):
        pool.render()
    pool.render()  # it is said once
    assert screen.shown == 0
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    pool.render()
    monkeypatch.setattr(screen, "currentUIFramework", lambda: "QT5")
    refused(RuntimeError, "needs a display: DISPLAY is not set", pool.render)
    for nowhere in (":2147", "unix:2147.0", "localhost:59000.0", "nothing"):
        monkeypatch.setenv("DISPLAY", nowhere)
        refused(RuntimeError, f"nothing answers at DISPLAY={nowhere}", pool.render)
    assert screen.shown == 1


@pytest.mark.parametrize("driver", ["dummy", "offscreen"])
@pytest.mark.parametrize("display", ["", ":0"])
def test_an_invisible_window_needs_nothing(driver, display, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setitem(sys.modules, "cv2", None)
    clock = Clock()
    monkeypatch.setattr(window, "time", clock)
    pool = make(render_mode="human")
    pool.reset()
    pool.render()
    pool.render()
    assert clock.now == pytest.approx(100.04)  # the pace of a window that is seen
    pool.close()


@strict
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore:render_mode 'human':RuntimeWarning")
@pytest.mark.parametrize("driver", [None, "dummy", "offscreen"])
@pytest.mark.parametrize("task_id", ["CartPole-v1", "FrozenLake-v1", "Ant-v5"])
def test_gymnasiums_checker_makes_the_environment_in_each_mode(
    task_id, driver, monkeypatch, request
):
    if task_id == "Ant-v5":
        request.getfixturevalue("opengl")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    if driver is not None:
        monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    env = gymnasium.make(f"envpool/{task_id}")
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    check_env(env.unwrapped)
    env.close()


def test_opencv_is_only_loaded_for_a_window():
    assert_runs(
        """
import gymnasium.vector, gymnasium.wrappers
before = "cv2" in sys.modules  # old versions of Gymnasium load it
pool = make("Canvas", render_mode="rgb_array")
pool.reset()
pool.render()
pool.close()
assert ("cv2" in sys.modules) == before
"""
    )
