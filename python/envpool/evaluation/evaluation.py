"""Evaluation: what the episodes of an evaluation have come to."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
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
        returns: float64, the sums of rewards; NaN where an episode failed. With several players
            their shape is ``(episodes, players)``, with 0 for who took no part.
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
    def mean(self) -> Any:
        """The mean return: like all statistics a float, or an array with an entry per player."""
        return statistics.mean(self.finished)

    @property
    def standard_error(self) -> Any:
        """The standard error of the mean return."""
        return statistics.standard_error(self.finished)

    @property
    def interval(self) -> tuple[Any, Any]:
        """The mean return's interval of 95 %, by the bootstrap over episodes."""
        return statistics.interval(self.finished)

    @property
    def median(self) -> Any:
        """The median return."""
        return statistics.median(self.finished)

    @property
    def interquartile_mean(self) -> Any:
        """The mean return without the lowest and the highest quarter of the episodes."""
        return statistics.interquartile_mean(self.finished)

    @property
    def best(self) -> int:
        """Which episode has the highest return, of all players together.

        Raises:
            ValueError: All have failed.
        """
        return int(np.nanargmax(self._of_all_players()))

    @property
    def worst(self) -> int:
        """Which episode has the lowest return; as for :attr:`best`."""
        return int(np.nanargmin(self._of_all_players()))

    def _of_all_players(self) -> Any:
        return self.returns.reshape(len(self.returns), -1).sum(axis=1)

    @property
    def success_rate(self) -> float | None:
        """The part of the episodes that did not fail which succeeded; None if nothing says so."""
        if self.successes is None:
            return None
        return float(statistics.mean(self.successes[~self.failed]))

    def rows(self) -> list[tuple[str, str]]:
        """The summary: names and values."""
        counted = f"{len(self.finished)}" + (f" of {self.asked}" * (len(self.seeds) < self.asked))
        rows = [
            ("episodes", counted),
            ("mean return", statistics.text(self.mean)),
            ("standard error", statistics.text(self.standard_error, digits=3)),
            ("95 % interval", statistics.text(*self.interval)),
            ("median", statistics.text(self.median)),
            ("interquartile mean", statistics.text(self.interquartile_mean)),
            ("mean length", statistics.text(statistics.mean(self.lengths[~self.failed]))),
        ]
        if self.returns.ndim > 1:
            rows.insert(1, ("players", f"{self.returns.shape[1]}, with a number for each"))
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
        several = {f"returns_{i}": column for i, column in enumerate(self.returns.T)}
        columns: dict[str, Any] = {"episode": np.arange(len(self.seeds)), "seeds": self.seeds}
        columns |= {"returns": self.returns} if self.returns.ndim == 1 else several
        columns |= {"lengths": self.lengths, "successes": self.successes, "failed": self.failed}
        arrays = {name: column.tolist() for name, column in columns.items() if column is not None}
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(arrays)
            writer.writerows(zip(*arrays.values(), strict=True))

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
        samples = self.finished.reshape(len(self.finished), -1).T
        for i, sample in enumerate(samples):
            alone = len(samples) == 1
            name, color = ("", "tab:orange") if alone else (f"player {i}: ", f"C{i}")
            mean = statistics.mean(sample)
            axes.hist(sample, bins="auto", color="tab:blue" if alone else color, alpha=0.5)
            axes.axvspan(*statistics.interval(sample), color=color, alpha=0.4)
            axes.axvline(mean, color=color, label=f"{name}mean {mean:.4g}, 95 % interval")
        axes.set(title=self.task, xlabel="return", ylabel="episodes")
        axes.legend()
        if path is not None:
            figure.savefig(path)
        return figure
