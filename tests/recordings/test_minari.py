"""Recordings become datasets of Minari, with the bytes that the pool returned."""

import numpy as np
import pytest

from recorded import Recorded

minari = pytest.importorskip("minari")
pytest.importorskip("h5py")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def record(folder, task_id, **options):
    """A recording of some episodes."""
    recorded = Recorded(folder, task_id, num_envs=2, max_episode_steps=15, **options)
    recorded.reset()
    for _ in range(50):
        recorded.step()
    return recorded.check()


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_datasets(tmp_path, task_id):
    recording = record(tmp_path / "a", task_id)
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


def test_pictures_keep_their_bytes(tmp_path):
    recording = record(tmp_path / "a", "MiniGrid-Empty-5x5-v0")
    dataset = recording.to_minari("tests/pictures-v0")
    for theirs, episode in zip(dataset.iterate_episodes(), recording, strict=True):
        ours = episode.rollout()
        for name in ("image", "direction"):
            assert np.array_equal(theirs.observations[name], ours.observations[name])


@pytest.mark.parametrize("map_option", [{"map_name": "8x8"}, {"desc": ["SFF", "FFF", "FFG"]}])
def test_the_environment_comes_with_it(tmp_path, map_option):
    options = {"is_slippery": False} | map_option
    recording = record(tmp_path / "a", "FrozenLake-v1", **options)
    recording.to_minari("tests/lake-v0")
    made = minari.load_dataset("tests/lake-v0").recover_environment()
    assert made.spec.max_episode_steps == 15
    assert made.spec.kwargs.items() >= options.items()
    observation, _ = made.reset(seed=int(recording[0].seed))
    theirs = [observation, *(made.step(action)[0] for action in recording[0].rollout().actions)]
    assert np.array_equal(recording[0].rollout().observations, theirs)


def test_environments_that_differ(tmp_path):
    recording = record(tmp_path / "a", "FrozenLake-v1", is_slippery=[True, False])
    dataset = recording.to_minari("tests/none-v0")
    with pytest.raises(ValueError, match="cannot be recovered"):
        dataset.recover_environment()


def test_players(tmp_path):
    import envpool.families.testing.registration

    pool = envpool.make_gymnasium("testing/Players-v0", record=tmp_path / "a")
    pool.close()
    with pytest.raises(ValueError, match="has several players or actions of several arrays"):
        envpool.replay(tmp_path / "a").to_minari("tests/players-v0")
