"""Rollout: what an episode's environment returned; and rollouts as a dataset of Minari."""

from __future__ import annotations

import copy
import dataclasses
import shutil
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, import_optional, shown
from envpool.recordings.player import Row, unusual_options
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field
from envpool.tasks.registry import gymnasium_id


@dataclasses.dataclass(frozen=True)
class Rollout:
    """An episode of ``n`` steps, or the end of one, in EnvPool's dialect of Gymnasium's API.

    If a task has several players, whose number may change, lists replace the first axis of arrays.

    Attributes:
        start: The first step that it has.
        observations: ``n + 1`` of them: arrays of shape ``(n + 1, *shape)``, in (nested) dicts or
            tuples if the observation space is one.
        actions: An array of shape ``(n, *shape)``, or a tuple of several, as they were sent.
        rewards: An array of shape ``(n,)``.
        terminated: bools of shape ``(n,)``.
        truncated: bools of shape ``(n,)``.
        infos: ``n + 1`` of them, as (nested) dicts of arrays.
        frames: If it was drawn, ``n + 1`` images, uint8 of shape ``(n + 1, height, width, 3)``.
        failure: The exception's message, if the environment failed at the end.
        failed_action: The action with which it failed, an array or several as in ``actions``.
    """

    start: int
    observations: Any
    actions: Any
    rewards: Any
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    infos: Any
    frames: NDArray[np.uint8] | None = None
    failure: str = ""
    failed_action: Any = None

    def __len__(self) -> int:
        return len(self.terminated)


def make_rollout(
    rows: Sequence[Row], start: int, reward_dtype: str, fields: Sequence[Field], has_players: bool
) -> Rollout:
    """Puts rows together.

    Args:
        rows: Those of an episode, the first one without a reward.
        start: The step that they begin with.
        reward_dtype: The type of the rewards.
        fields: The action's arrays.
        has_players: Can there be several players?
    """
    last = rows[-1]
    failed = last if last.failure else None
    rows = [row for row in rows if not row.failure]
    steps = rows[1:]
    rewards = [row.reward.astype(reward_dtype) for row in steps if row.reward is not None]
    actions = tuple(
        _stack([row.action[i] for row in steps], has_players)
        if steps
        else np.zeros((0, *field["shape"]), field["dtype"])
        for i, field in enumerate(fields)
    )
    frames = [row.frame for row in rows if row.frame is not None]
    return Rollout(
        start=start,
        observations=_stack([row.observation for row in rows], has_players),
        actions=actions[0] if len(fields) == 1 else actions,
        rewards=_stack(rewards, has_players) if rewards else np.zeros(0, reward_dtype),
        terminated=np.array([row.terminated for row in steps], bool),
        truncated=np.array([row.truncated for row in steps], bool),
        infos=_stack(_with_all_keys([row.info for row in rows]), has_players),
        frames=np.stack(frames) if frames else None,
        failure=failed.failure if failed else "",
        failed_action=_failed_action(failed),
    )


def _failed_action(failed: Row | None) -> Any:
    if failed is None or not failed.action:
        return None
    action = tuple(field[0] if len(field) == 1 else field for field in failed.action)
    return action[0] if len(action) == 1 else action


def _with_all_keys(infos: list[Any]) -> list[Any]:
    """Infos of one row each, where what only some have, as their masks tell, is in all of them."""
    masked = {
        name: value
        for info in infos
        if isinstance(info, dict)
        for name, value in info.items()
        if f"_{name}" in info
    }
    whole = [{**info} if masked else info for info in infos]
    for name, value in masked.items():
        if isinstance(value, dict):
            nothing: Any = {}
        else:
            nothing = np.full_like(value, None if value.dtype == object else 0)
        columns = [info.setdefault(name, nothing) for info in whole]
        if isinstance(value, dict):
            for info, column in zip(whole, _with_all_keys(columns), strict=True):
                info[name] = column
        for info in whole:
            info.setdefault(f"_{name}", np.zeros(1, bool))
    return whole


def _stack(rows: Sequence[Any], has_players: bool) -> Any:
    """Arrays with an axis of rows, for those that have one row each."""
    if not rows:
        return np.zeros(0)
    if isinstance(rows[0], dict):
        # A reset has fewer infos than a step.
        names = dict.fromkeys(name for row in rows for name in row)
        return {
            name: _stack([row[name] for row in rows if name in row], has_players) for name in names
        }
    if isinstance(rows[0], tuple):
        parts = [_stack(part, has_players) for part in zip(*rows, strict=True)]
        return type(rows[0])(*parts) if hasattr(rows[0], "_fields") else tuple(parts)
    return list(rows) if has_players else np.stack([row[0] for row in rows])


def first_difference(ours: Rollout, theirs: Rollout) -> str:
    """Says where two rollouts from the same step first differ; empty if nowhere.

    Observations and rewards are compared in the types of the first one.
    """
    for step in range(max(len(ours), len(theirs)) + 1):
        if step > min(len(ours), len(theirs)):
            return f"after step {step - 1}: one of {len(ours)} and {len(theirs)} steps"
        pairs = [*_leaves(ours.observations, theirs.observations, step, "observation")]
        if step > 0:
            for name in ("rewards", "terminated", "truncated"):
                pairs.append((name, getattr(ours, name)[step - 1], getattr(theirs, name)[step - 1]))
        for name, left, right in pairs:
            mine, other = np.asarray(left), np.asarray(right)
            if mine.shape != other.shape or mine.tobytes() != other.astype(mine.dtype).tobytes():
                return f"step {ours.start + step}: {name} is {left!r}, and {right!r} in the other"
    return ""


def _leaves(ours: Any, theirs: Any, step: int, name: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(ours, dict):
        for key in ours:
            yield from _leaves(ours[key], theirs[key], step, f"{name}[{key!r}]")
    elif isinstance(ours, tuple):
        for i, part in enumerate(ours):
            yield from _leaves(part, theirs[i], step, f"{name}[{i}]")
    else:
        yield name, ours[step], theirs[step]


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
    made = copy.deepcopy(found)
    made.kwargs |= unusual_options(spec, str(spec.id))
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
