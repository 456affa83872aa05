"""EnvPoolNames and ArraySpec: EnvPool's names for the parts of a spec."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from envpool.spec.fields import Field, bounds, is_uniform
from envpool.spec.plans import own_keys

if TYPE_CHECKING:
    import gymnasium

    from envpool.spec.option_values import KnownOptions, OptionValues
    from envpool.spec.spaces import Spaces


@dataclasses.dataclass(frozen=True)
class ArraySpec:
    """One array of a batch. A -1 in the shape stands for the players of an environment."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    minimum: Any
    maximum: Any
    is_discrete: bool = False


def array_spec(field: Field, *, per_player: bool = False) -> ArraySpec:
    """The array of a field, without the batch axis.

    Args:
        field: The field.
        per_player: Treat it as if it had a row per player.
    """
    low, high = bounds(field)
    has_players = per_player or field["per_player"]
    uniform = is_uniform(low) and is_uniform(high)
    return ArraySpec(
        dtype=np.dtype(field["dtype"]),
        shape=(-1, *field["shape"]) if has_players else field["shape"],
        minimum=low.flat[0].item() if uniform else low,
        maximum=high.flat[0].item() if uniform else high,
        is_discrete=field["space"] == "discrete",
    )


class EnvPoolNames:
    """EnvPool's names for the parts of a spec, which clients read.

    Attributes:
        reward_threshold: The mean return at which the task counts as solved, or None.
        observation_space: Gymnasium's space of one environment's observation.
        action_space: Gymnasium's space of one environment's action.
    """

    config: Any
    known: ClassVar[KnownOptions]
    options: OptionValues
    spaces: Spaces

    @property
    def reward_threshold(self) -> float | None:
        """The mean return at which the task counts as solved."""
        threshold: float | None = self.config.reward_threshold
        return threshold

    @cached_property
    def observation_space(self) -> gymnasium.Space[Any]:
        """Gymnasium's space of one environment's observation."""
        return self.spaces.observation

    @cached_property
    def action_space(self) -> gymnasium.Space[Any]:
        """Gymnasium's space of one environment's action."""
        return self.spaces.action

    def observation_spec(self) -> Any:
        """dm_env's specs of one environment's observation, as the named tuple ``State``."""
        return self.spaces.dm_observation()

    def action_spec(self) -> Any:
        """dm_env's spec of one environment's action, or a nested dict of several."""
        return self.spaces.dm_action()

    @cached_property
    def state_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a batch has, by EnvPool's names for them, without the batch axis."""
        names = own_keys("array")
        for name in self.spaces.observation_names:
            names["obs" if name == "obs" else f"obs:{name}"] = f"obs.{name}"
        for key, info in self.spaces.info_rules.in_envpool(self.spaces.infos).items():
            names[f"info:{key}"] = f"info.{info}"
        return {name: array_spec(self.spaces.columns[column]) for name, column in names.items()}

    @cached_property
    def action_array_spec(self) -> dict[str, ArraySpec]:
        """All arrays that a step takes, by EnvPool's names, without the batch axis.

        An action's shape begins with -1, as in EnvPool, where it stands for the players.
        """
        ids = {
            name: array_spec(self.spaces.columns[f"@{name}"])
            for name in ("env_id", "players.env_id")
        }
        return ids | {
            field["name"]: array_spec(field, per_player=True) for field in self.spaces.action_fields
        }

    @property
    def gymnasium_observation_space(self) -> gymnasium.Space[Any]:
        """The same as ``observation_space``."""
        return self.observation_space

    @property
    def gymnasium_action_space(self) -> gymnasium.Space[Any]:
        """The same as ``action_space``."""
        return self.action_space

    # Of EnvPool's own code; some clients read them.
    _config_keys = property(lambda self: list(self.known.defaults))
    _config_values = property(lambda self: tuple(self.config))
