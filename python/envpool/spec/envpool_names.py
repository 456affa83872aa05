"""EnvPool's own view of a spec: flat lists of options and arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from envpool.spec.arrays import ArraySpec, array_spec
from envpool.spec.lazy import lazy_property

if TYPE_CHECKING:
    from gymnasium import spaces

    from envpool.spec.infos import InfoRules
    from envpool.spec.spaces import Field


class EnvPoolNames:
    """What EnvPool's clients read of a spec. All of it says again what the spec says elsewhere."""

    config: Any
    defaults: ClassVar[dict[str, Any]]
    columns: dict[str, Field]
    infos: list[str]
    info_rules: InfoRules
    observation_names: list[str]
    action_fields: list[Field]
    observation_space: Any
    action_space: Any

    @lazy_property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a batch has, by EnvPool's names for them, without the batch axis."""
        names = {
            "info:env_id": "@env_id",
            "info:players.env_id": "@players.env_id",
            "elapsed_step": "@elapsed_step",
            "done": "@terminated",
            "reward": "@reward",
            "discount": "@discount",
            "step_type": "@step_type",
            "trunc": "@truncated",
        }
        for name in self.observation_names:
            names["obs" if name == "obs" else f"obs:{name}"] = f"obs.{name}"
        for key, info in self.info_rules.in_envpool(self.infos).items():
            names[f"info:{key}"] = f"info.{info}"
        return {name: array_spec(self.columns[column]) for name, column in names.items()}

    @lazy_property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a step takes, by EnvPool's names, without the batch axis.

        An action's shape begins with -1, as in EnvPool, where it stands for the players.
        """
        ids = {name: array_spec(self.columns[f"@{name}"]) for name in ("env_id", "players.env_id")}
        return ids | {
            field["name"]: array_spec(field, per_player=True) for field in self.action_fields
        }

    @property
    def gymnasium_observation_space(self) -> spaces.Space[Any]:
        """The same as ``observation_space``."""
        space: spaces.Space[Any] = self.observation_space
        return space

    @property
    def gymnasium_action_space(self) -> spaces.Space[Any]:
        """The same as ``action_space``."""
        space: spaces.Space[Any] = self.action_space
        return space

    @property
    def _config_keys(self) -> list[str]:
        return list(self.defaults)

    @property
    def _config_values(self) -> tuple[Any, ...]:
        return tuple(self.config)

    @property
    def _default_config_values(self) -> tuple[Any, ...]:
        return tuple(self.defaults.values())

    @property
    def _state_keys(self) -> list[str]:
        return list(self.state_array_spec)

    @property
    def _action_keys(self) -> list[str]:
        return list(self.action_array_spec)

    @property
    def _state_spec(self) -> tuple[ArraySpec, ...]:
        return tuple(self.state_array_spec.values())

    @property
    def _action_spec(self) -> tuple[ArraySpec, ...]:
        return tuple(self.action_array_spec.values())
