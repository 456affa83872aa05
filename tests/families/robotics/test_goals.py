"""Functions of goals are gymnasium-robotics', on batches, pools, single environments and specs."""

from __future__ import annotations

import pickle
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.families.robotics.goals import GOALS
from envpool.families.robotics.registration import TASKS
from robotics_oracle import assert_same, make_theirs

BATCHES = [(), (1,), (7,)]


def goals_of(name: str, shape: tuple[int, ...], dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Goals that are achieved and desired, some of them near to each other."""
    rng = np.random.default_rng(len(shape))
    size = envpool.make_spec(name).observation_space["desired_goal"].shape[0]
    desired = rng.normal(size=(*shape, size))
    distance = rng.choice([0.01, 0.3, 1.0], size=(*shape, 1))
    achieved = desired + distance * rng.normal(size=(*shape, size))
    for goals in (achieved, desired) if size == 7 else ():  # position and quaternion
        goals[..., 3:] /= np.linalg.norm(goals[..., 3:], axis=-1, keepdims=True)
    return achieved.astype(dtype), desired.astype(dtype)


WITH_GOALS = [task.id for task in TASKS if f"GymnasiumRobotics{task.kind}" in GOALS]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", WITH_GOALS)
def test_rewards_are_theirs(name):
    spec, theirs = envpool.make_spec(name), make_theirs(name).unwrapped
    for shape in BATCHES:
        for dtype in (np.float64, np.float32):
            achieved, desired = goals_of(name, shape, dtype)
            reward = spec.compute_reward(achieved, desired, {})
            if "Pen" in name and shape:  # where theirs mixes up the goals of a batch
                for i in range(shape[0]):
                    expected = theirs.compute_reward(achieved[i], desired[i], {})
                    assert_same(reward[i], expected, (i, dtype))
            else:
                expected = theirs.compute_reward(achieved, desired, {})
                assert_same(reward, expected, (shape, dtype))


@pytest.mark.parametrize("continuing_task", [False, True])
def test_ends_are_theirs(continuing_task):
    name, options = "PointMaze_UMaze-v3", {"continuing_task": continuing_task}
    spec, theirs = envpool.make_spec(name, **options), make_theirs(name, **options).unwrapped
    achieved, desired = goals_of(name, (40,), np.float64)
    for function in ("compute_terminated", "compute_truncated"):
        function_of_theirs = getattr(theirs, function)
        expected = [function_of_theirs(*goals, {}) for goals in zip(achieved, desired, strict=True)]
        assert getattr(spec, function)(achieved, desired, {}).tolist() == expected
        one = getattr(spec, function)(achieved[0], desired[0], {})
        assert one is expected[0]
    assert spec.compute_terminated(achieved, desired).any() != continuing_task


def all_forms(name: str, **options: Any) -> dict[str, Any]:
    return {
        "spec": envpool.make_spec(name, **options),
        "pickled spec": pickle.loads(pickle.dumps(envpool.make_spec(name, **options))),
        "gymnasium's dialect": envpool.make_gymnasium(name, **options),
        "dm's": envpool.make_dm(name, **options),
        "vector environment": gymnasium.make_vec(f"envpool/{name}", 1, **options),
        "single environment": gymnasium.make(f"envpool/{name}", **options).unwrapped,
    }


def test_all_that_a_task_becomes_has_them():
    name, options = "PointMaze_UMaze-v3", {"reward_type": "dense", "continuing_task": False}
    achieved, desired = goals_of(name, (4,), np.float64)
    expected = make_theirs(name, **options).unwrapped.compute_reward(achieved, desired, {})
    for form, env in all_forms(name, **options).items():
        assert_same(env.compute_reward(achieved, desired, {}), expected, form)
        assert env.compute_terminated(achieved, desired, {}).shape == (4,), form
        assert not env.compute_truncated(achieved, desired, {}).any(), form


def test_steps_are_rewarded_as_they_say():
    envs = gymnasium.make_vec("envpool/PointMaze_OpenDense-v3", 4)
    envs.reset(seed=0)
    for _ in range(10):
        obs, reward, *_ = envs.step(envs.action_space.sample())
        again = envs.unwrapped.compute_reward(obs["achieved_goal"], obs["desired_goal"], {})
        assert_same(reward, again, "rewards")


def rewards_of(specs: list[Any], achieved: np.ndarray, desired: np.ndarray) -> np.ndarray:
    """What each spec says of its own row of goals."""
    rows = zip(specs, achieved, desired, strict=True)
    return np.array([spec.compute_reward(*goals) for spec, *goals in rows])


def test_each_environment_has_its_own_options():
    name = "PointMaze_UMaze-v3"
    envs = gymnasium.make_vec(f"envpool/{name}", 2, reward_type=["sparse", "dense"]).unwrapped
    achieved, desired = goals_of(name, (2,), np.float64)
    specs = [envpool.make_spec(name, reward_type=kind) for kind in ("sparse", "dense")]
    expected = rewards_of(specs, achieved, desired)
    assert_same(envs.compute_reward(achieved, desired, {}), expected, "rows")
    dense = envpool.make_spec(name, reward_type="dense").compute_reward(achieved, desired)
    assert_same(envs.call("compute_reward", achieved, desired, {})[1], dense, "call")
    with pytest.raises(ValueError, match="environments have different options"):
        envs.compute_reward(achieved[:1], desired[:1], {})
    envs.set_attr("reward_type", "dense")
    assert_same(envs.compute_reward(achieved, desired, {}), dense, "after set_attr")


def test_pools_calculate_with_changed_options():
    pool = envpool.make_gymnasium("PointMaze_UMaze-v3", num_envs=2)
    achieved, desired = goals_of("PointMaze_UMaze-v3", (2,), np.float64)
    pool.set_attr("reward_type", "dense")
    dense = envpool.make_spec("PointMaze_UMaze-v3", reward_type="dense")
    expected = dense.compute_reward(achieved, desired)
    assert_same(pool.compute_reward(achieved, desired), expected, "all at once")
    assert_same(pool.call("compute_reward", achieved, desired)[1], expected, "each by itself")


@pytest.mark.parametrize("make", [envpool.make_gymnasium, gymnasium.make_vec, gymnasium.make])
def test_an_environment_with_such_functions_is_freed_at_once(make):
    prefix = "" if make is envpool.make_gymnasium else "envpool/"
    env = make(f"{prefix}PointMaze_UMaze-v3").unwrapped
    gone = weakref.ref(env)
    method = env.compute_reward
    achieved, desired = goals_of("PointMaze_UMaze-v3", (1,), np.float64)
    expected = method(achieved, desired, {})
    del env
    assert gone() is None
    assert_same(method(achieved, desired, {}), expected, "kept longer")


def test_copies_have_functions_of_their_own():
    envs = gymnasium.make_vec("envpool/PointMaze_UMaze-v3", 2).unwrapped
    again = pickle.loads(pickle.dumps(envs))
    envs.set_attr("reward_type", "dense")
    achieved, desired = goals_of("PointMaze_UMaze-v3", (2,), np.float64)
    for of, kind in (envs, "dense"), (again, "sparse"):
        spec = envpool.make_spec("PointMaze_UMaze-v3", reward_type=kind)
        expected = spec.compute_reward(achieved, desired)
        assert_same(of.compute_reward(achieved, desired, {}), expected, kind)


def test_pools_of_several_tasks_have_them():
    tasks = {"PointMaze_UMaze-v3": 2, "PointMaze_Large-v3": 1}
    achieved, desired = goals_of("PointMaze_UMaze-v3", (3,), np.float64)
    for env_type in ("gymnasium", "dm"):
        pool = envpool.make_multi(tasks, env_type)
        expected = envpool.make_spec("PointMaze_UMaze-v3").compute_reward(achieved, desired)
        assert_same(pool.compute_reward(achieved, desired, {}), expected, env_type)
        assert pool.compute_reward(achieved[:2], desired[:2]).shape == (2,)  # maps do not matter
        assert pool.compute_terminated(achieved, desired).shape == (3,)
        assert not pool.compute_truncated(achieved, desired).any()


def test_in_pools_of_several_tasks_each_is_judged_by_its_own_options():
    tasks = {"PointMaze_UMaze-v3": 1, "PointMaze_UMazeDense-v3": 2}
    pool = envpool.make_multi(tasks, "gymnasium")
    achieved, desired = goals_of("PointMaze_UMaze-v3", (3,), np.float64)
    specs = [envpool.make_spec(name) for name, count in tasks.items() for _ in range(count)]
    expected = rewards_of(specs, achieved, desired)
    assert_same(pool.compute_reward(achieved, desired, {}), expected, "rows")
    with pytest.raises(ValueError, match=r"different options \(reward_type\), so a goal for each"):
        pool.compute_reward(achieved[:2], desired[:2], {})


@pytest.mark.parametrize(
    ("achieved", "desired", "error", "message"),
    [
        (np.zeros(3), np.zeros(3), ValueError, r"achieved_goal has shape \(3,\), expected"),
        (np.zeros((4, 2)), np.zeros(2), ValueError, r"\(4, 2\) and desired_goal \(2,\), expected"),
        (1.0, 2.0, ValueError, r"achieved_goal has shape \(\)"),
        (np.zeros(2), ["a", "b"], TypeError, "desired_goal is .*, expected numbers"),
    ],
)
def test_what_is_no_goal_is_refused(achieved, desired, error, message):
    pool = envpool.make_gymnasium("PointMaze_UMaze-v3")
    with pytest.raises(error, match=message):
        pool.compute_reward(achieved, desired, {})
    pool.reset()


def test_other_tasks_have_no_such_functions():
    for env in all_forms("Pendulum-v1").values():
        with pytest.raises(AttributeError, match="compute_reward"):
            env.compute_reward(0, 0, {})
