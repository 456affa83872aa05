"""Datasets of Minari, made of rollouts."""

from __future__ import annotations

import copy
import shutil
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from envpool.errors import ArgumentError, import_optional, shown
from envpool.recordings.rollout import Rollout
from envpool.spec.env_spec import EnvSpec
from envpool.tasks.registration import registry
from envpool.tasks.registry import gymnasium_id


def write_dataset(
    dataset_id: str,
    spec: EnvSpec,
    seeds: Sequence[int],
    rollouts: Iterable[Rollout],
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
    if kwargs.get("data_format") in (None, "hdf5"):
        import_optional("h5py", "h5py", "minari")
    folder = _check_dataset_id(dataset_id)
    if not seeds:
        raise ArgumentError("there are no episodes, expected one at least")
    dtype = spec.spaces.action_fields[0]["dtype"]
    whole = ((seed, each) for seed, each in zip(seeds, rollouts, strict=True) if len(each))
    buffers = (
        _buffer(buffer_class, number, seed, rollout, dtype)
        for number, (seed, rollout) in enumerate(whole)
    )
    kwargs.setdefault("description", f"episodes of envpool-next's {spec.id}")
    kwargs.setdefault("env", _gymnasium_spec(spec))
    kwargs.setdefault("jpeg_encoding", False)  # which would change pixels
    with _leaving_nothing(folder):
        dataset = minari.create_dataset_from_buffers(
            dataset_id=dataset_id,
            buffer=buffers,
            observation_space=spec.observation_space,
            action_space=spec.action_space,
            **kwargs,
        )
        written = int(dataset.total_episodes)
        if not written:
            raise ArgumentError("the episodes have no steps, expected one at least")
    if written < len(seeds):
        missing = f"{len(seeds) - written} of {len(seeds)} episodes"
        warnings.warn(f"{missing} have no steps, and are left out", UserWarning, stacklevel=3)
    return dataset


def _check_dataset_id(dataset_id: str) -> Path:
    """The folder of a dataset, which Minari would also make of ids that it does not know.

    Raises:
        ArgumentError: It is no id, or there is such a dataset.
    """
    parse = import_optional("minari.dataset.minari_dataset", "Minari", "minari").parse_dataset_id
    root = import_optional("minari.storage.datasets_root_dir", "Minari", "minari")
    try:
        parse(dataset_id)
    except (TypeError, ValueError):  # TypeError: without a version
        raise ArgumentError(
            f"dataset_id is {shown(dataset_id)}, expected letters, digits, '-' and '_', two "
            "at least in a namespace, and a version: 'namespace/name-v0'"
        ) from None
    folder: Path = root.get_dataset_path(dataset_id)
    if folder.exists():
        raise ArgumentError(
            f"dataset_id is {shown(dataset_id)}, expected one that does not exist: "
            f"minari.delete_dataset({dataset_id!r}) deletes it"
        )
    return folder


@contextmanager
def _leaving_nothing(folder: Path) -> Iterator[None]:
    """Removes what was begun there, if it is not completed."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        for path in missing[1:]:
            with suppress(OSError):
                path.rmdir()
        raise


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


def _buffer(buffer_class: Any, number: int, seed: int, rollout: Rollout, action_dtype: str) -> Any:
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
    )
