"""AntMaze computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from helpers import OraclePair
from robotics_oracle import SEEDS, compare, make_ours, play

# Gymnasium warns of all but the newest.
pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

VERSIONS = [f"AntMaze_Open-v{version}" for version in (3, 4, 5)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("continuing_task", [False, True])
@pytest.mark.parametrize("name", VERSIONS)
def test_goals_that_are_reached(name, continuing_task):
    """Begins in the goal's own cell, which now and then is near enough."""
    options: dict[str, Any] = {"continuing_task": continuing_task}
    if not name.endswith("v3"):
        options["reset_target"] = True
    pair = OraclePair(name, SEEDS, **options)
    cell = {"goal_cell": [1, 1], "reset_cell": [1, 1]}
    ended = moved = 0
    for attempt in range(12):
        pair.call("reset", seed=3 * attempt, options=cell)
        goals = [env.unwrapped.goal.copy() for env in pair.theirs.envs]
        ended += play(pair, 1)
        moved += sum(
            bool((env.unwrapped.goal != goal).any())
            for env, goal in zip(pair.theirs.envs, goals, strict=True)
        )
    assert (ended > 0, moved > 0) == (not continuing_task, continuing_task)


def test_version_3_draws_one_goal_which_may_be_within_reach():
    """There are two cells for goals, so that the next one often is the cell that the ant is in."""
    name, options = "AntMaze_Open-v3", {"maze_map": [["c", 1, "c"]]}
    pair = OraclePair(name, SEEDS, **options)
    pair.ours = make_ours(name, SEEDS, position_noise_range=0.1, **options)
    for env in pair.theirs.envs:
        env.unwrapped.position_noise_range = 0.1  # of which theirs makes no argument
    reached_at_once = 0
    for attempt in range(6):
        cells = {"goal_cell": [0, 0], "reset_cell": [0, 0]}
        pair.call("reset", seed=3 * attempt, options=cells)
        for _ in range(3):
            goals = [env.unwrapped.goal for env in pair.theirs.envs]
            play(pair, 1)
            for env, goal in zip(pair.theirs.envs, goals, strict=True):
                now = env.unwrapped
                distance = np.linalg.norm(now.ant_env.data.qpos[:2] - now.goal)
                reached_at_once += bool((now.goal != goal).any() and distance <= 0.45)
    assert reached_at_once > 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("AntMaze_UMaze-v3", {"use_contact_forces": True, "contact_cost_weight": 0.1}),
        ("AntMaze_UMaze-v4", {"terminate_when_unhealthy": False, "healthy_reward": 2.0}),
        ("AntMaze_UMaze-v5", {"include_cfrc_ext_in_observation": False}),
        ("AntMaze_UMaze-v5", {"ctrl_cost_weight": 0.3, "forward_reward_weight": 2.0}),
    ],
)
def test_options_are_theirs(name, options):
    compare(name, SEEDS[:1], steps=40, max_episode_steps=30, **options)


def test_an_unknown_version_is_refused():
    with pytest.raises(ValueError, match="version is 2, expected 3 <= version <= 5"):
        envpool.make_gymnasium("AntMaze_UMaze-v5", version=2)
