"""Recordings as datasets of Minari, the format of offline reinforcement learning."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.errors import ArgumentError
from envpool.extras import install

if TYPE_CHECKING:
    from envpool.replays.recording import Episode, Recording


def to_minari(
    recording: Recording, dataset_id: str, episodes: Iterable[Episode] | None, **kwargs: Any
) -> Any:
    """See :meth:`envpool.replays.recording.Recording.to_minari`."""
    try:
        minari: Any = importlib.import_module("minari")
        buffer_class: Any = importlib.import_module("minari.data_collector").EpisodeBuffer
    except ImportError as error:
        raise ImportError(f"this needs Minari: {install('minari')} ({error})") from error
    spec = recording.spec
    if spec.most_players > 1 or len(spec.action_fields) != 1:
        raise ArgumentError(
            f"{recording.task} has several players or actions of several arrays, and Minari's "
            "datasets have neither"
        )
    chosen = list(recording if episodes is None else episodes)
    buffers = [
        _buffer(buffer_class, i, episode, spec.action_fields[0]["dtype"])
        for i, episode in enumerate(chosen)
    ]
    kwargs.setdefault("description", f"{len(chosen)} episodes of envpool-next's {recording.task}")
    return minari.create_dataset_from_buffers(
        dataset_id=dataset_id,
        buffer=buffers,
        observation_space=spec.observation_space,
        action_space=spec.action_space,
        **kwargs,
    )


def _buffer(buffer_class: Any, number: int, episode: Episode, action_dtype: str) -> Any:
    rollout = episode.rollout()
    return buffer_class(
        id=number,
        seed=int(episode.seed) if episode.seed < 2**63 else None,
        observations=_lists(rollout.observations),
        actions=list(rollout.actions.astype(action_dtype)),
        rewards=rollout.rewards.astype(np.float64).tolist(),
        terminations=rollout.terminated.tolist(),
        truncations=rollout.truncated.tolist(),
    )


def _lists(observations: Any) -> Any:
    """With a list of steps at each leaf."""
    if isinstance(observations, dict):
        return {name: _lists(part) for name, part in observations.items()}
    if isinstance(observations, tuple):
        return tuple(map(_lists, observations))
    return list(observations)
