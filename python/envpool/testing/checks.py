"""All checks, in the order in which they run, and the process that they may crash."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from envpool.errors import ArgumentError, EnvironmentFailure, did_you_mean, shown
from envpool.isolation import Process, ProcessEnded
from envpool.spec.options import About, options_about
from envpool.tasks.registration import PythonTask, registry
from envpool.testing import leaks, pictures, repetition, values
from envpool.testing.report import CheckFailure, Finding, Outcome, Report, said, skipped
from envpool.testing.subject import Subject

_TO_PLAY = ("spec", "exceptions")
_TO_COMPARE = (*_TO_PLAY, "repeat", "written", "threads")
SECONDS = 120.0  # that a check may take

_CRASH_HINT = (
    "run `python -m envpool check {task_id} --only {check}` under a debugger that follows children "
    "(gdb: set follow-fork-mode child)"
)


@dataclasses.dataclass(frozen=True)
class Check:
    """Something that environments are looked at for.

    Attributes:
        find: Yields what is wrong.
        hint: What an author should do about what it finds.
        needs: The checks that must not fail, because what this one finds would follow from that.
    """

    find: Callable[[Subject], Iterator[Finding]]
    hint: str
    needs: tuple[str, ...] = _TO_PLAY

    @property
    def name(self) -> str:
        """The name of its function, without the verb."""
        return self.find.__name__.removeprefix("check_")


CHECKS = (
    Check(
        values.check_spec,
        "correct what the type's spec function returns, or the options of the task's registration",
        (),
    ),
    Check(
        values.check_exceptions,
        "an environment that throws must be reset: fix the cause, or end the episode",
        ("spec",),
    ),
    Check(values.check_bounds, "correct the field's bounds in the spec, or clip the value"),
    Check(
        repetition.check_repeat,
        "draw from the Random that Reset and Step get; use no static variables, clocks, addresses",
    ),
    Check(
        values.check_written,
        "write all of them in Observe: their memory still holds an earlier batch",
        (*_TO_PLAY, "repeat"),
    ),
    Check(
        repetition.check_threads,
        "environments run at the same time: no static or thread-local variables that they change",
        (*_TO_PLAY, "repeat", "written"),
    ),
    Check(
        repetition.check_batches,
        "nothing may depend on the order in which environments are called",
        _TO_COMPARE,
    ),
    Check(
        repetition.check_num_envs,
        "environments share something that they change: make it a member",
        _TO_COMPARE,
    ),
    Check(
        repetition.check_autoreset,
        "Reset must work at any time, and Observe as often as it is called",
        _TO_COMPARE,
    ),
    Check(
        repetition.check_processes,
        "initialise all members; depend on no addresses, environment variables or clocks",
        _TO_COMPARE,
    ),
    Check(
        repetition.check_leftovers,
        "set all members in Reset, or what outlives episodes in Seed",
        _TO_COMPARE,
    ),
    Check(
        repetition.check_snapshots,
        "list everything in Serialize that Seed, Reset, Continue and Step change",
        _TO_COMPARE,
    ),
    Check(
        values.check_actions,
        "look for `<` that should be `<=`, and for numbers that leave the bounds only there",
        (*_TO_PLAY, "bounds"),
    ),
    Check(
        values.check_wild_actions,
        "clip them or throw, and let Reset overwrite everything that they have changed",
        (*_TO_COMPARE, "leftovers"),
    ),
    Check(
        pictures.check_pictures,
        "write all pixels in Render, and change no member that Reset, Step and Observe read",
        _TO_COMPARE,
    ),
    Check(
        values.check_options,
        "narrow the option's limits, or throw std::invalid_argument in the constructor",
    ),
    Check(
        values.check_reset_options,
        "narrow the option's limits, or refuse in the type's check_reset_options",
    ),
    Check(leaks.check_leaks_of_resets, "free in Reset what the last episode allocated"),
    Check(
        leaks.check_leaks_of_pools,
        "free in the destructor what the constructor, Reset and Step allocated",
        (*_TO_PLAY, "leaks_of_resets"),
    ),
    Check(values.check_episodes, "register the task with max_episode_steps"),
)
NAMES = tuple(check.name for check in CHECKS)
HINTS = {check.name: check.hint for check in CHECKS}


@dataclasses.dataclass(frozen=True)
class Began:
    """A check is under way from now on."""

    check: str


@dataclasses.dataclass(frozen=True)
class Ended:
    """The check that was under way has come to its end."""

    seconds: float


def run_checks(
    subject: Subject, names: Collection[str], failed: Collection[str] = ()
) -> Iterator[Began | Finding | Ended]:
    """Runs checks and tells what happens.

    Args:
        subject: What to check.
        names: Which checks.
        failed: Those that have failed already.

    Raises:
        ImportError: The task's library or engine is missing.
        TypeError, ValueError: The task has no such options.
    """
    try:
        subject.spec()
    except (TypeError, ValueError):
        if subject.options:
            raise  # otherwise it is the task's own fault, which the first check tells
    has_failed = set(failed)
    for check in CHECKS:
        if check.name not in names:
            continue
        yield Began(check.name)
        begin = time.monotonic()
        for finding in _findings(check, subject, has_failed):
            if finding.kind == "fault":
                has_failed.add(check.name)
            yield finding
        yield Ended(time.monotonic() - begin)


def _findings(check: Check, subject: Subject, failed: Collection[str]) -> Iterator[Finding]:
    missing = [name for name in check.needs if name in failed]
    if missing:
        yield skipped(f"not run, because {missing[0]} fails")
        return
    try:
        for finding in check.find(subject):
            needs_hint = finding.kind == "fault" and not finding.hint
            yield dataclasses.replace(finding, hint=check.hint) if needs_hint else finding
    except EnvironmentFailure as failure:
        yield Finding(f"an environment threw: {said(failure)}", HINTS["exceptions"])
    except Exception as error:
        yield Finding(f"{type(error).__name__}: {error}", check.hint)


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
        if name in options_about(About.RUN):
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
