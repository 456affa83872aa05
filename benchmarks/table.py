"""Markdown tables of a report."""

from collections.abc import Iterable

import real_env
from provenance import Provenance
from report import CaseReport, Report, Result, best

ABSENT = "-"


def full(report: Report) -> str:
    """Every figure of every contender, one table per case."""
    lines = ["# Benchmark", "", *(f"- {line}" for line in report.provenance.lines())]
    lines += ["", explanation(report)]
    for case in report.cases:
        lines += ["", f"## {case.case.name}", "", *case_table(case)]
    return "\n".join(lines) + "\n"


def compact(report: Report) -> str:
    """One line per case, everybody with the setting that suits them best."""
    head = ["case", "ours", real_env.NAME, "Gymnasium", "ours / EnvPool"]
    body = (compact_row(case) for case in report.cases)
    note = f"Microseconds per call, median of {report.rounds} rounds in alternation, the number of "
    note += "threads that suits each."
    return noted(head, body, note, report.provenance)


def noted(head: list[str], body: Iterable[list[str]], note: str, provenance: Provenance) -> str:
    """A table, with whole sentences about it, and where the figures are from."""
    return "\n".join([*markdown(head, body), "", f"{note} {provenance.sentence()}"]) + "\n"


def explanation(report: Report) -> str:
    return (
        f"Median, min and spread (max - min, relative to the median) over {report.rounds} rounds "
        f"of at least {report.round_seconds:g} s, contenders in alternation. A call is `step` in "
        "sync cases and `recv` + `send` in async ones (environments/batch size), or `render` of "
        "all environments where the case says so; start cases make and reset all of them, and "
        "in idle ones nobody calls. Each contender "
        f"gets actions of the type it prefers. Ratio: the median of {real_env.NAME} with its best "
        "thread count divided by the contender's, so above 1 is faster than EnvPool; ratio to ALE "
        "vector: the same with as many threads as the contender has. Ceiling: bare threads, as "
        "many as the contender has, that do nothing but the simulator's own work. By CPU time: "
        "the ceiling's divided by the contender's, which other programs disturb less."
    )


def case_table(case: CaseReport) -> list[str]:
    if case.case.what == "idle":
        return idle_table(case)
    head = ["contender", "actions", "µs per call", "min", "spread", "steps/s"]
    body = [case_row(case, result) for result in case.results]
    if case.group("envpool"):
        head.append("ratio")
        for row, result in zip(body, case.results, strict=True):
            row.append(times(case.ratio(result)))
    if case.group("ale"):
        head.append("ratio to ALE vector")
        for row, result in zip(body, case.results, strict=True):
            row.append(times(case.ratio_same_threads(result, "ale")))
    if case.group("ceiling"):
        head += ["of ceiling", "by CPU time"]
        for row, result in zip(body, case.results, strict=True):
            row.append(percent(case.ratio_same_threads(result, "ceiling")))
            row.append(percent(case.cpu_ratio(result, "ceiling")))
    return markdown(head, body)


def idle_table(case: CaseReport) -> list[str]:
    """How much of a core the processes take."""
    head = ["contender", "CPU time"]
    return markdown(head, [[r.contender.name, idle_cell(r)] for r in case.results])


def idle_cell(result: Result) -> str:
    return "failed" if result.failure else f"{result.cpu_median / result.median:.2%}"


def case_row(case: CaseReport, result: Result) -> list[str]:
    name, dtype = result.contender.name, result.action_dtype or ABSENT
    if result.failure:
        return [name, dtype, "failed", *[ABSENT] * 3]
    return [
        name,
        dtype,
        micros(result.median),
        micros(result.fastest),
        f"{result.spread:.0%}",
        rate(case.steps_per_second(result)),
    ]


def compact_row(case: CaseReport) -> list[str]:
    best_ours = best(case.group("ours"))
    return [
        case.case.name,
        cell(best_ours),
        cell(best(case.group("envpool"))),
        gymnasium_cell(best(case.group("gymnasium"))),
        times(case.ratio(best_ours) if best_ours else None),
    ]


def cell(result: Result | None) -> str:
    if result is None:
        return ABSENT
    return "failed" if result.failure else micros(result.median)


def rate_cell(case: CaseReport, result: Result | None) -> str:
    """Steps per second."""
    if result is None:
        return ABSENT
    return "failed" if result.failure else rate(case.steps_per_second(result))


def gymnasium_cell(result: Result | None) -> str:
    """With the mode if it is `vector_entry_point`: another program, written for NumPy."""
    is_other = result and result.contender.options["vectorization_mode"] == "vector_entry_point"
    return f"{cell(result)} (vector_entry_point)" if is_other else cell(result)


def markdown(head: list[str], body: Iterable[list[str]]) -> list[str]:
    """Lines of a table with its first column to the left and the others to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *body)]


def micros(value: float) -> str:
    """Microseconds with three digits or all before the point."""
    return f"{value:,.{max(0, 2 - digits(value))}f}"


def times(ratio: float | None) -> str:
    return ABSENT if ratio is None else f"{ratio:.{max(0, 2 - digits(ratio))}f}x"


def percent(ratio: float | None) -> str:
    return ABSENT if ratio is None else f"{ratio:.0%}"


def rate(steps: float) -> str:
    """Steps per second, in thousands or millions if there are so many."""
    if steps < 1e3:
        return f"{steps:.3g}"
    return f"{steps / 1e6:.2f} M" if steps >= 1e6 else f"{steps / 1e3:.1f} k"


def digits(value: float) -> int:
    """Digits before the point, less one."""
    return len(str(int(value))) - 1
