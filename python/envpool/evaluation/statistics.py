"""Numbers that describe a sample: means of its middle, and intervals by the bootstrap.

A sample has a row for each episode: a number, or one for each player; what describes it is a float,
or an array with an entry for each player.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 2000
_ENDS = (0.025, 0.975)  # between which 95 % of them are
_CUT = 0.25  # of a sample, at each end


def mean(sample: NDArray[Any]) -> Any:
    """The mean; NaN of nothing."""
    return _plain(np.mean(sample, axis=0) if len(sample) else np.full(sample.shape[1:], np.nan))


def standard_error(sample: NDArray[np.float64]) -> Any:
    """The standard error of the mean; NaN of fewer than two rows."""
    if len(sample) < 2:  # noqa: PLR2004
        return mean(sample[:0])
    return _plain(np.std(sample, axis=0, ddof=1) / np.sqrt(len(sample)))


def median(sample: NDArray[np.float64]) -> Any:
    """The median; NaN of nothing."""
    return _plain(np.median(sample, axis=0)) if len(sample) else mean(sample)


def interquartile_mean(sample: NDArray[np.float64]) -> Any:
    """The mean without the lowest and the highest quarter.

    Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice",
    recommend it: as robust as the median, and with less variance.
    """
    cut = int(_CUT * len(sample))
    return mean(np.sort(sample, axis=0)[cut : len(sample) - cut])


def interval(sample: NDArray[Any]) -> tuple[Any, Any]:
    """The bootstrap's percentile interval of 95 % of the mean; NaN of fewer than two rows.

    Its random numbers have the seed 0, so that it is a function of the sample.
    """
    if len(sample) < 2:  # noqa: PLR2004
        return mean(sample[:0]), mean(sample[:0])
    random = np.random.default_rng(0)
    places = (random.integers(len(sample), size=len(sample)) for _ in range(_RESAMPLES))
    low, high = np.quantile([mean(sample[own]) for own in places], _ENDS, axis=0)
    return _plain(low), _plain(high)


def text(*values: Any, digits: int = 6) -> str:
    """What tables show of such a number, or of the two of an interval, for each player."""
    each = np.stack([np.atleast_1d(value) for value in values], axis=1)
    shown = (" to ".join(f"{end:.{digits}g}" for end in ends) for ends in each.tolist())
    return "-" if np.isnan(each).all() else ", ".join(shown)


def _plain(value: Any) -> Any:
    """A float of a single number."""
    return float(value) if np.ndim(value) == 0 else value
