"""The keys that play a task: those of its family, or the digits of its actions."""

from __future__ import annotations

from collections.abc import Collection
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import envpool
from envpool.families.record import Keys, records
from envpool.tasks.registry import registry

_MOST_DIGITS = 10


class Keyboard(NamedTuple):
    """The keys of a task."""

    keys: Keys

    def action(self, held: Collection[str], spec: envpool.EnvSpec) -> NDArray[Any] | None:
        """Make a batch of one action, or None if the game waits for a key.

        Args:
            held: The names of the keys that are held down.
            spec: The task's, for the dtype and the bounds of its actions.

        """
        synonyms = {key: other for key, (other, _) in self.keys.items() if isinstance(other, str)}
        meant = {"", *(synonyms.get(key, key) for key in held)}
        pressed = [
            keys
            for keys in self.keys
            if keys not in synonyms and meant.issuperset(keys.split(" + "))
        ]
        if not pressed:
            return None
        space = spec.action_space
        *_, array = spec.action_array_spec.values()  # after those of ids
        if isinstance(space, spaces.Box):
            total = np.sum([self.keys[keys][0] for keys in pressed], axis=0)
            action: NDArray[Any] = np.clip(total, space.low, space.high).astype(array.dtype)
            return action[None]
        most = max(pressed, key=lambda keys: len(keys and keys.split(" + ")))
        return np.array([self.keys[most][0]], array.dtype)

    def lines(self) -> list[str]:
        """Describe each key in a line, for the player."""
        width = max(map(len, self.keys))
        lines = [f"{keys:<{width}}  {meaning}" for keys, (_, meaning) in self.keys.items() if keys]
        return lines if "" in self.keys else [*lines, "without a key the game waits"]


def keyboard_of(spec: envpool.EnvSpec) -> Keyboard:
    """Find the keys of a task.

    Raises:
        ValueError: It has none.
        ImportError: A package is missing that knows the meanings of actions.

    """
    package = getattr(registry.find(str(spec.id)), "import_path", "")
    record = next((each for each in records().values() if each.package == package), None)
    keys: Keys | None = resolve_name(record.keys)(spec) if record and record.keys else None
    space = spec.action_space
    if not keys and isinstance(space, spaces.Discrete) and spec.spaces.most_players == 1:
        actions = range(int(space.start), int(space.start + space.n))
        if actions.start >= 0 and actions.stop <= _MOST_DIGITS:
            keys = {str(action): (action, f"action {action}") for action in actions}
    if not keys:
        raise ValueError(f"there are no keys for {spec.id}: watch it with --policy random")
    return Keyboard(keys)
