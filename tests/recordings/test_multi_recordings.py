"""Recordings of pools with several tasks."""

import json

import numpy as np
import pytest

import envpool
from envpool.errors import ArgumentError
from envpool.flavours.recording_header import signed
from helpers import leaves
from recorded import Recorded, row_of

TASKS = ["CartPole-v0", "CartPole-v1", "CartPole-v1", "CartPole-v0"]


class RecordedMulti(Recorded):
    """The same of several tasks."""

    def __init__(self, folder, tasks, **options):
        self._tasks = tasks
        super().__init__(folder, "", **options)

    def _make(self, task_id, **options):
        return envpool.make_multi(self._tasks, "gymnasium", **options)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_each_episode_is_of_its_task(tmp_path, mode):
    recorded = RecordedMulti(
        tmp_path / "a", TASKS, seed=[5, 6, 7, 8], autoreset_mode=mode, sutton_barto_reward=True
    )
    recorded.reset()
    for turn in range(120):
        recorded.step([0, 2] if turn % 5 == 3 else None)
        if turn == 60:
            recorded.reset([1, 3], seed=77, options={"low": -0.01, "high": 0.02})
    recording = recorded.check(at_least=8)
    assert recording.task == "CartPole-v0 + CartPole-v1" and recording.num_envs == 4
    for episode in recording:
        assert episode.task == TASKS[episode.env]
        assert recording.source.spec_of(episode.env).config.max_episode_steps == (
            200 if episode.task == "CartPole-v0" else 500
        )
    assert {5, 6, 7, 8, 78, 80} == set(recording.episodes["seed"].tolist())


def test_key_frames(tmp_path):
    """They are taken by environments of a pool of one task."""
    rows = []
    options = {"seed": 3, "max_episode_steps": 40, "record": tmp_path / "a"}
    tasks = ["CartPole-v1", "CartPole-v0"]
    with envpool.make_multi(tasks, "gymnasium", **options) as pool:
        pool.reset()
        for turn in range(5_100):
            rows.append(row_of(pool.step(np.full(2, turn % 2))[0], 1))
    recording = envpool.replay(tmp_path / "a")
    last = recording[int(np.flatnonzero(recording.episodes["env"] == 1)[-1])]
    assert last.begin_call > 5_001
    assert last.rollout().observations[-1].tobytes() == rows[last.end_call - 1].tobytes()


def test_async(tmp_path):
    recorded = RecordedMulti(tmp_path / "a", TASKS, batch_size=2)
    recorded.pool.async_reset()
    for _ in range(100):
        results = recorded.pool.recv()
        recorded.note(results)
        ids = results[-1]["env_id"]
        recorded.pool.send(recorded.actions(ids), ids)
    recorded.check(at_least=4)


def test_a_header_imports_nothing(tmp_path):
    envpool.make_multi(TASKS, "gymnasium", record=tmp_path / "a").close()
    path = tmp_path / "a" / "header.json"
    header = json.loads(path.read_text())
    assert header["tasks"] == [["CartPole-v0", 1], ["CartPole-v1", 2], ["CartPole-v0", 1]]
    path.write_text(json.dumps(signed(header | {"tasks": [["no_module:Walk-v0", 4]]})))
    with pytest.raises(ArgumentError, match="expected a task that can be recorded"):
        envpool.replay(tmp_path / "a")


def test_other_spaces_of_actions(tmp_path):
    """The number of actions is that of the task with most of them."""
    tasks = {"Pong-v5": 1, "Breakout-v5": 1}
    with envpool.make_multi(
        tasks, "gymnasium", record=tmp_path / "a", max_episode_steps=3, seed=4
    ) as pool:
        rows = [pool.reset()[0]]
        rows += [pool.step(np.array([5, 3]))[0] for _ in range(3)]
    recording = envpool.replay(tmp_path / "a")
    assert [episode.task for episode in recording] == [*tasks]
    for episode in recording:
        rollout = episode.rollout()
        assert rollout.actions.tolist() == [5 - 2 * episode.env] * 3
        for (_, ours), (_, theirs) in zip(
            leaves(rollout.observations), leaves(np.stack(rows, 1)[episode.env]), strict=True
        ):
            assert ours.tobytes() == theirs.tobytes()
