"""The levels keep what all environments promise, and their own rules."""

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.checks import check_task
from envpool.families.minigrid import decode_mission

FORWARD, PICKUP = 2, 3
BALL, LAVA = 6, 9


@pytest.mark.parametrize("task", ["gridenv/Gems-v0", "gridenv/ManyGems-v0", "gridenv/FetchKey-v0"])
def test_it_is_an_environment(task: str) -> None:
    """Bounds, snapshots, seeds, threads, pictures and more."""
    check_task(task)


def test_who_gathers_all_gems_wins() -> None:
    """Turning at random, agents pick up what is before them, and walk unless it is lava."""
    env = envpool.make("gridenv/Gems-v0", "gymnasium", num_envs=16, seed=0, max_steps=1000)
    rng = np.random.default_rng(0)
    observation, _ = env.reset()
    won = 0
    for _ in range(2000):
        ahead = observation["image"][:, 3, 5, 0]
        turns = (rng.random(16) < 0.3) | (ahead == LAVA)
        action = np.where(ahead == BALL, PICKUP, np.where(turns, rng.integers(0, 2, 16), FORWARD))
        observation, reward, *_ = env.step(action.astype(np.int32))
        won += int((reward > 0).sum())
    assert won > 0


def test_options_are_minigrids() -> None:
    """Those of all levels, beside a level's own."""
    env = envpool.make(
        "gridenv/ManyGems-v0", "gymnasium", image="full", observation="image", num_gems=20
    )
    observation, _ = env.reset()
    assert observation.shape == (1, 16, 16, 3)
    assert (observation[0, :, :, 0] == BALL).sum() == 20
    with pytest.raises(ValueError, match="these options make no level"):
        envpool.make("gridenv/Gems-v0", "gymnasium", num_gems=1000)


def test_gymnasium_makes_them() -> None:
    """There, missions are strings."""
    envs = gymnasium.make_vec("gridenv:envpool/gridenv-Gems-v0", num_envs=2)
    observation, _ = envs.reset(seed=0)
    assert observation["mission"] == ("get all of the balls",) * 2


def test_missions_are_instructions() -> None:
    """They name the key's colour, which is the door's."""
    observation, _ = envpool.make("gridenv/FetchKey-v0", "gymnasium", num_envs=8).reset()
    for mission in decode_mission(observation["mission"]):
        first, then = mission.split(", then ")
        assert first.startswith("pick up the ") and first.endswith(" key")
        assert then.startswith("open the ") and then.endswith(" door")
