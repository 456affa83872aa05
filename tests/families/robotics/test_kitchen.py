"""FrankaKitchen computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from robotics_oracle import Pair, make_theirs

NAME = "FrankaKitchen-v1"
# In EnvPool's order, which is that of the infos.
TASKS = [
    "bottom burner",
    "top burner",
    "light switch",
    "slide cabinet",
    "hinge cabinet",
    "microwave",
    "kettle",
]
SEEDS = [0, 42, 2**63]


class Kitchens(Pair):
    """Here infos are 1 for each task that the original's list of names has."""

    def translate(self, info: dict[str, Any]) -> dict[str, Any]:
        return {
            key: np.array([int(task in names) for task in TASKS], np.int32)
            for key, names in info.items()
        }


def compare(seeds: list[int], steps: int, **options: Any) -> int:
    pair = Kitchens(NAME, seeds, **options)
    pair.reset()
    return sum(pair.step(f"step {step}") for step in range(steps))


def test_episodes_begin_as_theirs():
    assert compare(SEEDS[:2], steps=12, max_episode_steps=5) == 4


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_whole_episodes_are_theirs(seed):
    assert compare([seed], steps=900) == 3


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("terminate", [False, True])
@pytest.mark.one_in(2)
def test_tasks_that_are_completed(terminate, remove):
    pair = Kitchens(
        NAME,
        [0],
        tasks_to_complete=["kettle"],
        terminate_on_tasks_completed=terminate,
        remove_task_when_completed=remove,
    )
    pair.reset()
    # With these movements the arm soon pushes the kettle near to its goal.
    movement = np.random.default_rng(3).uniform(-1, 1, (4, 9))[0]
    movement[7:] = 1.0
    rewards, ends = [], 0
    for step in range(25):
        ends += pair.step(f"step {step}", movement[None])
        rewards.append(pair.reward[0])
    assert 1.0 in rewards
    assert (ends > 0) == terminate
    if remove and not terminate:
        assert sum(rewards) == 1.0


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
