"""What pools of Meta-World's tasks have besides upstream's bits, of which only files are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from envpool.families import metaworld
from envpool.families.mujoco import engine
from helpers import LACKS, assert_same_results

LACK = LACKS["envpool.families.metaworld"]
pytestmark = pytest.mark.skipif(bool(LACK), reason=LACK)

REACH, HAMMER = "MetaWorld/Reach-v3", "MetaWorld/Hammer-v3"


def actions_of(pool: Any, steps: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.uniform(-1, 1, (steps, pool.num_envs, 4)).astype(np.float32)


def test_resets_do_not_tell_of_the_past():
    """A reset after a long episode is that of an environment with the same generator."""
    pool, other = (envpool.make_gymnasium(HAMMER, num_envs=1, seed=3) for _ in range(2))
    for each, steps in ((pool, 1), (other, 30)):
        each.reset()
        for action in actions_of(each, steps):
            each.step(action)
    assert_same_results(pool.reset()[0], other.reset()[0])


def test_infos_of_both_dialects():
    pool = envpool.make_gymnasium(REACH, num_envs=2)
    info = pool.reset()[1]
    assert info["success"].dtype == np.float64 and not info["success"].any()
    assert info["task_id"].tolist() == [43, 43]
    *_, info = pool.step(actions_of(pool, 1)[0])
    assert (info["obj_to_target"] > 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task_name": "reach-v2"}, "task_name is 'reach-v2', expected"),
        (
            {"task_vectors": [0.0, 0.6]},
            "task_vectors has 2 numbers, expected 6 for each vector of reach-v3",
        ),
        ({"task_vectors": [float("nan")] * 6}, "task_vectors is .*, expected finite numbers"),
        ({"random_low": None}, "random_low is None"),
        ({"least_distance": "far"}, "least_distance is 'far'"),
        ({"task_name": 3}, "task_name is 3"),
        ({"random_low": [0.0] * 3}, "random_low has 3 numbers, expected 6 for reach-v3"),
        ({"random_low": [1.0] * 6}, "random_low has 1 where random_high has 0.1, expected no more"),
        ({"least_distance": -2}, "least_distance is -2"),
        ({"task_select": "none"}, "task_select is 'none', expected 'random' or 'pseudorandom'"),
        ({"one_hot_size": 3, "one_hot_index": 3}, "one_hot_index is 3, expected less than one_hot"),
        ({"partially_observable": 2}, "partially_observable"),
        ({"frame_skip": 0}, "frame_skip is 0, expected 1 <= frame_skip"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        envpool.make_gymnasium(REACH, **options).reset()


def test_places_that_are_too_near_are_refused():
    """Upstream would draw them again for ever."""
    pool = envpool.make_gymnasium(REACH, task_vectors=[0.0, 0.6, 0.02, 0.0, 0.6, 0.02])
    with pytest.raises(EnvironmentFailure, match="for reach-v3 that are too near to each other"):
        pool.reset()
    pool = envpool.make_gymnasium(REACH, least_distance=2.0)
    with pytest.raises(EnvironmentFailure, match="found no places in 100000 attempts for reach-v3"):
        pool.reset()


def test_ranges_of_random_numbers():
    """Both ends are options."""
    low, high = [0.0, 0.6, 0.02, -0.05, 0.85, 0.1], [0.0, 0.6, 0.02, 0.05, 0.85, 0.2]
    pool = envpool.make_gymnasium(
        REACH, num_envs=8, random_low=low, random_high=high, partially_observable=False
    )
    obs = pool.reset()[0]
    goals = obs[:, -3:]
    assert np.array_equal(obs[:, 4:6], np.tile([0.0, 0.6], (8, 1)))
    assert (goals >= low[3:]).all() and (goals <= high[3:]).all()
    assert np.unique(goals[:, 0]).size == 8


def test_vectors_of_a_list_are_taken_in_turn():
    """Each once before any comes again, and only by resets that ask for it."""
    vectors = [[0.0, 0.6, 0.02, 0.01 * i, 0.85, 0.2] for i in range(4)]
    pool = envpool.make_gymnasium(
        REACH,
        task_vectors=np.ravel(vectors).tolist(),
        partially_observable=False,
        task_select="pseudorandom",
        sample_tasks_on_reset=False,
    )
    first = [pool.reset()[0][0, -3] for _ in range(2)]
    assert first[0] == first[1]
    seen = [pool.reset(options={"sample_task": True})[0][0, -3] for _ in range(7)]
    assert len({first[0], *seen[:3]}) == len(set(seen[3:])) == 4


def test_goals_by_their_numbers():
    """A vector that a reset has chosen stays as any does, and takes no other one's turn."""
    vectors = [[0.0, 0.6, 0.02, 0.01 * i, 0.85, 0.2] for i in range(4)]
    options = {"partially_observable": False, "task_vectors": np.ravel(vectors).tolist()}
    turns = {"task_select": "pseudorandom", "sample_tasks_on_reset": False}
    pool, other = (envpool.make_gymnasium(REACH, seed=1, **options, **turns) for _ in range(2))
    for goal in (2, 0):
        assert pool.reset(options={"goal": goal})[0][0, -3] == 0.01 * goal
        assert pool.reset()[0][0, -3] == 0.01 * goal
    for _ in range(5):
        sampled = [each.reset(options={"sample_task": True})[0] for each in (pool, other)]
        assert np.array_equal(*sampled)
    with pytest.raises(EnvironmentFailure, match="goal is 4, expected less than 4, the number of"):
        pool.reset(options={"goal": 4})
    with pytest.raises(ValueError, match="goal is -2, expected -1 <= goal"):
        pool.reset(options={"goal": -2})
    pool = envpool.make_gymnasium(REACH)
    with pytest.raises(EnvironmentFailure, match="goal is 0, expected -1: there are no task_vec"):
        pool.reset(options={"goal": 0})


def test_success_may_end_episodes():
    """Of a target that is where the fingers begin."""
    vector = [0.0, 0.7, 0.02, 0.0, 0.6, 0.15]
    pool = envpool.make_gymnasium(
        REACH, task_vectors=vector, least_distance=0.05, terminate_on_success=True
    )
    pool.reset()
    _, _, terminated, _, info = pool.step(np.zeros((1, 4), np.float32))
    assert terminated[0] and info["success"][0] == 1.0


def test_an_unknown_task_is_told():
    with pytest.raises(KeyError, match="MetaWorld/Reach-v3"):
        envpool.make_gymnasium("MetaWorld/Reach-v2")


def test_the_mujoco_that_upstream_asks_for_is_told(monkeypatch):
    for module in (metaworld, engine):
        monkeypatch.setattr(module, "installed", lambda: "3.3.0")
    with pytest.raises(
        ImportError,
        match=r"Meta-World's tasks need mujoco==3.17.0, and 3.3.0 is installed, which metaworld "
        r"3.1.1 asks for: pip uninstall .*; pip install .*; pip install --no-deps metaworld==3.1.1",
    ):
        metaworld.load_settings()


def test_pictures_are_theirs(opengl):
    pytest.importorskip("metaworld")
    from envpool.oracles.metaworld import Environments, make_theirs

    size = {"render_mode": "rgb_array", "width": 64, "height": 48}
    ours = envpool.make_gymnasium(
        HAMMER, seed=3, render_width=64, render_height=48, render_mode="rgb_array"
    )
    theirs = make_theirs(HAMMER, **size)
    ours.reset()
    theirs.reset(seed=3)
    for action in actions_of(ours, 3):
        assert np.array_equal(ours.render()[0], Environments().picture(theirs))
        ours.step(action)
        theirs.step(action[0])
