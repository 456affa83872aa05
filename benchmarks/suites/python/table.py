"""The compact table of environments written in Python, for the documentation."""

from report import CaseReport, Report, Result, best, ratio
from suites.python.contenders import (
    ALONE,
    ASYNC,
    IN_PROCESS,
    OUR_ASYNC,
    OUR_SYNC,
    SB3,
    SYNC,
    TWO_WORKERS,
)
from table import ABSENT, idle_cell, micros, noted, times

COLUMNS = {
    "`num_workers=0`": IN_PROCESS,
    "`num_workers=2`": TWO_WORKERS,
    "our `AsyncVectorEnv`": OUR_ASYNC,
    "our `SyncVectorEnv`": OUR_SYNC,
    "Gymnasium's `AsyncVectorEnv`": ASYNC,
    "Gymnasium's `SyncVectorEnv`": SYNC,
    "SB3's `SubprocVecEnv`": SB3,
    "alone": ALONE,
}


def compact(report: Report) -> str:
    """One line per case."""
    head = ["case", *COLUMNS, "ours, other settings", "Gymnasium's async / best of ours"]
    body = [row(case) for case in report.cases]
    note = "Microseconds for as many steps as there are environments, so that calls of all and of "
    note += "batches (async: environments/batch size) compare. Start: until everything is made and "
    note += "reset. Idle: CPU time of all processes, from 10 ms after a step on. Median of "
    note += f"{report.rounds} rounds in alternation. Gymnasium's `AsyncVectorEnv` and SB3's "
    note += "`SubprocVecEnv` fork a process per environment. Alone: two processes that step the "
    note += "environments, write what they observe to shared memory, and wait for nobody."
    return noted(head, body, note, report.provenance)


def row(case: CaseReport) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    is_idle = case.case.what == "idle"
    others = [by_name[name] for name in by_name if name not in COLUMNS.values()]
    settings = [f"{cell(case, r)} ({r.contender.name.removeprefix('ours, ')})" for r in others]
    return [
        case.case.name,
        *(cell(case, by_name.get(name)) for name in COLUMNS.values()),
        ", ".join(settings) or ABSENT,
        times(None if is_idle else ratio(by_name.get(ASYNC), best(case.group("ours")))),
    ]


def cell(case: CaseReport, result: Result | None) -> str:
    if result is None:
        return ABSENT
    if result.failure:
        return "failed"
    match case.case.what:
        case "idle":
            return idle_cell(result)
        case "start":
            return f"{result.median / 1e3:,.0f} ms"
    return micros(result.median * case.case.num_envs / case.case.steps_per_call)
