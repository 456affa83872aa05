"""All checks, in the order in which they run, and the process that they may crash."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal

import cloudpickle
import gymnasium

from envpool.checks import gymnasium_api, leaks, pictures, python_pools, repetition, values
from envpool.checks.report import CheckFailure, Finding, Outcome, Report, said, skipped
from envpool.checks.subject import Subject
from envpool.errors import ArgumentError, EnvironmentFailure, did_you_mean, shown
from envpool.isolation import Process, ProcessEnded
from envpool.spec.options import About, options_about

_TO_PLAY = ("spec", "exceptions")
_TO_COMPARE = (*_TO_PLAY, "repeat", "written", "threads")
SECONDS = 120.0  # that a check may take
# Options of environments written in Python about how they are run.
_OF_PYTHON_RUNS = (
    *("num_workers", "worker_threads", "start_method", "step_timeout", "on_worker_death"),
    "snapshots",
)

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
        python: What an author in Python should do instead.
        only: The language of environments to look at, if not both.
    """

    find: Callable[[Subject], Iterator[Finding]]
    hint: str
    needs: tuple[str, ...] = _TO_PLAY
    python: str = ""
    only: Literal["C++", "Python"] | None = None

    def hint_for(self, subject: Subject) -> str:
        """What the subject's author should do about it."""
        return self.hint if subject.python is None else self.python or self.hint

    @property
    def name(self) -> str:
        """The name of its function, without the verb."""
        return self.find.__name__.removeprefix("check_")


CHECKS = (
    Check(
        values.check_spec,
        "correct what the type's spec function returns, or the options of the task's registration",
        (),
        "correct what makes it: its constructor, spaces and metadata",
    ),
    Check(
        values.check_exceptions,
        "an environment that throws must be reset: fix the cause, or end the episode",
        ("spec",),
    ),
    Check(
        values.check_bounds,
        "correct the field's bounds in the spec, or clip the value",
        python="correct the space's bounds, or clip the value",
    ),
    Check(
        repetition.check_repeat,
        "draw from the Random that Reset and Step get; use no static variables, clocks, addresses",
        python="call super().reset(seed=seed), draw from self.np_random, and from no other "
        "generator; use no global variables or attributes of the class, and no clocks",
    ),
    Check(
        gymnasium_api.check_buffers,
        "return copies of what changes later, and copy or only read what you are given",
        (*_TO_PLAY, "repeat"),
        only="Python",
    ),
    Check(
        gymnasium_api.check_gymnasium,
        "do as gymnasium.farama.org/api/env says: others than envpool may rely on it",
        (*_TO_PLAY, "bounds", "repeat", "buffers"),
        only="Python",
    ),
    Check(
        gymnasium_api.check_ends,
        "let reset set all attributes, whatever was called before",
        (*_TO_PLAY, "repeat"),
        only="Python",
    ),
    Check(
        gymnasium_api.check_closing,
        "close may be called at any time, and twice",
        only="Python",
    ),
    Check(
        python_pools.check_infos,
        "a batch has an array for each key: give it values of one type and shape, and leave it out "
        "where there is none",
        only="Python",
    ),
    Check(
        values.check_written,
        "write all of them in Observe: their memory still holds an earlier batch",
        (*_TO_PLAY, "repeat"),
        only="C++",
    ),
    Check(
        repetition.check_threads,
        "environments run at the same time: no static or thread-local variables that they change",
        (*_TO_PLAY, "repeat", "written"),
        only="C++",
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
        "environments share something that they change: make it an attribute of self",
    ),
    Check(
        repetition.check_autoreset,
        "Reset must work at any time, and Observe as often as it is called",
        _TO_COMPARE,
        "reset must work at any time",
    ),
    Check(
        repetition.check_processes,
        "initialise all members; depend on no addresses, environment variables or clocks",
        _TO_COMPARE,
        "depend on no environment variables, process ids or clocks, and on no order of sets and "
        "hashes, which differ between processes",
    ),
    Check(
        python_pools.check_workers,
        "classes and infos must be picklable, and nothing may depend on which process runs it",
        (*_TO_COMPARE, "processes"),
        only="Python",
    ),
    Check(
        repetition.check_leftovers,
        "set all members in Reset, or what outlives episodes in Seed",
        _TO_COMPARE,
        "set all attributes in reset, and call super().reset(seed=seed) there",
    ),
    Check(
        repetition.check_snapshots,
        "list everything in Serialize that Seed, Reset, Continue and Step change",
        _TO_COMPARE,
        "return everything in get_state that reset and step change, and copy it in set_state",
    ),
    Check(python_pools.check_seeds, "", _TO_COMPARE, only="Python"),
    Check(
        values.check_actions,
        "look for `<` that should be `<=`, and for numbers that leave the bounds only there",
        (*_TO_PLAY, "bounds"),
    ),
    Check(
        values.check_wild_actions,
        "clip them or throw, and let Reset overwrite everything that they have changed",
        (*_TO_COMPARE, "leftovers"),
        "clip them or raise, and let reset overwrite everything that they have changed",
    ),
    Check(
        pictures.check_pictures,
        "write all pixels in Render, and change no member that Reset, Step and Observe read",
        _TO_COMPARE,
        "write all pixels in render, and change no attribute that reset and step read",
    ),
    Check(
        values.check_options,
        "narrow the option's limits, or throw std::invalid_argument in the constructor",
        only="C++",
    ),
    Check(
        values.check_reset_options,
        "narrow the option's limits, or refuse in the type's check_reset_options",
        only="C++",
    ),
    Check(
        leaks.check_leaks_of_resets,
        "free in Reset what the last episode allocated",
        python="drop in reset what the last episode has made",
    ),
    Check(
        leaks.check_leaks_of_pools,
        "free in the destructor what the constructor, Reset and Step allocated",
        (*_TO_PLAY, "leaks_of_resets"),
        "free in close what the constructor, reset and step have made, and keep no environments in "
        "global variables",
    ),
    Check(values.check_episodes, "register the task with max_episode_steps"),
    Check(python_pools.check_time_limits, "", only="Python"),
)
NAMES = tuple(check.name for check in CHECKS)
HINTS = {check.name: check.hint for check in CHECKS}


def names_for(subject: Subject) -> list[str]:
    """The names of the checks that look at such environments."""
    language = "C++" if subject.python is None else "Python"
    return [check.name for check in CHECKS if check.only in (None, language)]


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
    hint = check.hint_for(subject)
    try:
        for finding in check.find(subject):
            needs_hint = finding.kind == "fault" and not finding.hint
            yield dataclasses.replace(finding, hint=hint) if needs_hint else finding
    except EnvironmentFailure as failure:
        yield Finding(f"an environment threw: {said(failure)}", HINTS["exceptions"])
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
    report = examine(subject, chosen_checks(subject, only, skip), seconds)
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
    for name in (*(only or ()), *skip):
        if name in NAMES and name not in names and name in (only or ()):
            language = "C++" if subject.python else "Python"
            raise ArgumentError(f"check {name} is only for environments written in {language}")
        if name not in NAMES:
            hint = did_you_mean(name, names) or f", but {', '.join(names)}"
            raise ArgumentError(f"there is no check {shown(name)}{hint}")
    return [name for name in names if (only is None or name in only) and name not in skip]


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
    for name in subject.options:
        if name in (*options_about(About.RUN), *_OF_PYTHON_RUNS):
            raise ArgumentError(f"option {name} is given, which the checks set themselves")
    report = Report(subject.task_id, subject.options)
    waiting = list(names)
    while waiting:
        process = Process(
            run_checks,
            subject,
            waiting,
            report.failed,
            seconds=seconds,
            dumps=cloudpickle.dumps,
        )
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
