"""SuiteEnvSpec: what is known of a task of dm_control's suite."""

from __future__ import annotations

from typing import Any, Literal

from gymnasium import spaces

from envpool.families.dm_control.steps import DESCRIPTIONS, TIMESTEPS, with_steps
from envpool.families.mujoco.view_settings import view_settings
from envpool.spec.env_spec import EnvSpec
from envpool.spec.lazy import lazy_property
from envpool.spec.spaces import Field, gymnasium_space


def _dict_space(fields: list[Field], spaces: Any) -> Any:
    return spaces.Dict([(field["name"], gymnasium_space(field, spaces)) for field in fields])


class SuiteEnvSpec(EnvSpec):
    """An :class:`EnvSpec` whose observations have two sets of keys.

    Observations are dicts of float64. EnvPool's have the keys of all tasks of a domain, with zeros
    where a task has none. Gymnasium's own API has dm_control's keys of the task, in its order; the
    others have these with ``observation_keys="dm_control"``. With ``flat_observation`` there is one
    key, ``observations``, of shape ``(n,)``. With ``from_pixels`` observations are uint8 of shape
    ``(3 * frame_stack, height, width)``. Actions are float64.

    Environment i has the generator ``numpy.random.RandomState(seed + i)``, which takes 32 bits; a
    larger seed, also of one environment alone, raises a ValueError.
    """

    seed_bits = 32

    def space_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """See :meth:`EnvSpec.space_of`; here keys have the order of the observations.

        Gymnasium would sort them, and EnvPool does not.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        if what == "action" or self.options_of(0)["from_pixels"]:
            return super().space_of(what, spaces)
        return _dict_space(self._described["observation"], spaces)

    @lazy_property
    def strict_observation_space(self) -> spaces.Space[Any]:
        """See :attr:`EnvSpec.strict_observation_space`; here it has dm_control's keys."""
        if self.options_of(0)["from_pixels"]:
            return super().strict_observation_space
        options = self.options_of(0) | {"observation_keys": "dm_control"}
        space: spaces.Space[Any] = _dict_space(self.env_type.spec(options)["observation"], spaces)
        return space

    @classmethod
    def own_names(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.own_names`; here dm_control's names of lengths count as well.

        Args:
            kwargs: Values of options. ``n_sub_steps`` and ``control_timestep`` set ``frame_skip``,
                and ``time_limit`` sets ``max_episode_steps``.

        Raises:
            TypeError: A value of these has a wrong type.
            ValueError: It is not allowed, or another name says something else.
        """
        timestep = TIMESTEPS[cls.env_type.name]
        return with_steps(super().own_names(kwargs), timestep, cls.defaults["frame_skip"])

    @classmethod
    def other_options(cls, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.other_options`; here they are dm_control's, None unless given.

        Args:
            options: The values of all options.
        """
        return {name: options.get(name) for name in DESCRIPTIONS}

    @classmethod
    def describe_options(cls) -> dict[str, str]:
        """See :meth:`EnvSpec.describe_options`."""
        return super().describe_options() | DESCRIPTIONS

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers.
        """
        return options | view_settings(options)
