"""Probe: a pool whose results are its columns, and Play, which plays one and writes them down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.checks.actions import Actions, Asked, Choose, uniform
from envpool.checks.events import Columns, Event
from envpool.checks.python_native import OF_THE_POOL, PythonNative, plans_of
from envpool.flavours.native import make_native
from envpool.flavours.python_pools import PythonCamera
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.render.camera import Camera
from envpool.spec import masks
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import batch_of_one, nest
from envpool.spec.spaces import Spaces

_OF_THE_POOL = (*OF_THE_POOL, "@step_type", "@discount")
_WHOSE = ("@env_id", "@players.env_id")  # not what an environment returns, but that it is this one


class Probe:
    """A pool without any API's idea of what results look like.

    Args:
        spec: What to make.
        pattern: A byte. The memory of results is filled with it before the environments write
            there. (Only in synchronous native pools, and not for the first results.)
    """

    native: Any

    def __init__(self, spec: EnvSpec, pattern: int | None = None) -> None:
        self.spec = spec
        self.is_async = spec.config.batch_size != spec.config.num_envs
        self._pattern = pattern
        if isinstance(spec, PythonEnvSpec):
            self._camera: Camera = PythonCamera(spec)
            self.native = PythonNative(spec)
        else:
            self._camera = Camera(spec)
            plans = plans_of(spec.spaces.contents, _OF_THE_POOL)
            self.native = make_native(spec, plans, reward_dtype="float64", time_step=True)

    def receive(self) -> Columns:
        """The next batch of results, copied out of the pool's memory."""
        received = self.native.recv(False, None)
        copies = {name: array.copy() for name, array in received.items()}
        if self._pattern is not None:
            for array in received.values():
                array.view(np.uint8)[...] = self._pattern
        # With the last array the memory goes back to the pool, which uses it for the next results.
        return copies

    def draw(self, env_ids: Iterable[int]) -> NDArray[np.uint8]:
        """Pictures of these environments, if the spec has a render mode."""
        return self._camera.take(self.native, list(env_ids))

    def close(self) -> None:
        """Ends the pool's threads."""
        self.native.close()
        self._camera.close()

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class Play:
    """Plays the environments of a pool and writes down what each of them returns.

    Args:
        probe: The pool.
        actions: What it gets.
        one_by_one: Run one environment at a time, all in turn. (Otherwise even a pool of one thread
            has the calling thread's help.)

    Attributes:
        events: Those of each environment since the start.
    """

    def __init__(self, probe: Probe, actions: Actions, one_by_one: bool = False) -> None:
        self.probe = probe
        self.events: list[list[Event]] = []
        self.actions = actions
        self._one_by_one = one_by_one
        self._random = np.random.default_rng(0)
        config = probe.spec.config
        is_python = isinstance(probe.spec, PythonEnvSpec)  # whose infos may have masks
        self._has_masks = is_python or bool(masks.declared(probe.spec.spaces))
        self._ids: NDArray[np.int32] = np.arange(config.num_envs, dtype=np.int32)
        self._held = self._ids  # received and not sent again
        self._in_flight = 0  # requests
        self._forget()

    def _forget(self) -> None:
        self.events = [[] for _ in self._ids]
        self._taken = np.zeros(len(self._ids), np.intp)  # actions
        self._over = np.ones(len(self._ids), bool)  # True where a reset comes next
        self._players = np.ones(len(self._ids), np.intp)
        self._asked: dict[int, Asked] = {}  # by environment, if there are masks

    def start(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Play:
        """Resets all environments, with the same actions from then on as after the last start.

        Args:
            seed: The first environment's; the others have the numbers after it.
            options: Reset options.
        """
        self._forget()
        for ids in np.split(self._ids, len(self._ids)) if self._one_by_one else [self._ids]:
            seeds = [] if seed is None else [seed + int(env) for env in ids]
            self.probe.native.send_reset(ids, seeds, options or {})
            received = self._record(self.probe.receive())
        self._held = self._ids if self._one_by_one else received
        self._in_flight = len(self._ids) - len(self._held)
        return self

    def run(self, count: int) -> Play:
        """Goes on until each environment has at least so many events more."""
        goal = np.array([len(events) + count for events in self.events])
        while True:
            self._send_some()
            if self._in_flight == 0:
                break
            ids = self._record(self.probe.receive())
            self._in_flight -= len(ids)
            missing = np.array([len(events) for events in self.events]) < goal
            # Asynchronous pools need all environments to fill their batches.
            going_on = ids if self.probe.is_async else ids[missing[ids]]
            self._held = np.concatenate([self._held, going_on])
            if self.probe.is_async and not missing.any():
                return self
        self._held = self._ids
        return self

    def follow(self, other: Play) -> Play:
        """Takes over where another play stands, as its environments were put there."""
        self._forget()
        self._taken = other._taken.copy()
        self._over = other._over.copy()
        self._players = other._players.copy()
        self._asked = dict(other._asked)
        return self

    def _send_some(self) -> None:
        """Sends those that are held: all, or one, or in asynchronous pools some in any order."""
        count = len(self._held)
        if self.probe.is_async:
            needed = max(self.probe.spec.config.batch_size - self._in_flight, 0)
            count = self._random.integers(needed, count, endpoint=True)
            self._held = self._random.permutation(self._held)
        elif self._one_by_one:
            count = min(count, 1)
        self._send(self._held[:count])
        self._held = self._held[count:]
        self._in_flight += count

    def _send(self, ids: NDArray[np.int32]) -> None:
        if ids.size:
            asked = [self._asked[env] for env in ids.tolist()] if self._has_masks else []
            action = self.actions.of(ids, self._taken[ids], self._players[ids], asked)
            self.probe.native.send(action, ids)

    def _record(self, columns: Columns) -> NDArray[np.int32]:
        for env, row in _rows(columns, self.probe):
            event = Event(bool(self._over[env]), row)
            self._players[env] = _acting(row)
            self._taken[env] += not event.is_reset
            self._over[env] = event.is_end
            if self._has_masks:
                self._asked[env] = _asked(event, self.probe.spec.spaces)
            self.events[env].append(event)
        ids: NDArray[np.int32] = columns["@env_id"]
        return ids


def _rows(columns: Columns, probe: Probe) -> Iterator[tuple[int, Columns]]:
    """Each environment's part of a batch."""
    fields = probe.spec.spaces.columns
    per_player = {name for name, field in fields.items() if field["per_player"]}
    owners = columns["@players.env_id"]
    for index, env in enumerate(columns["@env_id"].tolist()):
        theirs = owners == env
        yield (
            env,
            {
                name: array[theirs] if name in per_player else _element(array, index)
                for name, array in columns.items()
                if name not in _WHOSE
            },
        )


def _asked(event: Event, spaces: Spaces) -> Asked:
    row = event.columns
    observed, told = (
        nest(
            {
                name.removeprefix(prefix): row[name] if field["per_player"] else row[name][None]
                for name, field in spaces.columns.items()
                if name.startswith(prefix)
            }
        )
        for prefix in ("obs.", "info.")
    )
    own = row.get("info")  # in Python, where nobody knows the keys beforehand
    if isinstance(own, dict) and masks.NAME in own:
        told = {masks.NAME: batch_of_one(own[masks.NAME])}
    place = masks.find(observed, told)
    step = 0 if event.is_reset else int(row["@elapsed_step"])
    return Asked(place or {}, step, event.is_end)


def _acting(row: Columns) -> int:
    """How many players the next action is for; those in Python may go before others do.

    Native players act on when they have terminated, and have no ends by time limits of their own.
    """
    if "info.players.truncated" not in row:
        return len(row["@reward"])
    leaving = row["info.players.terminated"] | row["info.players.truncated"]
    return int((~leaving).sum())


def _element(array: NDArray[Any], index: int) -> Any:
    """An object; or an array of shape () instead of a scalar, which would have other bytes."""
    return array[index] if array.dtype == object else array[index, ...]


def played(
    spec: EnvSpec, steps: int, choose: Choose = uniform, one_by_one: bool = False
) -> list[list[Event]]:
    """Plays a new pool: the results of each environment from its first reset on.

    Args:
        spec: What to make.
        steps: How many.
        choose: Makes the actions.
        one_by_one: True if one environment runs at a time.
    """
    with Probe(spec) as probe:
        return Play(probe, Actions(spec, choose), one_by_one).start().run(steps).events
