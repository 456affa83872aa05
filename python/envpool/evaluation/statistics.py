"""Numbers that describe a sample: means of its middle, and intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 2000
_CUT = 0.25  # of a sample, at each end

Statistic = Callable[[NDArray[np.float64]], float]


def mean(sample: NDArray[Any]) -> float:
    """The mean; NaN of nothing."""
    return float(np.mean(sample)) if len(sample) else float("nan")


def standard_error(sample: NDArray[np.float64]) -> float:
    """The standard error of the mean; NaN of fewer than two numbers."""
    if len(sample) < 2:  # noqa: PLR2004
        return float("nan")
    return float(np.std(sample, ddof=1) / np.sqrt(len(sample)))


def interquartile_mean(sample: NDArray[np.float64]) -> float:
    """The mean without the lowest and the highest quarter.

    Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice",
    recommend it: as robust as the median, and with less variance.
    """
    cut = int(_CUT * len(sample))
    return mean(np.sort(sample)[cut : len(sample) - cut])


def interval(
    sample: NDArray[np.float64], statistic: Statistic = mean, level: float = 0.95
) -> tuple[float, float]:
    """The bootstrap's percentile interval of a statistic; NaN of fewer than two numbers.

    Its random numbers have the seed 0, so that it is a function of the sample.

    Args:
        sample: Shape ``(n,)``.
        statistic: What is computed of each resample.
        level: How much of the resamples' distribution lies between the two.
    """
    if len(sample) < 2:  # noqa: PLR2004
        return float("nan"), float("nan")
    random = np.random.default_rng(0)
    drawn = [
        statistic(sample[random.integers(len(sample), size=len(sample))]) for _ in range(_RESAMPLES)
    ]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
