"""All checks, in the order in which they run, and the process that they may crash."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal

import gymnasium

from envpool.checks import gymnasium_api, leaks, pictures, python_pools, repetition, values
from envpool.checks.report import CheckFailure, Finding, Found, Outcome, Report, said, skipped
from envpool.checks.subject import NUM_ENVS, Subject
from envpool.errors import ArgumentError, EnvironmentFailure, did_you_mean, shown
from envpool.isolation import Process, ProcessEnded
from envpool.spec.options import About, options_about

# What follows from a fault of these would tell nothing new.
_BASIC = ("spec", "exceptions", "repeat", "written", "threads")
SECONDS = 120.0  # that a check may take

_CRASH_HINT = (
    "run this check alone under a debugger that follows children (gdb: set follow-fork-mode child)"
)


@dataclasses.dataclass(frozen=True)
class Check:
    """Something that environments are looked at for.

    Attributes:
        find: Yields what is wrong. Unless there may be several faults, it is asked until the first.
        hint: What an author should do about what it finds.
        python: What an author in Python should do instead.
        needs: The checks that must not have failed either, beside the basic ones.
        only: The language of environments to look at, if not both.
        several: True if all faults are told.
    """

    find: Callable[[Subject], Iterator[Found]]
    hint: str
    python: str = ""
    needs: tuple[str, ...] = ()
    only: Literal["C++", "Python"] | None = None
    several: bool = False


CHECKS = {
    "spec": Check(
        values.spec,
        "correct what the type's spec function returns, or the options of the task's registration",
        "correct what makes it: its constructor, spaces and metadata",
    ),
    "exceptions": Check(
        values.exceptions,
        "an environment that throws must be reset: fix the cause, or end the episode",
    ),
    "bounds": Check(
        values.within_bounds,
        "correct the bounds in the spec or the space, or clip the value",
        several=True,
    ),
    "repeat": Check(
        repetition.repeat,
        "draw from the Random that Reset and Step get; use no static variables, clocks, addresses",
        "call super().reset(seed=seed), draw from self.np_random, and from no other "
        "generator; use no global variables or attributes of the class, and no clocks",
    ),
    "buffers": Check(
        gymnasium_api.buffers,
        "return copies of what changes later, and copy or only read what you are given",
        only="Python",
    ),
    "gymnasium": Check(
        gymnasium_api.of_gymnasium,
        "do as gymnasium.farama.org/api/env says: others than envpool may rely on it",
        needs=("bounds", "buffers"),
        only="Python",
    ),
    "infos": Check(
        python_pools.infos,
        "a batch has an array for each key: give it values of one type and shape, and leave it out "
        "where there is none",
        only="Python",
        several=True,
    ),
    "written": Check(
        values.written,
        "write all of them in Observe: their memory still holds an earlier batch",
        only="C++",
    ),
    "threads": Check(
        repetition.compared({"num_threads": 2}, {"num_threads": 4}),
        "environments run at the same time: no static or thread-local variables that they change",
        only="C++",
    ),
    "batches": Check(
        repetition.batches,
        "nothing may depend on the order in which environments are called",
    ),
    "num_envs": Check(
        repetition.compared({"num_envs": 1}, {"num_envs": NUM_ENVS + 3}),
        "environments share something that they change: make it a member, an attribute of self",
    ),
    "processes": Check(
        repetition.processes,
        "initialise all members; depend on no addresses, environment variables or clocks",
        "depend on no environment variables, process ids or clocks, and on no order of sets and "
        "hashes, which differ between processes",
    ),
    "workers": Check(
        repetition.workers,
        "classes and infos must be picklable, and nothing may depend on which process runs it",
        needs=("processes",),
        only="Python",
    ),
    "leftovers": Check(
        repetition.leftovers,
        "set all members in Reset, or what outlives episodes in Seed",
        "set all attributes in reset, and call super().reset(seed=seed) there",
    ),
    "snapshots": Check(
        repetition.snapshots,
        "list everything in Serialize that Seed, Reset, Continue and Step change",
        "return everything in get_state that reset and step change, and copy it in set_state",
    ),
    "actions": Check(
        values.actions,
        "look for `<` that should be `<=`, and for numbers that leave the bounds only there",
        needs=("bounds",),
        several=True,
    ),
    "wild_actions": Check(
        values.wild_actions,
        "clip or refuse them, and let a reset overwrite everything that they have changed",
        needs=("leftovers",),
    ),
    "pictures": Check(
        pictures.pictures,
        "write all pixels, and change nothing that resets and steps read",
    ),
    "options": Check(
        values.options,
        "narrow the option's limits, or throw std::invalid_argument in the constructor",
        only="C++",
        several=True,
    ),
    "reset_options": Check(
        values.reset_options,
        "narrow the option's limits, or refuse in the type's check_reset_options",
        only="C++",
        several=True,
    ),
    "leaks_of_resets": Check(
        leaks.leaks_of_resets,
        "free in a reset what the last episode has made",
    ),
    "leaks_of_pools": Check(
        leaks.leaks_of_pools,
        "free in the destructor or close what the constructor, resets and steps have made, and "
        "keep no environments in global variables",
        needs=("leaks_of_resets",),
    ),
    "episodes": Check(values.episodes, "register the task with max_episode_steps"),
}


def names_for(subject: Subject) -> list[str]:
    """The names of the checks that look at such environments."""
    return [name for name, check in CHECKS.items() if check.only in (None, subject.language)]


def run_checks(
    subject: Subject, names: Collection[str], failed: Collection[str] = ()
) -> Iterator[Outcome]:
    """Runs checks; yields the outcome of each when it begins, with each finding, and at its end.

    Args:
        subject: What to check.
        names: Which checks.
        failed: Those that have failed already.

    Raises:
        ImportError, gymnasium.error.Error: The task's library or engine is missing.
        TypeError, ValueError: The task has no such options.
    """
    try:
        subject.spec()
    except Exception as error:
        refused = isinstance(error, TypeError | ValueError)
        missing = isinstance(error, ImportError | gymnasium.error.Error)
        if missing or (refused and subject.options):
            raise  # otherwise it is the task's own fault, which the first check tells
    has_failed = set(failed)
    for name, check in CHECKS.items():
        if name not in names:
            continue
        outcome = Outcome(name)
        yield outcome
        begin = time.monotonic()
        for finding in _findings(check, subject, has_failed):
            outcome.findings.append(finding)
            yield outcome
        outcome.seconds = time.monotonic() - begin
        yield outcome
        if outcome.faults:
            has_failed.add(name)


def _findings(check: Check, subject: Subject, failed: Collection[str]) -> Iterator[Finding]:
    missing = [name for name in (*_BASIC, *check.needs) if name in failed]
    if missing:
        yield skipped(f"not run, because {missing[0]} fails")
        return
    hint = check.hint if subject.python is None else check.python or check.hint
    try:
        for found in check.find(subject):
            if not found:
                continue
            finding = Finding(found, hint) if isinstance(found, str) else found
            yield finding
            if finding.kind == "fault" and not check.several:
                return
    except EnvironmentFailure as failure:
        yield Finding(f"an environment threw: {said(failure)}", CHECKS["exceptions"].hint)
    except Exception as error:
        yield Finding(f"{type(error).__name__}: {error}", hint)


def check_task(
    task: Any,
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
        task: The task's id; or what :func:`envpool.make_python` makes environments of, such as a
            class. It runs in another process, which knows the tasks that this one knows.
        only: Names of the checks to run; by default all.
        skip: Names of checks not to run.
        quick: Run a quarter of the steps.
        seconds: How long a check may run.
        **options: The task's options, as for :func:`envpool.make`.

    Returns:
        The report, which contains no faults.

    Raises:
        CheckFailure: Something is wrong (an AssertionError that lists everything).
        UnknownTaskError, gymnasium.error.Error: There is no such task.
        TypeError, ValueError: An option or the name of a check is wrong.
        ImportError: The task's library or engine is missing.
    """
    subject = Subject.of(task, options, quick)
    *_, report = examine(subject, chosen_checks(subject, only, skip), seconds)
    if report.failed:
        raise CheckFailure(report)
    return report


def chosen_checks(
    subject: Subject, only: Collection[str] | None, skip: Collection[str]
) -> list[str]:
    """The names of the checks that are to run, in their order.

    Args:
        subject: What to check.
        only: Those, if not all.
        skip: Without these.

    Raises:
        ArgumentError: There is no check of a name, for such environments.
    """
    names = names_for(subject)
    for given, known in ((only or (), names), (skip, list(CHECKS))):
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known) or f", but {', '.join(known)}"
                raise ArgumentError(f"there is no check {shown(name)} for this task{hint}")
    return [name for name in names if (only is None or name in only) and name not in skip]


def examine(subject: Subject, names: Sequence[str], seconds: float) -> Iterator[Report]:
    """Checks a task; yields the report whenever it has grown, and at last.

    Args:
        subject: What to check.
        names: Which checks, in their order.
        seconds: For how long each of them may run.

    Raises:
        As check_task, but not for what is found.
    """
    for name in subject.options:
        if name in options_about(About.RUN):
            raise ArgumentError(f"option {name} is given, which the checks set themselves")
    outcomes: dict[str, Outcome] = {}
    report = Report(subject.task_id, subject.options)
    # After a crash the others have a new process.
    while waiting := [name for name in names if name not in outcomes]:
        process = Process(run_checks, subject, waiting, report.failed, seconds=seconds)
        check = waiting[0]  # until one is under way
        try:
            for outcome in process:
                check = outcome.check
                outcomes[check] = outcome
                report.outcomes = list(outcomes.values())
                yield report
        except ProcessEnded as end:
            outcome = outcomes.setdefault(check, Outcome(check))
            outcome.findings.append(Finding(f"it {end}", _CRASH_HINT))
            report.outcomes = list(outcomes.values())
    yield report
