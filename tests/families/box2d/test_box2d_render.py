"""Pools draw Box2D's tasks as Gymnasium does, pixel for pixel."""

import importlib

import gymnasium
import numpy as np
import pytest

from envpool.families.box2d.drawing import DRAWERS
from helpers import begun, make, random_actions
from pictures import assert_draws_as_upstream, upstream_of
from test_box2d import Heuristics, land

pytest.importorskip("pygame")
pytest.importorskip("Box2D")

LANDERS = ["LunarLander-v3", "LunarLanderContinuous-v3"]
WALKERS = ["BipedalWalker-v3", "BipedalWalkerHardcore-v3"]


@pytest.mark.parametrize(
    ("task_id", "steps", "num_envs", "seed"),
    [
        (LANDERS[0], 100, 2, 8),
        (WALKERS[0], 125, 1, 1),
        (LANDERS[1], 100, 2, 50),
        (WALKERS[1], 125, 1, 50),
    ],
)
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_random_actions(task_id, steps, num_envs, seed):
    """Through crashes, with all engines and their smoke; long enough for each ray to be redrawn."""
    ended = assert_draws_as_upstream(task_id, task_id, steps, num_envs=num_envs, seed=seed)
    assert ended >= 2 or task_id in WALKERS


# --- LunarLander ------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", LANDERS)
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_lander_in_the_wind(task_id):
    options = {"enable_wind": True, "wind_power": 20.0, "turbulence_power": 2.0}
    upstream = upstream_of(task_id, **options)
    ended = assert_draws_as_upstream(task_id, upstream, 130, num_envs=1, options=options)
    assert ended > 0


def thrust(obs, rng):
    """Full throttle, which carries the lander out of the picture."""
    return np.full((len(obs), 2), [1.0, 0.0], np.float32)


@pytest.mark.parametrize(
    ("task_id", "policy", "steps", "ends"),
    [(LANDERS[0], land, 420, 1), (LANDERS[1], thrust, 250, 0)],
)
@pytest.mark.long
def test_lander_lands_and_leaves(task_id, policy, steps, ends):
    """Until it rests between the flags, which leaves smoke on the ground."""
    ended = assert_draws_as_upstream(task_id, task_id, steps, policy=policy, num_envs=1, seed=3)
    assert ended >= ends


@pytest.mark.parametrize("every", [2, 7])
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_smoke_ages_whether_it_is_drawn_or_not(every):
    """The picture is the one of an episode of which each step was drawn."""
    drawn, skipped = (
        begun(make("LunarLander-v3", 2, render_mode="rgb_array"), seed=4) for _ in range(2)
    )
    rng = np.random.default_rng(0)
    for step in range(60):
        actions = random_actions(drawn, rng)
        drawn.step(actions)
        skipped.step(actions)
        frames = drawn.render([0, 1])
        np.testing.assert_array_equal(drawn.render([0, 1]), frames)
        if step % every == 0:
            np.testing.assert_array_equal(skipped.render([0, 1]), frames)


# --- BipedalWalker ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "factor", "steps", "every"),
    [
        (WALKERS[0], -1.0, 160, 4),  # falls
        (WALKERS[1], 1.0, 400, 10),
        (WALKERS[1], -1.0, 160, 4),
        (WALKERS[0], 1.0, 400, 10),  # far enough for the view to scroll
    ],
)
@pytest.mark.one_in(2)
def test_walker_falls_and_walks(task_id, factor, steps, every):
    upstream, policy = upstream_always_drawn(task_id), Heuristics(1, factor)
    ended = assert_draws_as_upstream(
        task_id, upstream, steps, policy=policy, num_envs=1, every=every
    )
    assert ended > 0 or factor > 0


def upstream_always_drawn(task_id):
    """Gymnasium's environments, whose renderer counts what it drew as if that was each step."""

    class Counting(gymnasium.Wrapper):
        def reset(self, **kwargs):
            self._steps = 0
            return super().reset(**kwargs)

        def step(self, action):
            self._steps += 1
            return super().step(action)

        def render(self):
            self.unwrapped.lidar_render = self._steps % 100
            return super().render()

    return lambda _: Counting(gymnasium.make(task_id, render_mode="rgb_array"))


def scene_of(pool):
    (scene,) = pool._pool.describe(np.zeros(1, np.int32))
    return scene


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.one_in(2)
def test_all_of_a_hardcore_terrain(seed):
    """The ground, its obstacles and the clouds, from the start to the end."""
    pool = make("BipedalWalkerHardcore-v3", 1)
    env = gymnasium.make("BipedalWalkerHardcore-v3", render_mode="rgb_array").unwrapped
    for each in (pool, env):
        each.reset(seed=seed)
    scene = scene_of(pool)
    drawer = DRAWERS["BipedalWalker"]({"hardcore": True})
    for scroll in np.arange(-3.0, 80.0, 9.7):
        env.scroll = scene["scroll"][0] = scroll
        env.lidar_render = 50
        scene["lidar_render"][0] = 51
        np.testing.assert_array_equal(drawer.draw(scene), env.render())
    assert scene["obstacles"].size > 8


@pytest.mark.parametrize("task_id", WALKERS)
def test_rays_are_exact(task_id):
    """Both ends in Gymnasium's precision, of which pictures show whole pixels only."""
    pool = make(task_id, 1)
    env = gymnasium.make(task_id)
    for each in (pool, env):
        each.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(40):
        rays = scene_of(pool)["lidar"].reshape(10, 4)
        expected = [[*ray.p1, *ray.p2] for ray in env.unwrapped.lidar]
        np.testing.assert_array_equal(rays, expected)
        actions = random_actions(pool, rng)
        pool.step(actions)
        env.step(actions[0])


def test_walkers_on_different_terrain_share_a_drawer():
    pool = make("BipedalWalkerHardcore-v3", 2, render_mode="rgb_array")
    pool.reset(seed=[1, 2])
    first = pool.render([0, 1])
    np.testing.assert_array_equal(pool.render([1, 0]), first[::-1])
    assert (first[0] != first[1]).any()


# --- CarRacing --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1200, 900), (1000, 801), (400, 900)])
def test_car_racing_larger_than_it_draws(size):
    """As pygame's backend without assembler, which is the same on all processors, enlarges it."""
    draws = {
        size: make(
            "CarRacing-v3", 1, render_mode="rgb_array", render_width=size[0], render_height=size[1]
        )
        for size in ((1000, 800), size)
    }
    frames = {}
    for each, pool in draws.items():
        pool.reset(seed=3)
        frames[each] = pool.render()[0]
    pygame = importlib.import_module("pygame")
    surface = pygame.surfarray.make_surface(frames[1000, 800].swapaxes(0, 1))
    before = pygame.transform.get_smoothscale_backend()
    pygame.transform.set_smoothscale_backend("GENERIC")
    try:
        expected = pygame.surfarray.array3d(pygame.transform.smoothscale(surface, size))
    finally:
        pygame.transform.set_smoothscale_backend(before)
    assert frames[size].shape == (*size[::-1], 3)
    # What is made smaller at the same time is rounded otherwise; see smooth_scale.h.
    difference = np.abs(frames[size].astype(int) - expected.swapaxes(0, 1))
    assert difference.max() <= (0 if min(size) >= 800 else 2)
