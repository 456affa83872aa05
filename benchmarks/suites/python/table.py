"""The compact table of environments written in Python."""

from report import CaseReport, Report, Result, best, ratio
from suites.python.contenders import ASYNC, IN_PROCESS, OUR_ASYNC, SB3, SYNC, TWO_WORKERS
from table import ABSENT, idle_cell, micros, noted, times

COLUMNS = {
    "`num_workers=0`": IN_PROCESS,
    "`num_workers=2`": TWO_WORKERS,
    "our `AsyncVectorEnv`": OUR_ASYNC,
    "Gymnasium's `AsyncVectorEnv`": ASYNC,
    "Gymnasium's `SyncVectorEnv`": SYNC,
    "SB3's `SubprocVecEnv`": SB3,
}


def compact(report: Report) -> str:
    """One line per case in which ours and others were timed."""
    head = ["case", *COLUMNS, "Gymnasium's async / best of ours"]
    body = [row(case) for case in report.cases if case.group("gymnasium")]
    note = "Microseconds for as many steps as there are environments. Start: until everything is "
    note += f"made and reset. Idle: CPU time while nobody calls. Median of {report.rounds} rounds "
    note += "in alternation. Gymnasium's and SB3's processes are forked, one per environment."
    return noted(head, body, note, report.provenance)


def row(case: CaseReport) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    is_idle = case.case.what == "idle"
    return [
        case.case.name,
        *(cell(case, by_name.get(name)) for name in COLUMNS.values()),
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
