"""The compact table of programs that JAX compiles, for the documentation."""

from report import CaseReport, Report, Result
from table import ABSENT, markdown, micros, times
from xla_suite import CALLBACK, CONTENDERS, PYTHON, SCAN


def compact(report: Report) -> str:
    """One line per case."""
    names = [contender.name for contender in CONTENDERS]
    head = ["case", *names, "loop / Python", "io_callback / loop"]
    note = f"Microseconds per call, median of {report.rounds} rounds in alternation, 2 threads. "
    note += "A call is `step`, or `recv` and `send` (async: environments/batch size). No "
    note += "environments: a step of none, which is what a call costs by itself. "
    note += "; ".join(report.provenance.lines()) + "."
    return (
        "\n".join([*markdown(head, [row(case, names) for case in report.cases]), "", note]) + "\n"
    )


def row(case: CaseReport, names: list[str]) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    return [
        case.case.name,
        *(cell(by_name.get(name)) for name in names),
        ratio(by_name.get(SCAN), by_name.get(PYTHON)),
        ratio(by_name.get(CALLBACK), by_name.get(SCAN)),
    ]


def cell(result: Result | None) -> str:
    if result is None:
        return ABSENT
    return "failed" if result.failure else micros(result.median)


def ratio(above: Result | None, below: Result | None) -> str:
    if above is None or below is None or above.failure or below.failure:
        return ABSENT
    return times(above.median / below.median)
