"""Pools that are recorded, with what they returned: what rollouts are compared with."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

import envpool
from envpool.checks.actions import Actions
from envpool.recordings.episode import Episode
from envpool.recordings.recording import Recording
from envpool.recordings.rollouts import roll_out
from helpers import assert_same_bytes, leaves


def row_of(tree: Any, row: int) -> Any:
    """One environment's row of a result."""
    if isinstance(tree, dict):
        return {key: row_of(value, row) for key, value in tree.items()}
    return tree[row]


def failures_of(recording: Recording, env: int) -> list[Episode]:
    """The episodes in which an environment failed."""
    return [episode for episode in recording if (episode.env, episode.end) == (env, "failed")]


class Recorded:
    """A pool that is recorded, and each environment's episodes as it returned them.

    Args:
        folder: Where it is recorded.
        task_id: The task.
        options: Those of the pool.
    """

    def __init__(self, folder: Path, task_id: str, **options: Any) -> None:
        self.folder = folder
        self.pool = self._make(task_id, record=folder, **options)
        self.num_envs = self.pool.num_envs
        self._actions = Actions(self.pool.spec)
        self._taken = np.zeros(self.num_envs, int)
        self._is_over = np.ones(self.num_envs, bool)
        self._mode = self.pool.config["autoreset_mode"]
        self.episodes: dict[int, list[list[Any]]] = defaultdict(list)

    def _make(self, task_id: str, **options: Any) -> Any:
        return envpool.make_gymnasium(task_id, **options)

    def begin(self, ids: Any, observation: Any) -> None:
        """Notes the first observations of episodes."""
        for row, env in enumerate(ids):
            self.episodes[env].append([(row_of(observation, row),)])
            self._is_over[env] = False

    def reset(self, ids: Any = None, **kwargs: Any) -> None:
        """Resets some environments."""
        observation, info = self.pool.reset(ids, **kwargs)
        self.begin(info["env_id"].tolist(), observation)

    def actions(self, ids: Any) -> Any:
        """The next actions of these environments."""
        ids = np.asarray(ids)
        return self._actions.of(ids, self._taken[ids], np.ones(len(ids), int))

    def note(self, results: Any) -> None:
        """Notes the results of steps."""
        observation, reward, terminated, truncated, info = results
        ids = info["env_id"].tolist()
        self._taken[ids] += 1
        over = terminated | truncated
        for row, env in enumerate(ids):
            if self._is_over[env]:
                self.begin([env], row_of(observation, slice(row, row + 1)))
                continue
            last = over[row] and self._mode == "SameStep"
            seen = info["final_obs"][row] if last else row_of(observation, row)
            self.episodes[env][-1].append((seen, reward[row], terminated[row], truncated[row]))
            if last:
                self.begin([env], row_of(observation, slice(row, row + 1)))
            else:
                self._is_over[env] = over[row]

    def step(self, ids: Any = None) -> None:
        """Steps some environments, or all."""
        ids = self.pool.all_env_ids if ids is None else np.asarray(ids, np.int32)
        self.note(self.pool.step(self.actions(ids), ids))

    def check(self, *, at_least: int = 1) -> Recording:
        """Every recorded episode is, once more, what the pool returned."""
        self.pool.close()
        recording = envpool.replay(self.folder)
        assert len(recording) >= at_least
        ended = defaultdict(list)
        for episode in recording:
            ended[episode.env].append(episode)
        for env, episodes in ended.items():
            expected = [rows for rows in self.episodes[env] if rows[-1][2:] in _ENDS]
            assert len(expected) == len(episodes)
            for rows, episode in zip(expected, episodes, strict=True):
                compare(episode.rollout(), rows)
        check_together(recording)
        return recording


def check_together(recording: Recording) -> None:
    """The rollouts of many episodes are those of each alone, step by step."""
    episodes = [*recording, *recording][::-1]  # in any order, and also twice
    for episode, rollout in zip(episodes, recording.rollouts(episodes), strict=True):
        alone, _ = roll_out(recording, episode.row)
        for field in dataclasses.fields(alone):
            ours, theirs = (leaves(getattr(each, field.name)) for each in (rollout, alone))
            for (path, mine), (other_path, other) in zip(ours, theirs, strict=True):
                assert path == other_path
                assert_same_bytes(np.asarray(mine), np.asarray(other), f"{field.name}{path}")


_ENDS = ((True, False), (False, True), (True, True))


def compare(rollout: Any, rows: list[Any], start: int = 0) -> None:
    """Has the rollout the bytes of these rows?"""
    assert len(rollout) == len(rows) - 1 - start
    for i, row in enumerate(rows[start:]):
        mine = leaves(row_of(rollout.observations, i))
        for (path, ours), (_, theirs) in zip(mine, leaves(row[0]), strict=True):
            # Discrete numbers of final_obs are int64, as SyncVectorEnv has them.
            assert np.asarray(theirs).astype(ours.dtype).tobytes() == ours.tobytes(), path
    for i, (_, reward, terminated, truncated) in enumerate(rows[start + 1 :]):
        assert rollout.rewards[i].tobytes() == reward.tobytes()
        assert (rollout.terminated[i], rollout.truncated[i]) == (terminated, truncated)
