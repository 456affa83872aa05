"""Timing all contenders on one case, in alternation."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from case import Case
from contender import Contender
from report import CaseReport, Result, Round
from worker_client import WorkerClient, WorkerError


@dataclass(frozen=True)
class Race:
    """How contenders are timed: after one round of warm-up each, one round each in turn.

    Alternation makes a slow moment of the machine hit all of them alike. `workers` holds one
    process per contender, by its name, so that no contender's threads or memory disturb another.
    """

    contenders: Sequence[Contender]
    workers: Mapping[str, WorkerClient]
    rounds: int
    round_seconds: float
    on_turn: Callable[[Case, Contender], None]
    """Called before each warm-up and each round."""

    def turns(self, case: Case) -> int:
        """How often `on_turn` will be called."""
        return len(self._entrants(case)) * (1 + self.rounds)

    def run(self, case: Case) -> CaseReport:
        """Time the case; a contender that fails leaves the race, the others go on."""
        results = [Result(contender) for contender in self._entrants(case)]
        self._each(case, results, partial(self._warm_up, case))
        for _ in range(self.rounds):
            self._each(case, results, self._time)
        for result in results:
            with suppress(WorkerError):
                self._ask(result, "close")
        return CaseReport(case, results)

    def _entrants(self, case: Case) -> list[Contender]:
        return [contender for contender in self.contenders if contender.enters(case)]

    def _each(self, case: Case, results: list[Result], act: Callable[[Result], None]) -> None:
        """Let all contenders that have not failed act in turn."""
        for result in results:
            self.on_turn(case, result.contender)
            if not result.failure:
                try:
                    act(result)
                except WorkerError as error:
                    result.failure = str(error)

    def _warm_up(self, case: Case, result: Result) -> None:
        opened = self._ask(
            result,
            "open",
            package=result.contender.package,
            task=case.task,
            num_envs=case.num_envs,
            batch_size=case.batch_size,
            options=result.contender.options,
            frames=asdict(case.frames) if case.frames else None,
            action_batches=case.action_batches,
            what=case.what,
        )
        result.action_dtype = opened["action_dtype"]
        if case.ageing:
            self._ask(result, "advance", steps=case.ageing)
        self._ask(result, "round", seconds=self.round_seconds)

    def _time(self, result: Result) -> None:
        result.rounds.append(Round(**self._ask(result, "round", seconds=self.round_seconds)))

    def _ask(self, result: Result, do: str, **details: Any) -> dict[str, Any]:
        return self.workers[result.contender.name].ask(do, **details)
