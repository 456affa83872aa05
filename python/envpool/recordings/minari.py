"""Recordings as datasets of Minari, the format of offline reinforcement learning."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterable
from typing import Any

import gymnasium
import numpy as np

from envpool.errors import ArgumentError, install
from envpool.recordings.rollout import Rollout
from envpool.spec.env_spec import EnvSpec
from envpool.tasks.registration import registry
from envpool.tasks.registry import gymnasium_id


def write_dataset(
    dataset_id: str, spec: EnvSpec, rollouts: Iterable[tuple[int, Rollout]], **kwargs: Any
) -> Any:
    """See :meth:`envpool.recordings.recording.Recording.to_minari`.

    Args:
        dataset_id: Its name.
        spec: What was recorded.
        rollouts: Those of episodes, with their seeds.
        **kwargs: See there.
    """
    try:
        minari: Any = importlib.import_module("minari")
        buffer_class: Any = importlib.import_module("minari.data_collector").EpisodeBuffer
    except ImportError as error:
        raise ImportError(f"this needs Minari: {install('minari')} ({error})") from error
    if spec.most_players > 1 or len(spec.action_fields) != 1:
        raise ArgumentError(
            f"{spec.id} has several players or actions of several arrays, and Minari's "
            "datasets have neither"
        )
    buffers = [
        _buffer(buffer_class, number, seed, rollout, spec.action_fields[0]["dtype"])
        for number, (seed, rollout) in enumerate(rollouts)
    ]
    kwargs.setdefault("description", f"{len(buffers)} episodes of envpool-next's {spec.id}")
    kwargs.setdefault("env", _gymnasium_spec(spec))
    kwargs.setdefault("jpeg_encoding", False)  # which would change pixels
    return minari.create_dataset_from_buffers(
        dataset_id=dataset_id,
        buffer=buffers,
        observation_space=spec.observation_space,
        action_space=spec.action_space,
        **kwargs,
    )


def _gymnasium_spec(spec: EnvSpec) -> gymnasium.envs.registration.EnvSpec | None:
    """What makes such an environment by ``gymnasium.make``; None if nothing does.

    Nothing makes several tasks, environments that are not alike, those written in Python, and
    options that JSON does not have.
    """
    found = gymnasium.registry.get(gymnasium_id(spec.id)) if isinstance(spec.id, str) else None
    if found is None:
        return None
    each = [spec.given_options_of(env) for env in range(spec.config.num_envs)]
    usual = registry.make_spec(str(spec.id)).given_options_of(0)
    options = {name: value for name, value in each[0].items() if value != usual[name]}
    made = copy.deepcopy(found)
    made.kwargs |= options
    made.max_episode_steps = spec.config.max_episode_steps
    try:
        made.to_json()
    except (TypeError, ValueError):
        return None
    return made if all(other == each[0] for other in each) else None


def _buffer(buffer_class: Any, number: int, seed: int, rollout: Rollout, action_dtype: str) -> Any:
    return buffer_class(
        id=number,
        seed=seed if seed < 2**63 else None,
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
