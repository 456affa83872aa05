"""GridWorldEnvSpec: missions as text, and minigrid's names and values of options."""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules
from envpool.spec.option_values import KnownOptions
from envpool.spec.spaces import Spaces

# The meaning of minigrid's None, by options.
_NONE: dict[str, Any] = {
    **{name: [-1, -1] for name in ("agent_start_pos", "agent_pos", "goal_pos")},
    **dict.fromkeys(("select_by", "first_color", "second_color"), ""),
    "max_steps": 0,
}
_LISTS = ("action_kinds", "instr_kinds")  # EnvPool has them as one text with commas
_LETTERS = string.ascii_letters + string.digits + " ,"
_PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " "  # in one's own mission
_MOST_CHARACTERS = 2 * 200 * 200  # of a map


class GridWorldOptions(KnownOptions):
    """Options that also have minigrid's names, and None for a cell."""

    other_names: ClassVar[Mapping[str, str]] = {
        "numObjs": "num_objs",
        "minNumRooms": "min_num_rooms",
        "maxNumRooms": "max_num_rooms",
        "maxRoomSize": "max_room_size",
        "wfc_config": "wfc_preset",
    }

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here a map of one string becomes rows.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values.
        """
        result = super().own_names(kwargs)
        return result | {"map": _map_or_maps(result["map"])} if "map" in result else result

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            ValueError: A map is too large.
        """
        native = _with_rows(options)  # what set_attr changes comes here without own_names
        for name, value in options.items():
            if value is None and name in _NONE:
                native[name] = _NONE[name]
            elif isinstance(value, str) and name in _LISTS:
                native[name] = value.split(",")
        return native

    def reset_values(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.reset_values`; here a map of one string becomes rows.

        Args:
            options: Values by name.

        Raises:
            ValueError: A map is too large.
        """
        return _with_rows(options)


class GridWorldSpaces(Spaces):
    """Spaces with missions as text in Gymnasium's own API."""

    usual_infos: ClassVar[InfoRules] = InfoRules(only_envpool=("agent_pos", "mission_id"))

    @cached_property
    def strict_observation(self) -> spaces.Space[Any]:
        """See :attr:`Spaces.strict_observation`; here its missions are text."""
        space = self.observation
        if not isinstance(space, spaces.Dict) or not isinstance(space["mission"], spaces.Box):
            return space
        letters = _PRINTABLE if "mission" in self.options.known.defaults else _LETTERS
        text = spaces.Text(space["mission"].shape[0], min_length=0, charset=letters)
        return spaces.Dict({**space.spaces, "mission": text})


class GridWorldEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes minigrid's names of options, and None for a cell.

    In EnvPool's dialects a mission is uint8 of shape ``(mission_bytes,)``, UTF-8 and zeros
    (:func:`envpool.minigrid.decode_mission`), in Gymnasium's own API a string. With
    ``mission_words`` it is an array of numbers in both.
    """

    known_class = GridWorldOptions
    spaces_class = GridWorldSpaces


def _with_rows(options: dict[str, Any]) -> dict[str, Any]:
    """A copy of options in which a map is rows."""
    if "map" not in options:
        return dict(options)
    rows = _map_or_maps(options["map"])
    _check_size(rows)
    return options | {"map": rows}


def _map_or_maps(value: Any) -> Any:
    """A map's rows as a list of strings, or such a list for each environment.

    What is no map is returned as it is, to be refused like a wrong value of any other option.

    Args:
        value: A map: its rows, or one string of as many lines. Or a list of maps.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str):
        return value.strip("\n").splitlines()
    if not isinstance(value, list | tuple):
        return value
    if any(_is_map(each) for each in value):
        return [_map_or_maps(each) for each in value]
    return list(value)


def _is_map(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" in value.strip("\n")
    return isinstance(value, list | tuple | np.ndarray)


def _check_size(rows: Any) -> None:
    """Refuses a map that is too large to be looked at; its rows may be one string many times.

    Args:
        rows: A map, if it is one.

    Raises:
        ValueError: It has more characters than the largest map.
    """
    if not isinstance(rows, list):
        return
    characters = sum(len(row) for row in rows if isinstance(row, str))
    if characters > _MOST_CHARACTERS:
        raise ArgumentError(
            f"map has {characters} characters, expected at most {_MOST_CHARACTERS}: 200 rows and "
            "columns of cells"
        )
