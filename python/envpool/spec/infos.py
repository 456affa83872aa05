"""InfoRules: which API shows which of an environment's infos, under which names, and as what.

A native environment gives all its infos always, as columns. What EnvPool's dialects and Gymnasium's
own API make of them is said in a table of the family::

    INFOS: InfoTable = {"CarRacing": InfoRules(only_gymnasium=("lap_finished",), ...)}

An environment that is not in its family's table, or whose family has none, has all its infos
everywhere under their own names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# What infos have where an environment has failed and survived that.
FAILURE = "failure"
FAILURE_KEYS = (FAILURE, f"_{FAILURE}")


@dataclasses.dataclass(frozen=True)
class InfoRules:
    """How an environment's infos are shown. All names here are those of the native environment.

    Attributes:
        only_envpool: EnvPool's dialects have them, Gymnasium's own API does not.
        only_gymnasium: The other way round.
        renamed: The key under which an info is shown, where that is not its name: one info in two
            types is two columns.
        aliases: Further keys that EnvPool's dialects have for an info.
        only_steps: Gymnasium's resets lack them.
        only_terminated: Gymnasium has them only in steps that terminate.
        integer_at_reset: Gymnasium's resets have a Python integer where its steps have a float.
        action_precision: Gymnasium computes them in the actions' type, so they are float32 if the
            actions are.
        python_floats: Gymnasium's single environment has Python's floats, not NumPy's.
        numpy_bools: Gymnasium's single environment has NumPy's bools, not Python's; so its vector
            environments have an array of objects, with None where there is no info.

    ``only_steps`` and ``integer_at_reset`` are not for games of several lives, whose episodes do
    not all begin at step 0.
    """

    only_envpool: tuple[str, ...] = ()
    only_gymnasium: tuple[str, ...] = ()
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    only_steps: tuple[str, ...] = ()
    only_terminated: tuple[str, ...] = ()
    integer_at_reset: tuple[str, ...] = ()
    action_precision: tuple[str, ...] = ()
    python_floats: tuple[str, ...] = ()
    numpy_bools: tuple[str, ...] = ()

    def check(self, infos: Iterable[str]) -> None:
        """Finds mistakes in a table.

        Args:
            infos: The names of all infos that the environment gives.

        Raises:
            ValueError: There is a rule for an info that the environment does not give.
        """
        known = set(infos)
        for field in dataclasses.fields(self):
            for name in getattr(self, field.name):
                if name not in known:
                    raise ValueError(f"{field.name} has {name!r}, but there is no such info")

    def key(self, info: str) -> str:
        """The key that shows this info."""
        return self.renamed.get(info, info)

    def keys(self, infos: Iterable[str]) -> tuple[str, ...]:
        """The keys that show these infos."""
        return tuple(map(self.key, infos))

    def in_envpool(self, infos: Iterable[str]) -> dict[str, str]:
        """The keys that EnvPool's dialects have, each with the info that it shows.

        Args:
            infos: The names of all infos that the environment gives, in order.
        """
        shown: dict[str, str] = {}
        for info in infos:
            if info not in self.only_gymnasium:
                shown |= dict.fromkeys((self.key(info), *self.aliases.get(info, ())), info)
        return shown

    def in_gymnasium(self, infos: Iterable[str]) -> dict[str, str]:
        """The same for Gymnasium's own API."""
        return {self.key(info): info for info in infos if info not in self.only_envpool}


# The rules of environments by their native names. A function gets an environment's options, in the
# types that native code has.
InfoTable = Mapping[str, InfoRules | Callable[[Mapping[str, Any]], InfoRules]]
