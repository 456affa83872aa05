"""Checking a task, in a process of its own: it may crash, hang, or leak."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.isolation import Process, ProcessEnded
from envpool.tasks.registration import PythonTask, registry
from envpool.testing.checks import NAMES, Began, Ended, run_checks
from envpool.testing.report import CheckFailure, Finding, Outcome, Report
from envpool.testing.subject import RESERVED, Subject

SECONDS = 120.0  # that a check may take

_CRASH_HINT = (
    "run `python -m envpool check {task_id} --only {check}` under a debugger that follows children "
    "(gdb: set follow-fork-mode child)"
)


def check_task(
    task_id: str,
    /,
    *,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    quick: bool = False,
    seconds: float = SECONDS,
    **options: Any,
) -> Report:
    """Looks for common mistakes in an environment; see docs/checking.md.

    Args:
        task_id: The task. It runs in another process, which knows the tasks that this one knows.
        only: Names of the checks to run; by default all.
        skip: Names of checks not to run.
        quick: Run a quarter of the steps.
        seconds: How long a check may run.
        **options: The task's options, as for :func:`envpool.make`.

    Returns:
        The report, which contains no faults.

    Raises:
        CheckFailure: Something is wrong (an AssertionError that lists everything).
        UnknownTaskError: There is no such task.
        ArgumentError: The task is written in Python.
        TypeError, ValueError: An option or the name of a check is wrong.
        ImportError: The task's library or engine is missing.
    """
    subject = Subject(task_id, options, quick)
    report = examine(subject, chosen_checks(only, skip), seconds)
    if report.failed:
        raise CheckFailure(report)
    return report


def chosen_checks(only: Collection[str] | None, skip: Collection[str]) -> list[str]:
    """The names of the checks that are to run, in their order.

    Args:
        only: Those, if not all.
        skip: Without these.

    Raises:
        ArgumentError: There is no check of a name.
    """
    for name in (*(only or ()), *skip):
        if name not in NAMES:
            hint = did_you_mean(name, NAMES) or f", but {', '.join(NAMES)}"
            raise ArgumentError(f"there is no check {shown(name)}{hint}")
    return [name for name in NAMES if (only is None or name in only) and name not in skip]


def examine(
    subject: Subject,
    names: Sequence[str],
    seconds: float,
    tell: Callable[[str], object] = lambda check: None,
) -> Report:
    """Checks a task.

    Args:
        subject: What to check.
        names: Which checks, in their order.
        seconds: For how long each of them may run.
        tell: Is called with the name of each check when it begins.

    Raises:
        As check_task, but not for what is found.
    """
    if isinstance(registry.find(subject.task_id), PythonTask):
        raise ArgumentError(
            f"{subject.task_id} is written in Python, expected a native task: "
            "gymnasium.utils.env_checker.check_env looks at environments in Python"
        )
    for name in subject.options:
        if name in RESERVED:
            raise ArgumentError(f"option {name} is given, which the checks set themselves")
    report = Report(subject.task_id, subject.options)
    waiting = list(names)
    while waiting:
        process = Process(run_checks, subject, waiting, report.failed, seconds=seconds)
        try:
            for message in process:
                _note(report, message, tell)
        except ProcessEnded as end:
            if len(report.outcomes) == len(names) - len(waiting):  # no check was under way
                report.outcomes.append(Outcome(waiting[0]))
            outcome = report.outcomes[-1]
            hint = _CRASH_HINT.format(task_id=subject.task_id, check=outcome.check)
            outcome.findings.append(Finding(f"it {end}", hint))
        # After a crash the others have a new process.
        done = {outcome.check for outcome in report.outcomes}
        waiting = [name for name in waiting if name not in done]
    return report


def _note(report: Report, message: Began | Finding | Ended, tell: Callable[[str], object]) -> None:
    match message:
        case Began(check):
            tell(check)
            report.outcomes.append(Outcome(check))
        case Ended(seconds):
            report.outcomes[-1].seconds = seconds
        case Finding():
            report.outcomes[-1].findings.append(message)
