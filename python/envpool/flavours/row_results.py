"""RowResults: infos as single environments have them, a dict for each; SingleResults: of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.flavours.strict_results import StrictResults
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import conform, count_rows, row_of


class RowResults(StrictResults):
    """Gives each environment's infos as Gymnasium's single environment does, without masks.

    Args:
        spec: What the pool is made of, without auto-reset.
    """

    def __init__(self, spec: EnvSpec) -> None:
        super().__init__(spec)
        rules = spec.spaces.info_rules
        self._python_floats = frozenset(rules.keys(rules.python_floats))

    def convert(self, results: tuple[Any, ...], mask: NDArray[np.bool_] | None = None) -> Any:
        """Results with batches of observations, and a list of infos.

        Args:
            results: The native pool's.
            mask: Who has infos, if not all.
        """
        obs, *rest, info = results
        which = [True] * count_rows(obs) if mask is None else mask.tolist()
        infos: list[dict[str, Any]] = [{} for _ in which]
        if info:
            columns, masks = self._columns(info, rest[1] if rest else None)
            for key, column in columns.items():
                rows = self._rows(key, column)
                for own, row, has in zip(infos, rows, masks.get(key, which), strict=True):
                    if has:
                        own[key] = row
        return conform(self._space, obs), *rest, infos

    def _columns(
        self, info: dict[str, Any], terminated: NDArray[np.bool_] | None
    ) -> tuple[dict[str, Any], dict[str, list[bool]]]:
        """The columns that rows may have, and who has those of some keys.

        Args:
            info: All columns, and masks of the pool's own.
            terminated: Whose episodes have terminated; None: all rows are resets.
        """
        masks = {key[1:]: info.pop(key).tolist() for key in self._other_keys[1::2] if key in info}
        if self._only_steps or self._integer_at_reset:
            info.pop("elapsed_step")
        if terminated is None:
            absent = {*self._only_steps, *self._only_terminated}
            info = {key: value for key, value in info.items() if key not in absent}
            info |= {key: info[key].astype(np.int64) for key in self._integer_at_reset}
        elif self._only_terminated:
            masks |= dict.fromkeys(self._only_terminated, terminated.tolist())
        return self._narrow(info), masks

    def _rows(self, key: str, column: dict[str, Any] | NDArray[Any]) -> Sequence[Any]:
        """The rows of an info: dicts, copies, or numbers of Python's or NumPy's."""
        if isinstance(column, dict):
            parts = {inner: self._rows(inner, values) for inner, values in column.items()}
            return [dict(zip(parts, row, strict=True)) for row in zip(*parts.values(), strict=True)]
        if column.ndim > 1:
            return [row.copy() for row in column]
        is_python = key in self._python_floats or column.dtype.kind in "biu"
        rows: Sequence[Any] = column.tolist() if is_python else list(column)
        return rows


class SingleResults(RowResults):
    """Gives the only row as Gymnasium's single environment does."""

    def convert(self, results: tuple[Any, ...], mask: NDArray[np.bool_] | None = None) -> Any:
        """The row of :meth:`RowResults.convert`; there is none if the environment has failed."""
        obs, *rest, info = results
        if not count_rows(obs):
            return super().convert(results, mask)
        own: dict[str, Any] = {}
        if info and (mask is None or mask[0]):
            columns, masks = self._columns(info, rest[1] if rest else None)
            for key, column in columns.items():
                if key not in masks or masks[key][0]:
                    own[key] = self._rows(key, column)[0]
        row = row_of(conform(self._space, obs), 0)
        if not rest:
            return row, own
        reward, terminated, truncated = rest
        return row, reward.item(), terminated.item(), truncated.item(), own
