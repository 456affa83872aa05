"""The compact table of programs that JAX compiles."""

from report import CaseReport, Report, ratio
from suites.xla.contenders import CALLBACK, CONTENDERS, PYTHON, SCAN
from table import cell, noted, times


def compact(report: Report) -> str:
    """One line per case."""
    names = [contender.name for contender in CONTENDERS]
    head = ["case", *names, "loop / Python", "io_callback / loop"]
    note = f"Microseconds per call, median of {report.rounds} rounds in alternation, 2 threads. "
    note += "A call is `step`, or `recv` and `send` (async: environments/batch size). No "
    note += "environments: a step of none, which is what a call costs by itself."
    body = [row(case, names) for case in report.cases]
    return noted(head, body, note, report.provenance)


def row(case: CaseReport, names: list[str]) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    return [
        case.case.name,
        *(cell(by_name.get(name)) for name in names),
        times(ratio(by_name.get(SCAN), by_name.get(PYTHON))),
        times(ratio(by_name.get(CALLBACK), by_name.get(SCAN))),
    ]
