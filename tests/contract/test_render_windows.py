"""What ``render_mode="human"`` shows: in all flavours, without a display, without pygame."""

import sys
from unittest import mock

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from canvas import FLAVOURS, N, actions, make, make_one, make_vec, paint, states_of, strict
from envpool.render import window
from helpers import assert_runs, refused

pygame = pytest.importorskip("pygame")


@pytest.mark.parametrize("env_type", FLAVOURS)
def test_window(env_type, screen):
    pool = make(env_type=env_type, render_mode="human", render_env_id=1)
    states = states_of(pool.reset())
    states = states_of(pool.step(actions()))
    assert not screen.is_open  # here only render() shows anything
    assert pool.render() is None
    np.testing.assert_array_equal(screen.picture, paint(states[1]))
    for ids in (3, [3], np.array([3])):
        assert pool.render(ids, camera_id=2) is None
        np.testing.assert_array_equal(screen.picture, paint(states[3], camera=2))
    refused(ValueError, "env_ids has 2 entries, expected 1", pool.render, [0, 1])
    refused(ValueError, "env_ids has 0 entries, expected 1", pool.render, [])
    refused(ValueError, "env_id", pool.render, 9)
    assert "testing/Canvas-v0" in screen.title
    pool.close()
    assert not screen.is_open
    pool.close()
    pool.render()
    np.testing.assert_array_equal(screen.picture, paint(states[1]))
    pool.close()


def test_a_window_has_the_pace_of_its_task(screen):
    pool = make(render_mode="human", fps=20.0)
    pool.reset()
    for _ in range(3):
        pool.render()
    assert screen.fps == [20, 20]  # nobody waits for the first


@pytest.mark.parametrize("fps", [None, 0])
def test_a_task_without_time_has_no_pace(screen, fps):
    shown = window.Window("without a pace", fps)
    shown.open((1, 1))
    shown.wait()
    assert screen.fps == [0]


def test_two_pools_share_the_window(screen):
    """A process has one, as with Gymnasium."""
    pools = [make(render_mode="human", seed=seed) for seed in (1, 2)]
    states = [states_of(pool.reset())[0] for pool in pools]
    for number in (0, 1, 0):
        pools[number].render()
        np.testing.assert_array_equal(screen.picture, paint(states[number]))
    pools[1].close()
    assert screen.is_open
    pools[0].close()
    assert not screen.is_open


def test_a_window_of_which_the_size_changes(screen):
    shown = window.Window("of several sizes")
    for size in ((3, 2), (3, 2), (5, 4)):
        picture = np.random.default_rng(1).integers(256, size=(*size[::-1], 3), dtype=np.uint8)
        shown.open(size)
        shown.show(picture)
        np.testing.assert_array_equal(screen.picture, picture)
    shown.close()


def test_somebody_closes_the_window(screen):
    pool = make(render_mode="human")
    pool.reset()
    pool.render()
    screen.close()
    pool.render()
    assert not screen.is_open
    pool.render()  # the next picture opens it again
    assert screen.is_open
    pool.close()


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
    np.testing.assert_array_equal(screen.picture, paint(states[2]))
    for count in range(2, 12):
        states = env.step(actions())[0]
        np.testing.assert_array_equal(screen.picture, paint(states[2]))
        assert screen.shown == count
    states, _ = env.reset(options={"reset_mask": np.arange(N) == 2})
    np.testing.assert_array_equal(screen.picture, paint(states[2]))
    assert env.render() is None
    env.close()
    assert not screen.is_open


@strict
def test_single_env_shows_itself(screen):
    env = make_one(render_mode="human")
    state, _ = env.reset()
    np.testing.assert_array_equal(screen.picture, paint(state))
    state = env.step(0)[0]
    np.testing.assert_array_equal(screen.picture, paint(state))
    assert env.render() is None
    env.close()
    assert not screen.is_open


def test_without_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    pool = make(render_mode="human")
    pool.reset()
    refused(ImportError, r'pygame: pip install "envpool-next\[render\]"', pool.render)
    pool.step(actions())
    pool.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a display of their own")
def test_no_display(screen, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    pool = make(render_mode="human")
    pool.reset()
    with pytest.warns(RuntimeWarning, match="needs a display: SDL found .*; render_mode 'rgb_arr"):
        pool.render()
    pool.render()  # it is said once
    assert screen.shown == 2


def test_windows_that_are_too_large(screen, monkeypatch):
    """Which size that is depends on the display."""
    refuse = mock.Mock(side_effect=pygame.error("too large"))
    monkeypatch.setattr(pygame.display, "set_mode", refuse)
    pool = make(render_mode="human")
    pool.reset()
    refused(RuntimeError, "no window of 32 x 24 pixels: too large", pool.render)


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


def test_pygame_is_only_loaded_for_a_window():
    assert_runs(
        """
pool = make("Canvas", render_mode="rgb_array")
pool.reset()
pool.render()
pool.close()
assert "pygame" not in sys.modules
"""
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_window_loads_no_opengl():
    """Beside Mesa's compiler, that of PyTorch's Triton would crash."""
    assert_runs(
        """
os.environ["SDL_VIDEODRIVER"] = "offscreen"
pool = make("Canvas", render_mode="human")
pool.reset()
pool.render()
assert "libEGL" not in open("/proc/self/maps").read()
"""
    )
