"""Checks that the same seed gives the same bytes, however environments are run."""

from __future__ import annotations

import os
from collections.abc import Iterator

from envpool.isolation import call_in_new_process
from envpool.testing.differences import first_difference
from envpool.testing.probe import Event
from envpool.testing.report import Finding
from envpool.testing.subject import NUM_ENVS, Subject, played

# What the second process finds in new memory, where the first one mostly finds zeros.
_PERTURB = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"


def _compare(subject: Subject, *variants: dict[str, int | str]) -> Iterator[Finding]:
    """Whether pools with other options return something else; the first difference will do."""
    for make_spec in (subject.spec, subject.spec_with_ends):
        expected = played(make_spec(), subject.steps, one_by_one=True)
        for options in variants:
            difference = first_difference(played(make_spec(**options), subject.steps), expected)
            if difference:
                other = ", ".join(f"{name}={value!r}" for name, value in options.items())
                yield Finding(f"{difference} (with {other})")
                return


def check_repeat(subject: Subject) -> Iterator[Finding]:
    """Two equal pools, in which one environment runs at a time."""
    for make_spec in (subject.spec, subject.spec_with_ends):
        plays = [played(make_spec(), subject.steps, one_by_one=True) for _ in range(2)]
        difference = first_difference(*plays)
        if difference:
            yield Finding(f"{difference} (in an equal pool)")
            return


def check_threads(subject: Subject) -> Iterator[Finding]:
    """Pools with more threads."""
    yield from _compare(subject, {"num_threads": 2}, {"num_threads": 4})


def check_batches(subject: Subject) -> Iterator[Finding]:
    """Asynchronous pools, whose environments come in any order."""
    yield from _compare(
        subject,
        {"batch_size": 1, "num_threads": 2},
        {"batch_size": NUM_ENVS - 1, "num_threads": 2},
    )


def check_num_envs(subject: Subject) -> Iterator[Finding]:
    """Fewer and more environments, of which the first ones have the same seeds."""
    yield from _compare(subject, {"num_envs": 1}, {"num_envs": NUM_ENVS + 3})


def check_autoreset(subject: Subject) -> Iterator[Finding]:
    """All auto-reset modes, which only say when the next episode begins."""
    variants: list[dict[str, int | str]] = [{"autoreset_mode": "Disabled"}]
    if subject.spec().most_players == 1:
        variants.append({"autoreset_mode": "SameStep"})
    yield from _compare(subject, *variants)


def check_processes(subject: Subject) -> Iterator[Finding]:
    """Another process, in which new memory has other contents."""
    tunables = ":".join(filter(None, (os.environ.get("GLIBC_TUNABLES"), _PERTURB)))
    ours = played(subject.spec(), subject.steps)
    theirs = call_in_new_process(play_elsewhere, subject, variables={"GLIBC_TUNABLES": tunables})
    difference = first_difference(theirs, ours)
    if difference:
        yield Finding(f"{difference} (in another process, whose new memory is not zero)")


def play_elsewhere(subject: Subject) -> list[list[Event]]:
    """What is compared; for the other process."""
    return played(subject.spec(), subject.steps)
