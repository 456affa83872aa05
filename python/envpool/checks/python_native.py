"""PythonNative: a pool of environments written in Python, as Probe has native ones."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool.flavours.python_spec import PythonEnvSpec
from envpool.spec.plans import Contents, Plan, Plans
from envpool.workers.letters import Reply
from envpool.workers.spaces import SpaceLeaves

OF_THE_POOL = (
    *("@env_id", "@players.env_id", "@elapsed_step", "@reward"),
    *("@terminated", "@truncated"),
)
_PLAIN = (str, bytes, int, float, complex, np.generic, type(None), set, frozenset)


class PythonNative:
    """The calls of a native pool, whose results are all columns.

    Beside arrays there are columns of objects: ``info``, and parts of observations that are no
    arrays. Infos are as the environments returned them, not merged. Parts of actions that are no
    arrays are always the same. There are no columns of ended episodes.

    Args:
        spec: What to make; see :meth:`envpool.checks.subject.Subject.spec`.
    """

    def __init__(self, spec: PythonEnvSpec) -> None:
        assert spec.open_workers
        self._pool = spec.open_workers(plans_of)
        self._leaves = SpaceLeaves(self._pool.observation_space, "obs")
        self._words = tuple(_sample(leaf.space) for leaf in self._pool.action_leaves.objects)

    def __getattr__(self, name: str) -> Any:
        """The pool's own calls, such as ``get_state`` and ``close``."""
        return getattr(self._pool, name)

    def send(self, action: Any, env_id: Any) -> None:
        """Starts steps."""
        arrays = action if isinstance(action, tuple) else (action,)
        if self._words:  # what is no array goes with the others
            batch = self._pool.action_leaves.batch(arrays, [self._words] * len(env_id))
            self._pool.send(batch, env_id)
        else:
            self._pool.native.send(arrays, env_id)

    def send_reset(self, env_id: Any, seeds: Sequence[int], options: dict[str, Any]) -> None:
        """Starts resets."""
        self._pool.send_reset(env_id, seeds, options or None)

    def recv(self, is_reset: bool, timeout: float | None) -> dict[str, NDArray[Any]]:
        """The next batch of results."""
        columns: dict[str, NDArray[Any]]
        columns, replies = self._pool.recv_apart(is_reset, timeout)
        count = len(columns["@env_id"])
        nothing = Reply({}, (None,) * len(self._leaves.objects))
        each = [replies.get(row, nothing) for row in range(count)]
        columns = columns | {"info": _objects([reply.info for reply in each])}
        for i, leaf in enumerate(self._leaves.objects):
            columns[f"obs.{leaf.name}"] = _objects([reply.objects[i] for reply in each])
        return columns


def plans_of(contents: Contents, of_the_pool: Iterable[str] = OF_THE_POOL) -> Plans:
    """Plans by which all results are a dict of all columns."""
    own = [f"obs.{name}" for name in contents.observation_names]
    own += [f"info.{name}" for name in contents.infos]
    step: dict[str, Plan] = {name: name for name in (*own, *of_the_pool)}
    return Plans(step=step, reset=step, final_step=step)


def _sample(space: spaces.Space[Any]) -> Any:
    space = copy.deepcopy(space)
    space.seed(0)
    return space.sample()


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    column = np.empty(len(values), object)
    for row, value in enumerate(values):
        column[row] = comparable(value)
    return column


def comparable(value: Any) -> Any:
    """A copy of what an environment returned; of objects that nobody can compare only the type.

    Args:
        value: Any info, or part of an observation.
    """
    if isinstance(value, dict):
        return {key: comparable(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        parts = [comparable(part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, np.ndarray):
        return value.copy() if value.dtype != object else comparable(value.tolist())
    return value if isinstance(value, _PLAIN) else f"a {type(value).__qualname__}"
