"""VizdoomEnvSpec: options that are dicts, and notifications as text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.errors import shown
from envpool.families.vizdoom import VERSION
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import KnownOptions
from envpool.spec.spaces import Spaces

_LETTERS = "".join(map(chr, range(127)))
_DICTS = ("reward_config", "selected_weapon_reward_config", "delta_button_config")


def _entry(text: str) -> tuple[Any, Any]:
    """``"HEALTH=0.005,-0.003"`` as a key and its numbers, or one number."""
    key, _, values = text.partition("=")
    numbers = [float(number) for number in values.split(",")]
    return (int(key) if key.isdigit() else key), numbers if len(numbers) > 1 else numbers[0]


def _texts(name: str, values: Any) -> list[str]:
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} is {shown(values)}, expected a dict of numbers")
    texts = []
    for key, value in values.items():
        numbers = np.atleast_1d(np.asarray(value))
        if numbers.dtype.kind not in "iuf" or numbers.ndim > 1:
            raise TypeError(f"{name}[{shown(key)}] is {shown(value)}, expected numbers")
        texts.append(f"{key}={','.join(repr(float(number)) for number in numbers)}")
    return texts


class VizdoomOptions(KnownOptions):
    """Options of which some are dicts."""

    def own_default(self, name: str, default: Any) -> Any:
        """See :meth:`KnownOptions.own_default`; here texts are dicts.

        Args:
            name: The option.
            default: What the native core tells.
        """
        return dict(map(_entry, default)) if name in _DICTS else default

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: One of the dicts is none of numbers.
        """
        return options | {name: _texts(name, options[name]) for name in _DICTS if name in options}


class VizdoomSpaces(Spaces):
    """Spaces with notifications as text in Gymnasium's own API."""

    @cached_property
    def strict_observation(self) -> spaces.Space[Any]:
        """See :attr:`Spaces.strict_observation`; here notifications are text."""
        space = self.observation
        letters = isinstance(space, spaces.Dict) and space.get("notifications")
        if not isinstance(space, spaces.Dict) or not isinstance(letters, spaces.Box):
            return space
        text = spaces.Text(letters.shape[0], min_length=0, charset=_LETTERS)
        return spaces.Dict({**space.spaces, "notifications": text})


class VizdoomEnvSpec(EnvSpec):
    """An :class:`EnvSpec` with options that are dicts, and with notifications as text.

    With EnvPool's ids, observations are uint8 of shape ``(stack_num * channels, img_height,
    img_width)``, with one channel or three; actions are float64, with a number for each button, or
    with ``use_combined_action`` the number of a combination.
    With ViZDoom's own, such as ``"VizdoomBasic-v1"``, observations are dicts of ``screen``, uint8
    of shape ``(height, width, channels)``, and what else the scenario has.
    """

    engine = f"ViZDoom {VERSION}"
    known_class = VizdoomOptions
    spaces_class = VizdoomSpaces
