"""The compact table of environments written in Python, for the documentation."""

from python_suite import ALONE, ASYNC, OUR_ASYNC, OUR_SYNC, SB3, SYNC
from report import CaseReport, Report, Result, best
from table import ABSENT, markdown, micros, percent, times

OTHERS = (OUR_ASYNC, OUR_SYNC, ASYNC, SYNC, SB3, ALONE)


def compact(report: Report) -> str:
    """One line per case."""
    head = ["case", "`make_python`", *(name.replace("2 ", "two ") for name in OTHERS)]
    head.append("AsyncVectorEnv / best of ours")
    body = [row(case) for case in report.cases]
    note = "Microseconds for as many steps as there are environments, so that calls of all and of "
    note += "batches (environments/batch size) compare; start: milliseconds until everything is "
    note += (
        "made and reset; idle: CPU time of all processes, from 10 ms after a step on. Median of "
    )
    note += (
        f"{report.rounds} rounds in alternation. AsyncVectorEnv and SubprocVecEnv fork a process "
    )
    note += "per environment. Alone: processes that step their environments and wait for nobody. "
    note += "; ".join(report.provenance.lines()) + "."
    return "\n".join([*markdown(head, body), "", note]) + "\n"


def row(case: CaseReport) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    pools = [result for result in case.group("ours") if result.contender.package != "vector"]
    pool = best(pools)
    setting = f" ({pool.contender.name.removeprefix('ours, ')})" if pool else ""
    return [
        case.case.name,
        cell(case, pool) + setting,
        *(cell(case, by_name.get(name)) for name in OTHERS),
        ratio(by_name.get(ASYNC), best(case.group("ours"))),
    ]


def cell(case: CaseReport, result: Result | None) -> str:
    if result is None:
        return ABSENT
    if result.failure:
        return "failed"
    match case.case.what:
        case "idle":
            return percent(result.cpu_median / result.median)
        case "start":
            return f"{result.median / 1e3:,.0f} ms"
    return micros(result.median * case.case.num_envs / case.case.steps_per_call)


def ratio(reference: Result | None, ours: Result | None) -> str:
    if reference is None or ours is None or reference.failure or ours.failure:
        return ABSENT
    return times(reference.median / ours.median)
