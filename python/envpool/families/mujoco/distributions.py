"""Distributions: what an array of a model or its state is varied by, from episode to episode."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from envpool.errors import ArgumentError, shown

Numbers = Any  # a float, or a sequence with one for each number of the array


@dataclasses.dataclass(frozen=True, kw_only=True)
class Distribution:
    """How an array differs from episode to episode.

    Numbers are drawn by the environment's generator, as NumPy's ``Generator`` does: one after the
    other, in C order.

    Attributes:
        scale: The array's numbers are multiplied by those that are drawn; otherwise these are
            added.
        absolute: The numbers that are drawn take the place of the array's.
        shared: One number is drawn for the whole array.
    """

    scale: bool = False
    absolute: bool = False
    shared: bool = False
    word: ClassVar[str]  # what native code calls it

    def __post_init__(self) -> None:
        if self.scale and self.absolute:
            raise ArgumentError(f"{self} has scale and absolute, expected one of them")

    def parameters(self) -> tuple[Numbers, ...]:
        """What native code draws with."""
        raise NotImplementedError

    def to_text(self, name: str) -> str:
        """A line for native code.

        Args:
            name: The array's name.

        Raises:
            TypeError: A parameter is no number, nor a sequence of them.
            ArgumentError: One is not finite.
        """
        how = "scale" if self.scale else "set" if self.absolute else "add"
        lists = [_numbers(name, self, each) for each in self.parameters()]
        texts = [",".join(map(repr, each)) for each in lists]
        draws = "shared" if self.shared else "each"
        return "\t".join([name, how, draws, self.word, *texts])


def _numbers(name: str, distribution: Distribution, given: Numbers) -> list[float]:
    """A parameter as a list of floats."""
    array = np.asarray(given)
    where = f"randomise[{name!r}] is {distribution}"
    if array.dtype.kind not in "iuf" or array.ndim > 1 or not array.size:
        raise TypeError(f"{where}, expected numbers or lists of them, and not {shown(given)}")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{where}, expected finite numbers")
    return [float(number) for number in np.atleast_1d(array)]


@dataclasses.dataclass(frozen=True)
class Uniform(Distribution):
    """Numbers of equal probability: ``generator.uniform(low, high)``.

    Attributes:
        low: The least.
        high: The end, which is not reached.
    """

    low: Numbers
    high: Numbers
    word = "uniform"

    def parameters(self) -> tuple[Numbers, ...]:
        """See :class:`Distribution`."""
        return self.low, self.high


@dataclasses.dataclass(frozen=True)
class LogUniform(Uniform):
    """Orders of magnitude of equal probability: e to the power of ``uniform(log(low), log(high))``.

    Attributes:
        low: The least, above 0.
        high: The end.
    """

    word = "loguniform"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.all(np.asarray(self.low) > 0) and np.all(np.asarray(self.high) > 0)):
            raise ArgumentError(f"{self}, expected low > 0 and high > 0")


@dataclasses.dataclass(frozen=True)
class Normal(Distribution):
    """Numbers of the normal distribution: ``generator.normal(mean, deviation)``.

    Attributes:
        deviation: The standard deviation.
        mean: The mean; by default the one that on average changes nothing, which is 1 with
            ``scale``, else 0.
    """

    deviation: Numbers
    mean: Numbers = math.nan
    word = "normal"

    def parameters(self) -> tuple[Numbers, ...]:
        """See :class:`Distribution`."""
        is_default = isinstance(self.mean, float) and math.isnan(self.mean)
        return float(self.scale) if is_default else self.mean, self.deviation


@dataclasses.dataclass(frozen=True)
class Choice(Distribution):
    """One of some numbers: ``values[generator.integers(len(values))]``.

    Attributes:
        values: The numbers.
    """

    values: Numbers
    word = "choice"

    def parameters(self) -> tuple[Numbers, ...]:
        """See :class:`Distribution`."""
        return (self.values,)


def lines_of(randomise: Any) -> list[str]:
    """What native code reads of the option ``randomise``.

    Args:
        randomise: A dict of distributions by names of arrays.

    Raises:
        TypeError: It is none, or a parameter is no number, nor a sequence of them.
        ArgumentError: One is not finite.
    """
    if not isinstance(randomise, Mapping):
        raise TypeError(
            f"randomise is {shown(randomise)}, expected a dict of distributions by names"
        )
    return [_distribution(name, given).to_text(name) for name, given in randomise.items()]


def _distribution(name: str, given: Any) -> Distribution:
    """A distribution, which the header of a recording has as ``{"Uniform": {"low": ...}}``."""
    kinds = {kind.__name__: kind for kind in (Uniform, LogUniform, Normal, Choice)}
    if isinstance(given, Mapping) and len(given) == 1 and kinds.keys() >= given.keys():
        [(kind, attributes)] = given.items()
        return kinds[kind](**attributes)
    if isinstance(given, Distribution):
        return given
    raise TypeError(f"randomise[{name!r}] is {shown(given)}, expected one of {', '.join(kinds)}")
