"""ResultColumns: where the columns of results are, whatever API the results are for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.spec.plans import Plan, Plans


class ResultColumns:
    """Finds columns in results of a face.

    Args:
        plans: What these results look like.
    """

    def __init__(self, plans: Plans) -> None:
        self._paths = dict(_paths(plans["step"]))
        self._reset_paths = dict(_paths(plans["reset"]))
        self._step_entries = len(plans["step"])
        # dm_env's time steps have no infos.
        self._has_infos = isinstance(plans["step"], tuple) and "@step_type" not in self._paths

    def __contains__(self, column: str) -> bool:
        """True if results of steps have this column."""
        return column in self._paths

    def is_reset(self, results: Any) -> bool:
        """True if results were received as those of a reset."""
        return len(results) < self._step_entries

    def of(self, results: Any, column: str) -> Any:
        """The array of a column in results."""
        found: Any = results
        paths = self._reset_paths if self.is_reset(results) else self._paths
        for key in paths[column]:
            found = found[key]
        return found

    def infos(self, results: Any) -> dict[str, Any] | None:
        """The infos of results; None if this API has none."""
        return results[-1] if self._has_infos else None

    def write(self, results: Any, values: dict[str, Any], mask: NDArray[np.bool_]) -> None:
        """Writes to some rows of those columns that results of steps have.

        Args:
            results: Of a step.
            values: By column, one value for all rows or an array with one for each of them.
            mask: True for the rows that are written.
        """
        for column, value in values.items():
            if column in self:
                self.of(results, column)[mask] = np.broadcast_to(value, mask.shape)[mask]


def _paths(plan: Plan, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The columns of a plan, each with the keys and indices that lead to it."""
    if isinstance(plan, str):
        yield plan, path
    else:
        for key, inner in plan.items() if isinstance(plan, dict) else enumerate(plan):
            yield from _paths(inner, (*path, key))
