"""Pools draw toy_text as Gymnasium does, pixel for pixel; two tasks have pictures of our own."""

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

from helpers import begun, make, random_actions
from pictures import assert_draws_as_upstream, upstream_of

pytest.importorskip("pygame")

OWN = ["NChain-v0", "Catch-v0"]
SQUARE_OF_9 = generate_random_map(9, seed=1)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("FrozenLake-v1", {}),
        ("FrozenLake-v1", {"map_name": "8x8"}),
        ("FrozenLake-v1", {"desc": ["SFFFFFFFFFFG", "FFFFFFHFFFFF"], "is_slippery": False}),
        ("FrozenLake-v1", {"desc": SQUARE_OF_9}),
        ("FrozenLake-v1", {"desc": ["SHGS"], "success_rate": 0.8}),
        ("CliffWalking-v1", {"is_slippery": True}),
        ("Taxi-v4", {"is_rainy": True}),
        ("Taxi-v4", {"fickle_passenger": True, "fickle_probability": 1.0}),
        ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True}),
        ("Blackjack-v1", {"natural": True, "sab": False}),
    ],
    ids=str,
)
@pytest.mark.one_in(5)
def test_options(task_id, options):
    assert_draws_as_upstream(
        task_id, upstream_of(task_id, **options), 40, num_envs=1, options=options
    )


_TAXI = gymnasium.make("Taxi-v4").unwrapped


def drive(obs, rng):
    """Fetches passengers and brings them to where they want to go."""
    return np.array([_best_taxi_action(_TAXI, int(state)) for state in obs])


def _best_taxi_action(env, state):
    """The first action of a shortest way to what has to be done next."""
    row, column, passenger, destination = env.decode(state)
    goal = env.locs[destination if passenger == 4 else passenger]
    if (row, column) == goal:
        return 5 if passenger == 4 else 4
    ways, seen = [(state, None)], {state}
    for here, first in ways:
        if tuple(list(env.decode(here))[:2]) == goal:
            return first
        for action in range(4):
            there = env.P[here][action][0][1]
            if there not in seen:
                seen.add(there)
                ways.append((there, action if first is None else first))
    raise AssertionError(f"no way from {state}")


@pytest.mark.long
def test_passengers_are_driven():
    ended = assert_draws_as_upstream("Taxi-v4", upstream_of("Taxi-v4"), 60, policy=drive)
    assert ended > 3


@pytest.mark.parametrize("task_id", OWN)
def test_own_pictures(task_id):
    """They show the state: no two observations have the same one."""
    pool = make(task_id, 3, render_mode="rgb_array")
    rng = np.random.default_rng(0)
    obs, _ = pool.reset(seed=1)
    shown = {}
    for _ in range(100):
        frames = pool.render(pool.all_env_ids)
        assert frames.shape[1:] == (*pool.spec.pictures.size[::-1], 3)
        for row, frame in zip(obs, frames, strict=True):
            assert shown.setdefault(frame.tobytes(), row.tobytes()) == row.tobytes()
        obs = pool.step(random_actions(pool, rng))[0]
    assert len(shown) >= 5


@pytest.mark.parametrize(
    ("task_id", "options", "size"),
    [
        ("Catch-v0", {"height": 3, "width": 4}, (192, 144)),
        ("FrozenLake-v1", {"desc": SQUARE_OF_9}, (512, 512)),
        ("Catch-v0", {"height": 21, "width": 2}, (90, 945)),
        ("Catch-v0", {"height": 1000, "width": 700}, (700, 1000)),
        ("FrozenLake-v1", {"desc": ["SG"]}, (128, 64)),
        ("FrozenLake-v1", {"desc": ["S", "F", "G"]}, (64, 192)),
        ("FrozenLake8x8-v1", {}, (512, 512)),
    ],
    ids=str,
)
def test_sizes_follow_options(task_id, options, size):
    pool = begun(make(task_id, 2, render_mode="rgb_array", **options))
    assert pool.spec.pictures.size == size
    assert pool.render([0, 1]).shape == (2, *size[::-1], 3)
