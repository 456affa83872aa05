"""Episodes that end well are minigrid's, too: what random play never gets to see.

Thousands of our environments play by a policy that does what is obvious, and minigrid must agree
on an episode that one of them has won.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.tasks.registry import registry
from minigrid_oracle import make_pair

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

NUM_ENVS = 1000
STEPS = 1000
LEFT, RIGHT, FORWARD, PICKUP, DROP, TOGGLE, DONE = range(7)
# Of cells, in observations.
WALL, DOOR, KEY, BALL, BOX, LAVA = 2, 4, 5, 6, 7, 9

# Playground has nothing to win, and minigrid has no Map.
LEFT_OUT = {"MiniGrid-Playground-v0", "MiniGrid-Map-v0"}
# minigrid takes up to two seconds to make a level of WFC.
TASKS = [
    pytest.param(name, marks=[pytest.mark.long] if "-WFC-" in name else [])
    for name in sorted(registry.tasks)
    if name.startswith("MiniGrid-") and name not in LEFT_OUT
]


def obvious(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Actions, by what is in front of each agent and what it carries."""
    front, carried = image[:, 3, 5], image[:, 3, 6, 0]
    kind, is_open = front[:, 0], front[:, 2] == 0
    chance = rng.random(len(image))
    action = np.full(len(image), FORWARD)
    blocked = np.isin(kind, [WALL, LAVA, KEY, BALL, BOX]) | ((kind == DOOR) & ~is_open)
    action[blocked | (chance < 0.25)] = LEFT
    action[(action == LEFT) & (rng.random(len(image)) < 0.5)] = RIGHT
    things = np.isin(kind, [KEY, BALL, BOX]) & (carried == 1)
    action[things & (chance < 0.6)] = PICKUP
    action[(kind == BOX) & (chance > 0.6) & (chance < 0.8)] = TOGGLE
    action[(kind == DOOR) & ~is_open & (chance < 0.8)] = TOGGLE
    action[(carried != 1) & (kind == 1) & (chance > 0.96)] = DROP
    action[chance > 0.995] = DONE
    return action


def find_win(task_id: str, seed: int) -> tuple[int, np.ndarray] | None:
    """The seed and the actions of the shortest first episode that was won."""
    pool: Any = envpool.make(task_id, "gymnasium", num_envs=NUM_ENVS, seed=seed, num_threads=1)
    rng = np.random.default_rng(seed)
    obs, _ = pool.reset()
    actions = np.empty((STEPS, NUM_ENVS), np.int32)
    in_first = np.ones(NUM_ENVS, bool)
    for step in range(STEPS):
        chosen = obvious(obs["image"], rng)
        actions[step] = np.where(chosen < pool.action_space.n, chosen, LEFT)
        obs, reward, terminated, truncated, _ = pool.step(actions[step])
        won = np.flatnonzero(in_first & (reward > 0))
        if won.size:
            return seed + int(won[0]), actions[: step + 1, won[0]]
        in_first &= ~(terminated | truncated)
        if not in_first.any():
            break
    return None


@pytest.mark.one_in(5)
@pytest.mark.parametrize("task_id", TASKS)
def test_won_episodes_are_minigrids(task_id):
    wins = (find_win(task_id, seed) for seed in range(0, 20 * NUM_ENVS, NUM_ENVS))
    win = next((win for win in wins if win), None)
    assert win is not None
    seed, actions = win
    pair = make_pair(task_id, 1, seed)
    for action in actions:
        _, reward, terminated, _, _ = pair.call("step", np.array([action]))
    assert reward[0] > 0
    assert terminated[0]
    pair.call("step", np.array([FORWARD]))  # which resets
    pair.assert_same_generators()
