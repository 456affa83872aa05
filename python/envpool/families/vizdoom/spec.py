"""VizdoomEnvSpec: options that are dicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool.errors import shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import KnownOptions

_DICTS = ("reward_config", "selected_weapon_reward_config", "delta_button_config")


def _entry(text: str) -> tuple[Any, Any]:
    """``"HEALTH=0.005,-0.003"`` as a key and its numbers, or one number."""
    key, _, values = text.partition("=")
    numbers = [float(number) for number in values.split(",")]
    return (int(key) if key.isdigit() else key), numbers if len(numbers) > 1 else numbers[0]


def _texts(name: str, values: Any) -> list[str]:
    if isinstance(values, list) and all(isinstance(entry, str) for entry in values):
        return values
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

    def __init__(
        self,
        name: str,
        own: Mapping[str, dict[str, Any]],
        reset: Mapping[str, dict[str, Any]],
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        if defaults is None:
            defaults = {each: entry["default"] for each, entry in own.items()}
            defaults |= {each: dict(map(_entry, defaults[each])) for each in _DICTS}
        super().__init__(name, own, reset, defaults)

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: One of the dicts is none of numbers.
        """
        return options | {name: _texts(name, options[name]) for name in _DICTS if name in options}


class VizdoomEnvSpec(EnvSpec):
    """An :class:`EnvSpec` with options that are dicts.

    Observations are uint8 of shape ``(stack_num * channels, img_height, img_width)``, with one
    channel or three; actions are float64, with a number for each button.
    """

    known_class = VizdoomOptions
