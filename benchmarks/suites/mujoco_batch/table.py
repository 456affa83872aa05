"""The compact table of MuJoCo's batches."""

from report import Report
from table import noted, rate_cell, times


def compact(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    head = ["case", "threads", "ours", "mujoco.batch", "ours / mujoco.batch"]
    body = []
    for case in report.cases:
        for threads in (1, 2):
            ours, theirs = (case.with_threads(group, threads) for group in ("ours", "ceiling"))
            if ours and theirs:
                ratio = times(case.ratio_same_threads(ours, "ceiling"))
                cells = (rate_cell(case, ours), rate_cell(case, theirs), ratio)
                body.append([case.case.name, str(threads), *cells])
    note = f"Environment steps per second, median of {report.rounds} rounds in alternation. "
    note += "Of mujoco.batch.Batch, positions and velocities are copied."
    return noted(head, body, note, report.provenance)
