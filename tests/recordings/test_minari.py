"""Recordings become datasets of Minari, with the bytes that the pool returned."""

import contextlib

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from envpool import ArgumentError
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
            assert "elapsed_step" in repr(theirs)


@pytest.mark.parametrize(
    ("episodes", "error", "message"),
    [
        ([], ArgumentError, "there are no episodes"),
        ([0, 1], TypeError, "episodes has 0, expected episodes of this recording"),
        (3, TypeError, "episodes has 3, expected"),
        ("best", TypeError, "episodes has 'b', expected"),
    ],
)
def test_what_are_no_episodes(tmp_path, episodes, error, message):
    recording = record(tmp_path / "a", "CartPole-v1")
    with pytest.raises(error, match=message):
        recording.to_minari("tests/none-v0", episodes)
    assert not any((tmp_path / "datasets").rglob("*"))


class Fragile(gymnasium.Env):
    """Fails with action 2, and ends with action 1."""

    observation_space = spaces.Dict({"taken": spaces.Box(0, 9, (1,), np.float32)})
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = 0
        return {"taken": np.float32([0])}, {}

    def step(self, action):
        if action == 2:
            raise ValueError("told to")
        self.taken += 1
        return {"taken": np.float32([self.taken])}, 1.0, action == 1, False, {}


def test_episodes_that_failed(tmp_path):
    """Written in Python, with a dict as observation."""
    with envpool.make_python(Fragile, num_envs=1, num_workers=0, record=tmp_path / "a") as pool:
        for actions in ([2], [0, 0, 2], [0, 1], [2]):
            pool.reset()
            for action in actions:
                with contextlib.suppress(envpool.EnvironmentFailure):
                    pool.step(np.array([action]))
    recording = envpool.replay(tmp_path / "a")
    assert recording.episodes["length"].tolist() == [0, 2, 2, 0]
    with pytest.warns(UserWarning, match=r"^2 of 4 episodes have no steps, and are left out"):
        dataset = recording.to_minari("tests/fragile-v0", author="me")
    failed, ended = dataset.iterate_episodes()
    assert failed.truncations.tolist() == [False, True] and not failed.terminations.any()
    assert ended.terminations.tolist() == [False, True] and not ended.truncations.any()
    assert failed.observations["taken"].tolist() == [[0], [1], [2]]
    assert dataset.storage.metadata["author"] == {"me"}
    with pytest.raises(ArgumentError, match="the episodes have no steps"):
        recording.to_minari("tests/none-v0", [recording[0]])
    assert [path.name for path in (tmp_path / "datasets/tests").glob("*-v*")] == ["fragile-v0"]


class Told(Fragile):
    """Says numbers, texts and objects."""

    def step(self, action):
        observation, *results, _ = super().step(action)
        told = {
            "level": self.taken,
            "name": "a",
            "parts": {"x": np.float32([self.taken]), "y": [{}]},
        }
        return observation, *results, told | {"texts": {"b": "c"}}


def test_infos(tmp_path):
    """Numbers alone, also in dicts; rows that have none are masked."""
    with envpool.make_python(Told, num_envs=1, num_workers=0, record=tmp_path / "a") as pool:
        pool.reset()
        for action in (0, 0, 1):
            pool.step(np.array([action]))
    dataset = envpool.replay(tmp_path / "a").to_minari("tests/told-v0")
    infos = dataset[0].infos
    assert infos["level"].tolist() == [0, 1, 2, 3]
    assert infos["parts"]["x"].tolist() == [[0], [1], [2], [3]]
    assert not {"name", "env_id", "players"} & {*infos}
    assert "b" not in infos["texts"] and "y" not in infos["parts"]
    assert "level" in repr(dataset[0])


def test_what_minari_refuses(tmp_path):
    recording = record(tmp_path / "a", "CartPole-v1")
    recording.to_minari("tests/one-v0")
    for dataset_id in ("tests/one-v0", "a b-v0"):
        with pytest.raises(ValueError, match=dataset_id):
            recording.to_minari(dataset_id)


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
    pool = envpool.make_gymnasium("testing/Players-v0", record=tmp_path / "a")
    pool.close()
    with pytest.raises(ValueError, match="has several players or actions of several arrays"):
        envpool.replay(tmp_path / "a").to_minari("tests/players-v0")


@pytest.mark.parametrize("task_id", ["highway-fast-v0", "parking-v0"])
def test_collectors_of_minari_take_the_infos_of_driving(task_id):
    """It wants the same infos in resets and steps."""
    env = minari.DataCollector(gymnasium.make(f"envpool/{task_id}"), record_infos=True)
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.action_space.sample())
    env.reset()
    dataset = env.create_dataset("tests/driving-v0")
    assert {"speed", "action"} <= set(dataset[0].infos)
