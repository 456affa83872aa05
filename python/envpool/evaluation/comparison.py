"""Comparison: several policies, each trained with several seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.evaluation import statistics
from envpool.evaluation.evaluation import Evaluation
from envpool.films.episodes import html_table


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` has found.

    Attributes:
        scores: For each name the scores that its interval is about: the mean returns of its
            trainings; or, where there is one training, the returns of its episodes.
    """

    scores: dict[str, NDArray[np.float64]]
    _runs: dict[str, int]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each name."""
        rows = []
        for name, scores in self.scores.items():
            runs = self._runs[name]
            rows.append(
                {
                    "name": name,
                    "mean": statistics.text(statistics.mean(scores)),
                    "95 % interval": statistics.text(*statistics.interval(scores)),
                    "interquartile mean": statistics.text(statistics.interquartile_mean(scores)),
                    "over": f"{runs} trainings" if runs > 1 else f"{len(scores)} episodes of one",
                }
            )
        return rows

    def __str__(self) -> str:
        rows = [list(self.rows()[0]), *(list(row.values()) for row in self.rows())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        return html_table(self.rows())


def compare(runs: Mapping[str, Evaluation | Sequence[Evaluation]]) -> Comparison:
    """Compares policies by what their evaluations have come to.

    Args:
        runs: For each name its evaluation, or those of several trainings with different seeds. The
            intervals of the latter are about trainings, whose means differ by more than those of
            one policy's episodes.

    Raises:
        ArgumentError: There is nothing to compare, or not of one task.
        TypeError: A value is no evaluation.
    """
    given = {
        name: [value] if isinstance(value, Evaluation) else list(value)
        for name, value in runs.items()
    }
    for name, each in given.items():
        for value in each:
            if not isinstance(value, Evaluation):
                raise TypeError(f"runs[{name!r}] has {shown(value)}, expected evaluations")
        if not each:
            raise ArgumentError(f"runs[{name!r}] is empty, expected evaluations")
    tasks = {value.task for each in given.values() for value in each}
    if len(tasks) != 1:
        raise ArgumentError(f"runs are of the tasks {sorted(tasks)}, expected one task")
    scores = {
        name: np.array([value.mean for value in each]) if len(each) > 1 else each[0].finished
        for name, each in given.items()
    }
    return Comparison(scores, {name: len(each) for name, each in given.items()})
