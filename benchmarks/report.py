"""Everything one run has measured, and the figures drawn from it."""

from dataclasses import asdict, dataclass, field
from math import inf
from statistics import median
from typing import Any

from case import Case, Group
from contender import Contender
from provenance import Provenance


@dataclass(frozen=True)
class Round:
    """One timed round: a number of calls and the seconds they took together."""

    calls: float
    """Not whole for a contender that has no calls but steps."""
    seconds: float
    cpu_seconds: float
    """Of all threads of the worker, and of processes that it has started."""

    @property
    def micros(self) -> float:
        """Microseconds per call."""
        return 1e6 * self.seconds / self.calls

    @property
    def cpu_micros(self) -> float:
        """Microseconds of CPU time per call."""
        return 1e6 * self.cpu_seconds / self.calls


@dataclass
class Result:
    """All rounds of one contender in one case, or the reason why there are none."""

    contender: Contender
    action_dtype: str | None = None
    rounds: list[Round] = field(default_factory=list)
    failure: str | None = None

    @property
    def median(self) -> float:
        """Microseconds per call, the median over the rounds."""
        return median(r.micros for r in self.rounds)

    @property
    def cpu_median(self) -> float:
        """Microseconds of CPU time per call, the median over the rounds."""
        return median(r.cpu_micros for r in self.rounds)

    @property
    def fastest(self) -> float:
        """Microseconds per call of the fastest round."""
        return min(r.micros for r in self.rounds)

    @property
    def slowest(self) -> float:
        """Microseconds per call of the slowest round."""
        return max(r.micros for r in self.rounds)

    @property
    def spread(self) -> float:
        """How far the rounds lie apart, as a fraction of the median."""
        return (self.slowest - self.fastest) / self.median


def best(results: list[Result]) -> Result | None:
    """The result with the lowest median, a failed one only if all failed; None if none entered."""
    return min(results, key=lambda result: inf if result.failure else result.median, default=None)


def ratio(reference: Result | None, result: Result | None) -> float | None:
    """How many times faster a result is than another; None if one is missing or has failed."""
    if reference is None or result is None or reference.failure or result.failure:
        return None
    return reference.median / result.median


@dataclass(frozen=True)
class CaseReport:
    """The results of every contender that entered one case."""

    case: Case
    results: list[Result]

    def group(self, group: Group) -> list[Result]:
        """The results of one group's contenders."""
        return [result for result in self.results if result.contender.group == group]

    def ratio(self, result: Result) -> float | None:
        """How many times faster than the real EnvPool with its best number of threads."""
        return ratio(best(self.group("envpool")), result)

    def with_threads(self, group: Group, threads: int) -> Result | None:
        """The first result of a group with so many threads."""
        results = self.group(group)
        return next((r for r in results if r.contender.num_threads == threads), None)

    def ratio_same_threads(self, result: Result, group: Group) -> float | None:
        """How many times faster than a group with as many threads."""
        return ratio(self.with_threads(group, result.contender.num_threads), result)

    def cpu_ratio(self, result: Result, group: Group) -> float | None:
        """The CPU time of a group with as many threads, divided by the result's."""
        reference = self.with_threads(group, result.contender.num_threads)
        if reference is None or reference.failure or result.failure:
            return None
        return reference.cpu_median / result.cpu_median

    def steps_per_second(self, result: Result) -> float:
        """Environment steps, or frames, per second, at the median."""
        return 1e6 * self.case.steps_per_call / result.median

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self.case), "results": [self._result_json(r) for r in self.results]}

    def _result_json(self, result: Result) -> dict[str, Any]:
        data = asdict(result)
        if not result.failure:
            data["microseconds_per_call"] = {
                "median": result.median,
                "min": result.fastest,
                "max": result.slowest,
            }
            data["spread"] = result.spread
            data["steps_per_second"] = self.steps_per_second(result)
            data["ratio_to_envpool"] = self.ratio(result)
            data["ratio_to_envpool_same_threads"] = self.ratio_same_threads(result, "envpool")
            data["ratio_to_ale_same_threads"] = self.ratio_same_threads(result, "ale")
            data["ratio_to_ceiling"] = self.ratio_same_threads(result, "ceiling")
            data["cpu_ratio_to_ceiling"] = self.cpu_ratio(result, "ceiling")
        return data


@dataclass(frozen=True)
class Report:
    """One run: where it took place, its settings, and its cases."""

    provenance: Provenance
    contenders: list[Contender]
    rounds: int
    round_seconds: float
    cases: list[CaseReport]

    def to_json(self) -> dict[str, Any]:
        return {
            "provenance": asdict(self.provenance),
            "rounds": self.rounds,
            "round_seconds": self.round_seconds,
            "cases": [case.to_json() for case in self.cases],
        }
