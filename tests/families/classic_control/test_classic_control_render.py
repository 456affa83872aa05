"""Classic control is drawn by Gymnasium's own renderers, pixel for pixel."""

import sys
import tracemalloc
from functools import partial

import gymnasium
import numpy as np
import pytest

from envpool.families.classic_control import drawing as classic_drawing
from envpool.render import drawing
from helpers import assert_same_bytes, begun, in_threads, make, output_of, random_actions
from pictures import assert_draws_as_upstream
from test_classic_control import (
    TASKS,
    balance,
    pump_acrobot,
    pump_car,
    pump_car_continuous,
    strong,
    swing_up,
)

pygame = pytest.importorskip("pygame")


@pytest.mark.parametrize(
    ("task_id", "policy", "steps", "every"),
    [
        ("CartPole-v1", balance, 540, 20),
        ("MountainCar-v0", pump_car, 240, 6),
        ("MountainCarContinuous-v0", pump_car_continuous, 240, 6),
        ("MountainCarContinuous-v0", strong, 60, 3),
        ("Acrobot-v1", pump_acrobot, 240, 6),
        ("Pendulum-v1", strong, 230, 6),
        ("Pendulum-v1", swing_up, 230, 6),
    ],
)
@pytest.mark.slow
@pytest.mark.one_in(4)
def test_through_episodes(task_id, policy, steps, every):
    ended = assert_draws_as_upstream(task_id, TASKS[task_id], steps, policy=policy, every=every)
    assert ended > 0 or policy is strong


@pytest.mark.parametrize("task_id", sorted(set(TASKS.values())))
def test_the_renderer_gets_the_very_state(task_id):
    """Its dtype as well, in which NumPy computes coordinates; few pictures show the difference."""
    pool = make(task_id, 1, render_mode="rgb_array")
    env = gymnasium.make(task_id, render_mode="rgb_array").unwrapped
    pool.reset(seed=5)
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(4):
        pool.render()
        (drawer,) = pool._camera._painter._drawers.values()
        for name in ("state", "last_u"):
            ours, theirs = (getattr(each, name, None) for each in (drawer.env, env))
            assert (ours is None) == (theirs is None)
            if theirs is not None:
                assert_same_bytes(np.asarray(ours), np.asarray(theirs), name)
        actions = random_actions(pool, rng)
        pool.step(actions)
        env.step(actions[0])


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "Acrobot-v1"])
@pytest.mark.one_in(2)
def test_reset_options(task_id):
    options = {
        "CartPole-v1": {"low": -0.2, "high": 0.2},
        "Pendulum-v1": {"x_init": 0.5, "y_init": 2.0},
        "MountainCar-v0": {"low": -1.1, "high": 0.4},
        "Acrobot-v1": {"low": -3.0, "high": 3.0},
    }[task_id]
    assert_draws_as_upstream(task_id, TASKS[task_id], 10, reset_options=options)


def test_the_pole_is_as_long_as_its_option_says():
    lengths = [0.25, 0.5, 0.5]

    def make_theirs(i):
        env = gymnasium.make("CartPole-v1", render_mode="rgb_array")
        env.unwrapped.length = lengths[i]
        env.unwrapped.polemass_length = 0.1 * lengths[i]
        return env

    assert_draws_as_upstream("CartPole-v1", make_theirs, 30, options={"length": lengths})


def test_one_drawer_for_equal_options(monkeypatch):
    made = []

    class Counted(classic_drawing.CartPoleDrawer):
        def __init__(self, options):
            made.append(options["length"])
            super().__init__(options)

    monkeypatch.setitem(classic_drawing.DRAWERS, "CartPole", Counted)
    pool = begun(make("CartPole-v1", 4, render_mode="rgb_array", length=[0.5, 1.0, 0.5, 1.0]))
    assert made == []
    for _ in range(3):
        pool.render([0, 1, 2, 3])
    assert made == [0.5, 1.0]
    pool.close()
    pool.reset()
    pool.render([1])
    assert made == [0.5, 1.0, 1.0]


def test_drawers_that_are_kept_have_a_limit():
    count = 40
    lengths = [0.1 + 0.01 * i for i in range(count)]
    pool = begun(make("CartPole-v1", count, render_mode="rgb_array", length=lengths))
    first = pool.render(pool.all_env_ids)
    assert len(pool._camera._painter._drawers) == drawing._MOST_DRAWERS
    np.testing.assert_array_equal(pool.render(pool.all_env_ids), first)


# --- sizes ------------------------------------------------------------------------------------


def resized(size):
    pool = make("CartPole-v1", 2, render_mode="rgb_array", width=size[0], height=size[1])
    pool.reset(seed=1)
    return pool.render([0, 1])


@pytest.mark.parametrize("size", [(3000, 2000), (2999, 2000)])
def test_pictures_are_scaled_in_pieces(size):
    """One long call for all of a picture would keep Ctrl-C waiting, and need it twice."""
    width, height = size
    pool = make("CartPole-v1", 1, render_mode="rgb_array", render_width=width, render_height=height)
    pool.reset()
    pool.render()
    tracemalloc.start()
    picture = pool.render()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.3 * picture.nbytes


def test_whole_multiples_repeat_pixels():
    own = resized((600, 400))
    twice = resized((1200, 800))
    np.testing.assert_array_equal(twice, own.repeat(2, 1).repeat(2, 2))
    np.testing.assert_array_equal(resized((600, 1200)), own.repeat(3, 1))
    assert twice.flags.c_contiguous


@pytest.mark.parametrize("size", [(300, 200), (64, 64), (599, 401), (1, 1), (900, 600)])
def test_other_sizes_are_smooth(size):
    own, frames = resized((600, 400)), resized(size)
    assert frames.shape == (2, size[1], size[0], 3)
    for frame, picture in zip(frames, own, strict=True):
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        expected = pygame.surfarray.array3d(pygame.transform.smoothscale(surface, size))
        np.testing.assert_array_equal(frame, expected.swapaxes(0, 1))


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("camera", [0, 3])
def test_there_is_one_view(camera):
    pool = begun(make("CartPole-v1", 2, render_mode="rgb_array"))
    match = f"environment 1 was not rendered: camera_id is {camera}, expected -1, its only view"
    with pytest.raises(ValueError, match=match):
        pool.render([1, 0], camera_id=camera)
    assert pool.render([1], camera_id=-1).shape == (1, 400, 600, 3)


# --- states -----------------------------------------------------------------------------------


def test_the_picture_follows_a_changed_option():
    env = begun(gymnasium.make_vec("envpool/CartPole-v1", 2, render_mode="rgb_array"), seed=1)
    short = env.render()
    env.set_attr("length", [0.5, 1.0])
    changed = env.render()
    np.testing.assert_array_equal(changed[0], short[0])
    assert (changed[1] != short[1]).any()


# --- what else happens in the process ---------------------------------------------------------


def test_threads_draw_the_same():
    lengths = [0.3, 0.5, 0.5, 0.7] * 3
    pool = begun(make("CartPole-v1", 12, render_mode="rgb_array", length=lengths))
    expected = pool.render(pool.all_env_ids)
    drawn = {}

    def draw(first):
        ids = [first, first + 4, first + 8]
        for _ in range(20):
            drawn[first] = pool.render(ids)
            np.testing.assert_array_equal(drawn[first], expected[ids])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        in_threads(*[partial(draw, first) for first in range(4)])
    finally:
        sys.setswitchinterval(interval)
    assert len(drawn) == 4


def test_a_users_own_window_stays():
    output_of(
        """
import envpool, pygame
pygame.init()
window = pygame.display.set_mode((64, 48))
window.fill((1, 2, 3))
pool = envpool.make("Acrobot-v1", "gymnasium", num_envs=2, render_mode="rgb_array")
pool.reset()
pool.render([0, 1])
pool.close()
del pool
assert pygame.display.get_surface() is window
assert window.get_at((0, 0)) == (1, 2, 3)
""",
        SDL_VIDEODRIVER="dummy",
        SDL_AUDIODRIVER="dummy",
    )
