"""Race keeps what all environments promise, and its own rules."""

import numpy as np

import envpool
from envpool.checks import check_task

TASK = "games/Race-v0"


def test_it_is_an_environment() -> None:
    """Bounds, snapshots, seeds, threads, pictures and more."""
    check_task(TASK)


def test_who_walks_wins_against_who_stands() -> None:
    """Both players' rows follow one another, environment by environment."""
    env = envpool.make(TASK, "gymnasium", num_envs=8, seed=0, wind=0.0)
    obs, info = env.reset()
    returns = np.zeros((8, 2))
    playing = np.ones(8, bool)
    for _ in range(20):
        assert info["players"]["env_id"].tolist() == np.repeat(range(8), 2).tolist()
        assert obs["flag"].shape == (8,) and obs["players"]["position"].shape == (16,)
        towards = obs["players"]["position"] < np.repeat(obs["flag"], 2)
        action = {
            "direction": towards.astype(np.int32),
            "stride": np.tile(np.array([0.5, 0.0], np.float32), 8),
        }
        obs, reward, terminated, _, info = env.step({"players": action})
        returns[playing] += reward.reshape(8, 2)[playing]
        playing &= ~terminated
    first, second = returns.T
    assert not playing.any()
    assert (first == -second).all()
    assert first.sum() > 0
