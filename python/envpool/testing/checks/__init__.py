"""All checks, in the order in which they run: what is simple first."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterator

from envpool.errors import EnvironmentFailure
from envpool.testing.checks.actions import check_actions, check_wild_actions
from envpool.testing.checks.leaks import check_leaks_of_pools, check_leaks_of_resets
from envpool.testing.checks.options import check_options, check_reset_options
from envpool.testing.checks.pictures import check_pictures
from envpool.testing.checks.repetition import (
    check_autoreset,
    check_batches,
    check_num_envs,
    check_processes,
    check_repeat,
    check_threads,
)
from envpool.testing.checks.states import check_leftovers, check_snapshots
from envpool.testing.checks.values import (
    check_bounds,
    check_episodes,
    check_exceptions,
    check_spec,
    check_written,
)
from envpool.testing.report import Finding, said, skipped
from envpool.testing.subject import Subject

_TO_PLAY = ("spec", "exceptions")
_TO_COMPARE = (*_TO_PLAY, "repeat", "written", "threads")


@dataclasses.dataclass(frozen=True)
class Check:
    """Something that environments are looked at for.

    Attributes:
        name: What it is called.
        hint: What an author should do about what it finds.
        find: Yields what is wrong.
        needs: The checks that must not fail, because what this one finds would follow from that.
    """

    name: str
    hint: str
    find: Callable[[Subject], Iterator[Finding]]
    needs: tuple[str, ...] = _TO_PLAY


CHECKS = (
    Check(
        "spec",
        "correct what the type's spec function returns, or the options of the task's registration",
        check_spec,
        (),
    ),
    Check(
        "exceptions",
        "an environment that throws must be reset: fix the cause, or end the episode",
        check_exceptions,
        ("spec",),
    ),
    Check(
        "bounds",
        "correct the field's bounds in the spec, or clip the value",
        check_bounds,
    ),
    Check(
        "repeat",
        "draw from the Random that Reset and Step get; use no static variables, clocks, addresses",
        check_repeat,
    ),
    Check(
        "written",
        "write all of them in Observe: their memory still holds an earlier batch",
        check_written,
        (*_TO_PLAY, "repeat"),
    ),
    Check(
        "threads",
        "environments run at the same time: no static or thread-local variables that they change",
        check_threads,
        (*_TO_PLAY, "repeat", "written"),
    ),
    Check(
        "batches",
        "nothing may depend on the order in which environments are called",
        check_batches,
        _TO_COMPARE,
    ),
    Check(
        "num_envs",
        "environments share something that they change: make it a member",
        check_num_envs,
        _TO_COMPARE,
    ),
    Check(
        "autoreset",
        "Reset must work at any time, and Observe as often as it is called",
        check_autoreset,
        _TO_COMPARE,
    ),
    Check(
        "processes",
        "initialise all members; depend on no addresses, environment variables or clocks",
        check_processes,
        _TO_COMPARE,
    ),
    Check(
        "leftovers",
        "set all members in Reset, or what outlives episodes in Seed",
        check_leftovers,
        _TO_COMPARE,
    ),
    Check(
        "snapshots",
        "list everything in Serialize that Seed, Reset, Continue and Step change",
        check_snapshots,
        _TO_COMPARE,
    ),
    Check(
        "actions",
        "look for `<` that should be `<=`, and for numbers that leave the bounds only there",
        check_actions,
        (*_TO_PLAY, "bounds"),
    ),
    Check(
        "wild_actions",
        "clip them or throw, and let Reset overwrite everything that they have changed",
        check_wild_actions,
        (*_TO_COMPARE, "leftovers"),
    ),
    Check(
        "pictures",
        "write all pixels in Render, and change no member that Reset, Step and Observe read",
        check_pictures,
        _TO_COMPARE,
    ),
    Check(
        "options",
        "narrow the option's limits, or throw std::invalid_argument in the constructor",
        check_options,
    ),
    Check(
        "reset_options",
        "narrow the option's limits, or refuse in the type's check_reset_options",
        check_reset_options,
    ),
    Check(
        "leaks_of_resets",
        "free in Reset what the last episode allocated",
        check_leaks_of_resets,
    ),
    Check(
        "leaks_of_pools",
        "free in the destructor what the constructor, Reset and Step allocated",
        check_leaks_of_pools,
        (*_TO_PLAY, "leaks_of_resets"),
    ),
    Check(
        "episodes",
        "register the task with max_episode_steps",
        check_episodes,
    ),
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
