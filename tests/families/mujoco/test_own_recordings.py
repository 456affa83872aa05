"""Recordings of tasks of one's own: episodes as they were, rewards and ends included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import mujoco
from envpool.families.mujoco.model.task import Batch
from own_mujoco_tasks import POLE, Balance, Physics, Scattered

NUM_ENVS, STEPS = 3, 60
ACTIONS = np.random.default_rng(1).uniform(-1.0, 1.0, (STEPS, NUM_ENVS, 2)) * [1.0, 0.05]


class Tip(Balance):
    """Observes in NumPy."""

    observed_size = 3

    def observe(self, batch: Batch) -> Any:
        """Where the tip is."""
        return batch["site_xpos:tip"]


TASKS = {"mine/Pole-v0": Balance, "mine/Scattered-v0": Scattered, "mine/Tip-v0": Tip}


@pytest.fixture(scope="module", autouse=True)
def registered(own_registry: None) -> None:
    """The tasks have ids."""
    for task_id, task in TASKS.items():
        envpool.mujoco.register(task_id, task)


class Lives:
    """What environments return, cut into episodes."""

    def __init__(self) -> None:
        self.ended: list[dict[str, Any]] = []
        self._running: dict[int, dict[str, list[Any]]] = {}

    def add(self, results: Any) -> list[int]:
        """Adds the rows of a reset or step. Returns the environments whose episodes are over."""
        obs, *step, info = results
        over = []
        for place, i in enumerate(info["env_id"].tolist()):
            if info["elapsed_step"][place] == 0:
                self._running[i] = {"observations": [obs[place]], "moved": [], "rewards": []}
                self._running[i]["moved"].append(info["moved"][place])
                continue
            reward, terminated, truncated = (column[place] for column in step)
            episode = self._running[i]
            episode["observations"].append(obs[place])
            episode["moved"].append(info["moved"][place])
            episode["rewards"].append(reward)
            if terminated or truncated:
                over.append(i)
                self.ended.append({"env": i, "ends": (terminated, truncated), **episode})
        return over


def _run(mode: str, folder: Path, **options: Any) -> list[dict[str, Any]]:
    """The episodes of a recorded pool."""
    lives = Lives()
    options |= {"num_envs": NUM_ENVS, "seed": 4, "record": folder}
    if mode == "asynchronous":
        with envpool.make_gymnasium(batch_size=2, num_threads=2, **options) as env:
            env.async_reset()
            counts = np.zeros(NUM_ENVS, int)
            for _ in range(STEPS):
                results = env.recv()
                lives.add(results)
                ids = results[-1]["env_id"]
                env.send(ACTIONS[counts[ids], ids], ids)
                counts[ids] += 1
        return lives.ended
    with envpool.make_gymnasium(autoreset_mode=mode, **options) as env:
        lives.add(env.reset())
        for step, action in enumerate(ACTIONS):
            over = lives.add(env.step(action))
            if mode == "Disabled" and over:
                lives.add(env.reset(over))
            elif step == STEPS // 2:
                lives.add(env.reset([1], seed=[77], options={"body_mass": [0.0, 1.0, 1.0, 1.0]}))
    return lives.ended


def _require_same(rollout: Any, lived: dict[str, Any]) -> None:
    for name in ("observations", "rewards"):
        np.testing.assert_array_equal(getattr(rollout, name), lived[name])
    np.testing.assert_array_equal(rollout.infos["moved"], lived["moved"])
    assert (rollout.terminated[-1], rollout.truncated[-1]) == lived["ends"]


@pytest.mark.parametrize("mode", ["NextStep", "Disabled", "asynchronous"])
@pytest.mark.parametrize("task_id", TASKS)
def test_every_episode_is_replayed(task_id: str, mode: str, tmp_path: Path) -> None:
    lived = _run(mode, tmp_path / "a", task_id=task_id)
    recording = envpool.replay(tmp_path / "a")
    rows = recording.episodes
    assert len(rows) == len(lived) > NUM_ENVS
    unseen = list(lived)
    for row in rows:
        episode = next(each for each in unseen if each["env"] == row["env"])
        unseen.remove(episode)
        end = "terminated" if episode["ends"][0] else "truncated"
        assert (row["length"], row["end"]) == (len(episode["rewards"]), end)
        np.testing.assert_allclose(row["return"], np.sum(episode["rewards"]), rtol=1e-5)
        _require_same(recording[int(row["episode"])].rollout(), episode)
    by_env = sorted(recording.rollouts(), key=len)
    assert [len(each) for each in by_env] == sorted(len(each["rewards"]) for each in lived)


def test_options_that_differ_are_the_replays_too(tmp_path: Path) -> None:
    options = {"task_id": "mine/Pole-v0", "frame_skip": 3, "max_episode_steps": 7}
    lived = _run("NextStep", tmp_path / "a", **options)
    recording = envpool.replay(tmp_path / "a")
    assert len(recording.episodes) == len(lived)
    assert recording.episodes["length"].max() == 7
    rollouts = [recording[i].rollout() for i in range(len(lived))]
    for env in range(NUM_ENVS):
        own = [i for i, row in enumerate(recording.episodes) if row["env"] == env]
        theirs = [each for each in lived if each["env"] == env]
        for i, episode in zip(own, theirs, strict=True):
            _require_same(rollouts[i], episode)


def test_what_failed_and_was_survived_is_listed_once(tmp_path: Path) -> None:
    class Weak(Balance):
        max_episode_steps = 5

    envpool.mujoco.register("mine/Weak-v0", Weak)
    with envpool.make("mine/Weak-v0", num_envs=1, on_failure="reset", record=tmp_path / "a") as env:
        env.reset(options={"qvel": [1e30] * 8})
        with pytest.warns(RuntimeWarning, match="environment 0 failed"):
            for action in ACTIONS[:12]:
                env.step(action[:1])
        assert env.stats().failures == 1
    ends = envpool.replay(tmp_path / "a").episodes["end"].tolist()
    assert ends[0] == "failed" and ends.count("failed") == 1 and len(ends) > 1


def _models() -> Iterator[Any]:
    yield POLE
    yield mujoco.MjModel.from_xml_string(POLE)


def test_models_are_the_ids_or_files(tmp_path: Path) -> None:
    for number, model in enumerate(_models()):
        task = type(f"Pole{number}", (Balance,), {"model": model})
        envpool.mujoco.register(f"mine/Model{number}-v0", task)
        folder = tmp_path / str(number)
        lived = _run("NextStep", folder, task_id=f"mine/Model{number}-v0")
        _require_same(envpool.replay(folder)[0].rollout(), lived[0])
        assert "mjb" not in (folder / "header.json").read_text()
    other = POLE.replace('damping=".01"', 'damping=".1"')
    lived = _run("NextStep", tmp_path / "other", task_id="mine/Pole-v0", model=other)
    _require_same(envpool.replay(tmp_path / "other")[0].rollout(), lived[0])
    compiled = mujoco.MjModel.from_xml_string(other)
    with pytest.raises(ValueError, match="model is given, and no file"):
        envpool.make("mine/Pole-v0", model=compiled, record=tmp_path / "none")


def test_what_a_recording_could_not_follow_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="which has no id, by which a replay finds it"):
        envpool.make_mujoco(Balance, record=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    with envpool.make("mine/Pole-v0", record=tmp_path / "b") as env:
        env.reset()
        with pytest.raises(NotImplementedError, match="not available for Balance"):
            env.set_state(env.get_state())
        with pytest.raises(NotImplementedError, match="while it is recorded"):
            env.set_attr("frame_skip", [5])
    with pytest.raises(ValueError, match="has no id"):
        envpool.make_mujoco(Physics(), record=tmp_path / "c")
