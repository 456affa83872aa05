"""FrankaKitchen computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from helpers import OraclePair
from robotics_oracle import KITCHEN, assert_same, make_theirs

NAME = "FrankaKitchen-v1"
# With it the arm soon pushes the kettle near to its goal.
MOVEMENT = np.random.default_rng(3).uniform(-1, 1, (4, 9))[:1]
MOVEMENT[:, 7:] = 1.0


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("terminate", [False, True])
@pytest.mark.one_in(2)
def test_tasks_that_are_completed(terminate, remove):
    pair = OraclePair(
        NAME,
        [0],
        tasks_to_complete=["kettle"],
        terminate_on_tasks_completed=terminate,
        remove_task_when_completed=remove,
    )
    rewards, ends = [], 0
    for _ in range(25):
        _, reward, terminated, _, _ = pair.call("step", MOVEMENT)
        rewards.append(reward[0])
        ends += terminated[0]
    assert 1.0 in rewards
    assert (ends > 0) == terminate
    if remove and not terminate:
        assert sum(rewards) == 1.0


def near(goals: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Goals that are achieved about as often as not."""
    return {
        task: goal + rng.normal(size=(*shape, goal.size)) * 0.3 / np.sqrt(goal.size)
        for task, goal in goals.items()
    }


@pytest.mark.parametrize("tasks", [KITCHEN, ["microwave", "kettle", "kettle"]], ids=len)
def test_rewards_of_goals_are_theirs(tasks):
    theirs = make_theirs(NAME, tasks_to_complete=tasks).unwrapped
    spec = envpool.make_spec(NAME, tasks_to_complete=tasks)
    rng, rewards = np.random.default_rng(0), set()
    desired = {task: theirs.goal[task] for task in theirs.goal}
    achieved = near(desired, rng, (50,))
    batch = spec.compute_reward(
        achieved, {task: np.tile(goal, (50, 1)) for task, goal in desired.items()}, {}
    )
    for row, reward in enumerate(batch):
        one = {task: goals[row] for task, goals in achieved.items()}
        expected = theirs.compute_reward(one, desired, {})
        assert_same(reward, expected, row)
        ours = spec.compute_reward(one, desired)
        assert (type(ours), ours) == (float, expected)
        rewards.add(expected)
    assert len(rewards) > 2


def test_only_what_is_still_to_be_done_counts():
    """That is the original's own state, and here in infos."""
    theirs = make_theirs(NAME).unwrapped
    spec = envpool.make_spec(NAME)
    rng = np.random.default_rng(0)
    desired = {task: np.tile(theirs.goal[task], (2, 1)) for task in KITCHEN}
    for left in (KITCHEN, KITCHEN[:3], ["kettle"], []):
        theirs.tasks_to_complete = set(left)
        info = {"tasks_to_complete": np.array([[int(task in left) for task in KITCHEN]] * 2)}
        for _ in range(5):
            achieved = near(theirs.goal, rng, (2,))
            expected = [
                theirs.compute_reward(
                    {task: goals[i] for task, goals in achieved.items()}, theirs.goal, {}
                )
                for i in range(2)
            ]
            assert_same(spec.compute_reward(achieved, desired, info), expected, left)


def test_steps_are_rewarded_as_goals_are():
    env = envpool.make_gymnasium(NAME, tasks_to_complete=["kettle"], seed=0)
    obs, info = env.reset()
    rewards = []
    for _ in range(25):
        before = info
        obs, reward, _, _, info = env.step(MOVEMENT)
        again = env.compute_reward(obs["achieved_goal"], obs["desired_goal"], before)
        assert again.tolist() == reward.tolist()
        rewards += reward.tolist()
        if 1.0 in rewards:
            break
    assert rewards[-1] == 1.0


GOALS = {"microwave": np.zeros(1), "kettle": np.zeros(7)}
BATCH = {"microwave": np.zeros((4, 1)), "kettle": np.zeros((4, 7))}


@pytest.mark.parametrize(
    ("achieved", "desired", "info", "error", "message"),
    [
        ({}, {}, None, ValueError, "achieved_goal has no 'microwave', expected goals of"),
        ([0.0], {}, None, TypeError, "achieved_goal is .*, expected a dict of goals by task"),
        (
            GOALS | {"microwave": np.zeros(3)},
            GOALS,
            None,
            ValueError,
            r"achieved_goal\['microwave'\] has shape \(3,\), expected \(\.\.\., 1\)",
        ),
        (
            BATCH,
            BATCH | {"kettle": np.zeros(7)},
            None,
            ValueError,
            r"desired_goal\['kettle'\] has shape \(7,\), expected \(4, 7\)",
        ),
        (
            GOALS,
            GOALS,
            {"tasks_to_complete": ["kettle"]},
            TypeError,
            "expected 0 or 1 for each of 7 tasks",
        ),
        (
            GOALS,
            GOALS,
            {"tasks_to_complete": np.ones((2, 7), np.int32)},
            ValueError,
            r"has shape \(2, 7\), expected \(7,\)",
        ),
    ],
)
def test_what_is_no_goal_is_refused(achieved, desired, info, error, message):
    spec = envpool.make_spec(NAME, tasks_to_complete=["kettle", "microwave"])
    with pytest.raises(error, match=message):
        spec.compute_reward(achieved, desired, info)


def test_there_are_no_rules_for_ends():
    env = envpool.make_gymnasium(NAME)
    with pytest.raises(AttributeError, match="compute_terminated"):
        env.compute_terminated({}, {})


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (["microwave", "toaster"], "has 'toaster', expected some of 'bottom burner'"),
        ([], "tasks_to_complete is empty, expected at least one task"),
    ],
)
def test_tasks_that_there_are_not_are_refused(tasks, message):
    with pytest.raises(ValueError, match=message):
        envpool.make_gymnasium(NAME, tasks_to_complete=tasks)


def test_observations_nest():
    env = envpool.make_gymnasium(NAME, tasks_to_complete=["kettle", "microwave"])
    obs, _ = env.reset()
    assert list(obs["achieved_goal"]) == ["kettle", "microwave"]
    assert obs["desired_goal"]["kettle"].shape == (1, 7)
    theirs = make_theirs(NAME, tasks_to_complete=["kettle", "microwave"])
    assert env.observation_space == theirs.observation_space
