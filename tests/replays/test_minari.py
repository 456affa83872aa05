"""Recordings become datasets of Minari, with the bytes that the pool returned."""

import numpy as np
import pytest

from recorded import Recorded

minari = pytest.importorskip("minari")
pytest.importorskip("h5py")


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_datasets(tmp_path, monkeypatch, task_id):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    recorded = Recorded(tmp_path / "a", task_id, num_envs=2, max_episode_steps=15)
    recorded.reset()
    for _ in range(50):
        recorded.step()
    recording = recorded.check()
    recording.to_minari("tests/all-v0")
    recording.to_minari("tests/best-v0", recording.best(2), description="the best")
    for name, episodes in {"all": list(recording), "best": recording.best(2)}.items():
        dataset = minari.load_dataset(f"tests/{name}-v0")
        assert dataset.total_episodes == len(episodes)
        assert dataset.action_space == recording.spec.action_space
        for theirs, episode in zip(dataset.iterate_episodes(), episodes, strict=True):
            ours = episode.rollout()
            assert np.array_equal(theirs.observations, ours.observations)
            assert theirs.observations.dtype == ours.observations.dtype
            assert np.array_equal(theirs.actions, ours.actions)
            assert np.array_equal(theirs.rewards, ours.rewards)
            assert np.array_equal(theirs.terminations, ours.terminated)
            assert np.array_equal(theirs.truncations, ours.truncated)


def test_players(tmp_path):
    import envpool.families.testing.registration

    pool = envpool.make_gymnasium("testing/Players-v0", record=tmp_path / "a")
    pool.close()
    with pytest.raises(ValueError, match="has several players or actions of several arrays"):
        envpool.replay(tmp_path / "a").to_minari("tests/players-v0")
