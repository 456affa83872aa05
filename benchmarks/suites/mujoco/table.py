"""The compact tables of the MuJoCo suites, for the documentation."""

import real_env
import speed_table
from report import CaseReport, Report, Result, best
from speed_table import OURS_TO_BEST, OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING
from table import ABSENT, markdown, times

RATIOS = (OURS_TO_REAL, OURS_TO_BEST, OURS_TO_CEILING, REAL_TO_CEILING)


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    note = "The ceiling is a bare C++ loop over `mj_step`, and `mj_rnePostConstraint` where "
    note += "contact forces are observed, in free threads, with the MuJoCo of ours. "
    note += f"{real_env.NAME} has MuJoCo 3.6.0 built in; its best is that of 1 and 2 threads."
    return speed_table.by_threads(report, ["gymnasium"], RATIOS, note)


def frames(report: Report) -> str:
    """One line per case, in milliseconds per frame."""
    names = [contender.name for contender in report.contenders]
    head = ["case", *names, "best of ours / Gymnasium", "best of ours, fast / Gymnasium"]
    body = [frames_row(case, names) for case in report.cases]
    note = f"Milliseconds per frame, median of {report.rounds} rounds in alternation. "
    note += "Each call draws 4 environments; a step's time includes the physics. Fast: "
    note += "`render_shadows=False`, `render_reflections=False`, `render_multisamples=0`. "
    note += "Gymnasium with `MUJOCO_GL=egl`, its steps with `AddRenderObservation`. "
    note += f"Without {real_env.NAME}, whose process exits at its first frame on this machine. "
    note += "; ".join(report.provenance.lines()) + "."
    return "\n".join([*markdown(head, body), "", note]) + "\n"


def frames_row(case: CaseReport, names: list[str]) -> list[str]:
    by_name = {result.contender.name: result for result in case.results}
    ours = case.group("ours")
    fast = [result for result in ours if "render_shadows" in result.contender.options]
    exact = [result for result in ours if result not in fast]
    return [
        case.case.name,
        *(millis_cell(case, by_name.get(name)) for name in names),
        times(ratio_to_gymnasium(case, exact)),
        times(ratio_to_gymnasium(case, fast)),
    ]


def millis_cell(case: CaseReport, result: Result | None) -> str:
    if result is None:
        return ABSENT
    if result.failure:
        return "failed"
    return f"{result.median / case.case.steps_per_call / 1000:.3g}"


def ratio_to_gymnasium(case: CaseReport, results: list[Result]) -> float | None:
    """How many times faster than Gymnasium the best of these is."""
    ours, reference = best(results), best(case.group("gymnasium"))
    if not ours or not reference or ours.failure or reference.failure:
        return None
    return reference.median / ours.median
