"""Datasets of Minari, made of rollouts."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np

from envpool.errors import ArgumentError, import_optional
from envpool.recordings.rollout import EpisodeRollout
from envpool.spec.env_spec import EnvSpec
from envpool.tasks.registry import gymnasium_id, registry


def write_dataset(
    dataset_id: str,
    spec: EnvSpec,
    seeds: Sequence[int],
    rollouts: Iterable[EpisodeRollout],
    **kwargs: Any,
) -> Any:
    """See :meth:`envpool.recordings.recording.Recording.to_minari`.

    Args:
        dataset_id: Its name.
        spec: What was recorded.
        seeds: Those of episodes.
        rollouts: Likewise; they are written as they come.
        **kwargs: See there.
    """
    minari = import_optional("minari", "Minari", "minari")
    buffer_class = import_optional("minari.data_collector", "Minari", "minari").EpisodeBuffer
    if spec.spaces.most_players > 1 or len(spec.spaces.action_fields) != 1:
        raise ArgumentError(
            f"{spec.id} has several players or actions of several arrays, and Minari's "
            "datasets have neither"
        )
    if not seeds:
        raise ArgumentError("there are no episodes, expected one at least")
    dtype = spec.spaces.action_fields[0]["dtype"]
    whole = ((seed, each) for seed, each in zip(seeds, rollouts, strict=True) if len(each))
    first = next(whole, None)
    if first is None:
        raise ArgumentError("the episodes have no steps, expected one at least")
    buffers = (
        _buffer(buffer_class, number, seed, rollout, dtype)
        for number, (seed, rollout) in enumerate(itertools.chain([first], whole))
    )
    kwargs.setdefault("description", f"episodes of envpool-next's {spec.id}")
    kwargs.setdefault("env", _gymnasium_spec(spec))
    kwargs.setdefault("jpeg_encoding", False)  # which would change pixels
    dataset = minari.create_dataset_from_buffers(
        dataset_id=dataset_id,
        buffer=buffers,
        observation_space=spec.observation_space,
        action_space=spec.action_space,
        **kwargs,
    )
    if dataset.total_episodes < len(seeds):
        missing = f"{len(seeds) - dataset.total_episodes} of {len(seeds)} episodes"
        warnings.warn(f"{missing} have no steps, and are left out", UserWarning, stacklevel=3)
    return dataset


def _gymnasium_spec(spec: EnvSpec) -> gymnasium.envs.registration.EnvSpec | None:
    """Gymnasium's spec that makes such an environment; None if there is none.

    Nothing makes several tasks, environments that are not alike, those written in Python, and
    options that JSON does not have.
    """
    found = gymnasium.registry.get(gymnasium_id(spec.id)) if isinstance(spec.id, str) else None
    if found is None:
        return None
    each = [spec.options.given_of(env) for env in range(spec.config.num_envs)]
    usual = registry.make_spec(str(spec.id)).options.given_of(0)
    made = copy.deepcopy(found)
    made.kwargs |= {name: value for name, value in each[0].items() if value != usual[name]}
    made.max_episode_steps = spec.config.max_episode_steps
    try:
        made.to_json()
    except (TypeError, ValueError):
        return None
    return made if all(other == each[0] for other in each) else None


def _buffer(
    buffer_class: Any, number: int, seed: int, rollout: EpisodeRollout, action_dtype: str
) -> Any:
    truncated = rollout.truncated.copy()
    truncated[-1] |= bool(rollout.failure)  # or it would look as if it went on
    return buffer_class(
        id=number,
        seed=seed if seed < 2**63 else None,
        observations=rollout.observations,
        actions=rollout.actions.astype(action_dtype),
        rewards=rollout.rewards.astype(np.float64),
        terminations=rollout.terminated,
        truncations=truncated,
        infos=_numbers(rollout.infos),
    )


def _numbers(infos: dict[str, Any]) -> dict[str, Any]:
    """Infos but for texts and objects, which Minari's files lack, and numbers of environments."""
    kept: dict[str, Any] = {}
    for name, value in infos.items():
        if isinstance(value, dict):
            kept |= {name: inner} if (inner := _numbers(value)) else {}
        elif name != "env_id" and np.asarray(value).dtype.kind in "biufc":
            kept[name] = value
    return kept
