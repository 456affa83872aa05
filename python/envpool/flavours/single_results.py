"""SingleResults: turns results of a pool of one environment into those of the environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.flavours.row_infos import rows_of
from envpool.flavours.strict_results import StrictResults
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import conform, count_rows, row_of


class SingleResults(StrictResults):
    """Gives the only row as Gymnasium's single environment does: without a batch, without masks.

    Args:
        spec: What the pool is made of, without auto-reset.
    """

    def __init__(self, spec: EnvSpec) -> None:
        super().__init__(spec)
        rules = spec.spaces.info_rules
        self._python_floats = frozenset(rules.keys(rules.python_floats))

    def convert(self, results: tuple[Any, ...], mask: NDArray[np.bool_] | None = None) -> Any:
        """Results as Gymnasium's environment returns them.

        Args:
            results: The native pool's. Those of a pool whose environment failed have no row, and
                are converted as a batch.
            mask: False for an environment that was not reset, which has no infos.
        """
        obs, *rest, info = results
        if not count_rows(obs):
            return super().convert(results, mask)
        row = row_of(conform(self._space, obs), 0)
        if not rest:
            return row, self._row(info) if mask is None or mask[0] else {}
        reward, terminated, truncated = (column.item() for column in rest)
        return row, reward, terminated, truncated, self._row(info, terminated)

    def _row(self, info: dict[str, Any], is_terminated: bool = False) -> dict[str, Any]:
        """The infos of the only row. What only some steps or resets have is left out elsewhere."""
        if not info:
            return info
        differs_at_reset = self._only_steps or self._integer_at_reset
        if differs_at_reset and not info.pop("elapsed_step").item():
            info |= {key: info[key].astype(np.int64) for key in self._integer_at_reset}
            info = {key: value for key, value in info.items() if key not in self._only_steps}
        if self._only_terminated and not is_terminated:
            info = {key: value for key, value in info.items() if key not in self._only_terminated}
        if self._statistics_keys and not info.pop("_episode").item():
            info.pop("episode")
        return {key: self._value(key, value) for key, value in self._narrow(info).items()}

    def _value(self, key: str, value: dict[str, Any] | NDArray[Any]) -> Any:
        if isinstance(value, dict):
            return {inner: self._value(inner, values) for inner, values in value.items()}
        return rows_of(value, key in self._python_floats)[0]
