"""GridWorldEnvSpec: missions as text, and minigrid's names and values of options."""

from __future__ import annotations

import string
from typing import Any

from gymnasium import spaces

from envpool.errors import shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.lazy import lazy_property

# minigrid's names of options, by ours, which are EnvPool's.
_NAMES = {
    "numObjs": "num_objs",
    "minNumRooms": "min_num_rooms",
    "maxNumRooms": "max_num_rooms",
    "maxRoomSize": "max_room_size",
    "wfc_config": "wfc_preset",
}
# What its None means, by options.
_NONE: dict[str, Any] = {
    **{name: [-1, -1] for name in ("agent_start_pos", "agent_pos", "goal_pos")},
    **dict.fromkeys(("select_by", "first_color", "second_color"), ""),
    "max_steps": 0,
}
_LISTS = ("action_kinds", "instr_kinds")  # EnvPool has them as one text with commas
_LETTERS = string.ascii_letters + string.digits + " ,"


class GridWorldEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes minigrid's names of options, and None for a cell.

    In EnvPool's dialects a mission is uint8 of shape ``(mission_bytes,)``, UTF-8 and zeros
    (:func:`envpool.minigrid.decode_mission`), in Gymnasium's own API a string. With
    ``mission_words`` it is an array of numbers in both.
    """

    @classmethod
    def own_names(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.own_names`.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values.
        """
        result = super().own_names(kwargs)
        for theirs, ours in _NAMES.items():
            if theirs not in result or ours not in cls.defaults:
                continue
            value = result.pop(theirs)
            if result.setdefault(ours, value) != value:
                raise TypeError(
                    f"{theirs} is {shown(value)} and {ours} is {shown(result[ours])}, "
                    "expected one of them: they are the same option"
                )
        return result

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.to_native`.

        Args:
            options: Values by name, as the caller gave them.
        """
        native = dict(options)
        for name, value in options.items():
            if value is None and name in _NONE:
                native[name] = _NONE[name]
            elif isinstance(value, str) and name in _LISTS:
                native[name] = value.split(",")
        return native

    @lazy_property
    def strict_observation_space(self) -> spaces.Space[Any]:
        """See :attr:`EnvSpec.strict_observation_space`; here its missions are text."""
        space = self.observation_space
        if not isinstance(space, spaces.Dict) or not isinstance(space["mission"], spaces.Box):
            return space
        text = spaces.Text(space["mission"].shape[0], min_length=0, charset=_LETTERS)
        return spaces.Dict({**space.spaces, "mission": text})
