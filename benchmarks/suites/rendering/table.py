"""The compact table of MuJoCo's pictures."""

import real_env
from report import CaseReport, Report, Result, best, ratio
from table import ABSENT, noted, times


def compact(report: Report) -> str:
    """One line per case, in milliseconds per frame."""
    names = [contender.name for contender in report.contenders]
    head = ["case", *names, "best of ours / Gymnasium", "best of ours, fast / Gymnasium"]
    body = [row(case, names) for case in report.cases]
    note = f"Milliseconds per frame, median of {report.rounds} rounds in alternation. "
    note += "Each call draws 4 environments; a step's time includes the physics. Fast: "
    note += "`render_shadows=False`, `render_reflections=False`, `render_multisamples=0`. "
    note += "Gymnasium with `MUJOCO_GL=egl`, its steps with `AddRenderObservation`. "
    note += f"Without {real_env.NAME}, whose process exits at its first frame on this machine."
    return noted(head, body, note, report.provenance)


def row(case: CaseReport, names: list[str]) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    ours = case.group("ours")
    fast = [result for result in ours if "render_shadows" in result.contender.options]
    exact = [result for result in ours if result not in fast]
    gymnasium = best(case.group("gymnasium"))
    return [
        case.case.name,
        *(millis_cell(case, by_name.get(name)) for name in names),
        times(ratio(gymnasium, best(exact))),
        times(ratio(gymnasium, best(fast))),
    ]


def millis_cell(case: CaseReport, result: Result | None) -> str:
    if result is None:
        return ABSENT
    if result.failure:
        return "failed"
    return f"{result.median / case.case.steps_per_call / 1000:.3g}"
