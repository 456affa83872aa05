"""Recordings of environments that step as a batch are replayed by their id, with the same bits."""

import numpy as np
import pytest

import envpool
from recorded import Recorded, compare

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("ConnectFour-v1", {"autoreset_mode": "SameStep"}),
        ("gymnax:CartPole-v1", {"env_kwargs": {"force_mag": 15.0}}),
    ],
)
def test_replays_are_what_was_returned(tmp_path, task, options):
    for package in ("jax", "pgx", "gymnax"):
        pytest.importorskip(package)
    recorded = Recorded(tmp_path / "a", task, num_envs=4, seed=3, **options)
    recorded.reset()
    for turn in range(70):
        recorded.step()
        if turn == 11:
            recorded.reset([1], seed=77)
    recorded.pool.close()
    episodes = [episode for episode in envpool.replay(tmp_path / "a") if episode.env == 2]
    assert len(episodes) > 1
    compare(episodes[1].rollout(), recorded.episodes[2][1])


def test_what_has_no_id_is_not_replayed(tmp_path):
    class Ones:
        observation_space = envpool.make_spec("CartPole-v1").observation_space
        action_space = envpool.make_spec("CartPole-v1").action_space

        def __init__(self, num_envs):
            pass

        def reset(self, seeds, ids):
            return np.ones((len(ids), 4), np.float32), {}

        def step(self, actions, ids):
            none = np.zeros(len(ids), bool)
            return np.ones((len(ids), 4), np.float32), np.ones(len(ids)), ~none, none, {}

    with envpool.make_batched(Ones, num_envs=2, record=tmp_path / "a") as pool:
        pool.reset()
        pool.step(np.zeros(2, int))
    with pytest.raises(envpool.ArgumentError, match="is not known here"):
        envpool.replay(tmp_path / "a").rollouts()
