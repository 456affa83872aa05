"""Evaluation: what the episodes of an evaluation have come to."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import import_optional
from envpool.evaluation import statistics
from envpool.films.episodes import html_table


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The results of :func:`envpool.evaluate`, with an entry for each episode, in order.

    Attributes:
        task: The id of what was played.
        seeds: int64, the seed that each episode was reset with.
        returns: float64, the sums of rewards; NaN where an episode failed.
        lengths: int64, the numbers of steps; 0 where an episode failed.
        successes: bool, the info ``success`` or ``is_success`` of each last step; None if the task
            has neither.
        failed: bool, True where the environment failed twice: its episode has no result, and
            counts in no mean.
        asked: How many episodes were asked for. There are fewer after Ctrl-C; those that were
            finished by then tend to be the short ones.
    """

    task: str
    seeds: NDArray[np.int64]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int64]
    successes: NDArray[np.bool_] | None
    failed: NDArray[np.bool_]
    asked: int

    @property
    def finished(self) -> NDArray[np.float64]:
        """The returns of the episodes that did not fail."""
        return self.returns[~self.failed]

    @property
    def mean(self) -> float:
        """The mean return."""
        return statistics.mean(self.finished)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean return."""
        return statistics.standard_error(self.finished)

    @property
    def interval(self) -> tuple[float, float]:
        """The mean return's interval of 95 %, by the bootstrap over episodes."""
        return statistics.interval(self.finished)

    @property
    def median(self) -> float:
        """The median return."""
        return float(np.median(self.finished)) if len(self.finished) else float("nan")

    @property
    def interquartile_mean(self) -> float:
        """The mean return without the lowest and the highest quarter of the episodes."""
        return statistics.interquartile_mean(self.finished)

    @property
    def success_rate(self) -> float | None:
        """The part of the episodes that did not fail which succeeded; None if nothing says so."""
        if self.successes is None:
            return None
        return statistics.mean(self.successes[~self.failed].astype(np.float64))

    def rows(self) -> list[tuple[str, str]]:
        """The summary: names and values."""
        low, high = self.interval
        counted = f"{len(self.finished)}" + (f" of {self.asked}" * (len(self.seeds) < self.asked))
        rows = [
            ("episodes", counted),
            ("mean return", f"{self.mean:.6g}"),
            ("standard error", f"{self.standard_error:.3g}"),
            ("95 % interval", f"{low:.6g} to {high:.6g}"),
            ("median", f"{self.median:.6g}"),
            ("interquartile mean", f"{self.interquartile_mean:.6g}"),
            ("mean length", f"{statistics.mean(self.lengths[~self.failed]):.6g}"),
        ]
        if self.success_rate is not None:
            rows.append(("successes", f"{100 * self.success_rate:.1f} %"))
        if self.failed.any():
            rows.append(("failed", f"{self.failed.sum()}, which are not counted above"))
        return rows

    def __str__(self) -> str:
        return "\n".join([self.task, *(f"  {name:<19} {value}" for name, value in self.rows())])

    def _repr_html_(self) -> str:
        return html_table([{"task": self.task} | dict(self.rows())])

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes a table with a line for each episode.

        Args:
            path: The file.

        Raises:
            OSError: It cannot be written.
        """
        columns = [each.name for each in fields(self) if each.name not in ("task", "asked")]
        arrays = {name: getattr(self, name) for name in columns}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["episode", *arrays])
            for i, row in enumerate(zip(*(each.tolist() for each in arrays.values()), strict=True)):
                writer.writerow([i, *row])

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draws how returns are distributed, with the mean and its interval.

        Args:
            path: A file for the picture; None: none.

        Returns:
            Matplotlib's figure.

        Raises:
            ImportError: Matplotlib is missing.
            OSError: The file cannot be written.
        """
        figure = import_optional("matplotlib.figure", "matplotlib", "examples").Figure(
            figsize=(6, 3.5), layout="constrained"
        )
        axes = figure.add_subplot()
        axes.hist(self.finished, bins="auto", color="tab:blue", alpha=0.7)
        axes.axvspan(*self.interval, color="tab:orange", alpha=0.4, label="95 % interval")
        axes.axvline(self.mean, color="tab:orange", label=f"mean {self.mean:.4g}")
        axes.set(title=self.task, xlabel="return", ylabel="episodes")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure
