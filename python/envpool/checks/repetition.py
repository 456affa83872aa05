"""Checks that a seed or a snapshot gives the same bytes, however environments are run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from envpool.checks.actions import Actions
from envpool.checks.events import Event, first_difference
from envpool.checks.probe import Play, Probe, played
from envpool.checks.report import Found, remark, said
from envpool.checks.subject import NUM_ENVS, SEED, Subject
from envpool.errors import EnvironmentFailure
from envpool.isolation import Process

# The second process finds this in new memory, where the first one mostly finds zeros.
_PERTURB = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
# What environments without snapshots say, in C++ and in Python.
_NO_SNAPSHOTS = re.compile(r"has no (snapshots|get_state\(\))")
_HOW_TO_HAVE_SNAPSHOTS = (
    "it has no snapshots: implement Serialize for get_state()",
    "it has no snapshots: give it get_state() and set_state(), or the option snapshots='pickle'",
)
_FOREVER = 1e6  # seconds: whoever runs the checks has a limit of their own
_HASH_SEED = "12345"  # the order of sets of strings depends on it
_BETWEEN_SNAPSHOTS = (0, 1, 5, *[1] * 8)  # steps; the last are around the ends of short episodes
_LEAST_STEPS = 15  # after a snapshot


def compared(*variants: dict[str, Any]) -> Callable[[Subject], Iterator[Found]]:
    """A check that environments do the same in pools with other options.

    Args:
        variants: The options of each of these pools.
    """
    return lambda subject: _compare(subject, *variants)


def _compare(subject: Subject, *variants: dict[str, Any]) -> Iterator[Found]:
    for make_spec in subject.makers:
        expected = played(make_spec(), subject.steps, one_by_one=True)
        for options in variants:
            events = played(make_spec(**options), subject.steps)
            other = ", ".join(f"{name}={value!r}" for name, value in options.items())
            yield first_difference(events, expected, f"with {other}")


def repeat(subject: Subject) -> Iterator[Found]:
    """Two equal pools, in which one environment runs at a time."""
    for make_spec in subject.makers:
        first, second = (played(make_spec(), subject.steps, one_by_one=True) for _ in range(2))
        yield first_difference(first, second, "in an equal pool")


def batches(subject: Subject) -> Iterator[Found]:
    """Asynchronous pools, whose environments come in any order."""
    sizes = ({"batch_size": size} | subject.threads(2) for size in (1, NUM_ENVS - 1))
    return _compare(subject, *sizes)


def workers(subject: Subject) -> Iterator[Found]:
    """Worker processes, where the other checks have all environments in this one."""
    try:
        yield from _compare(subject, {"num_workers": 2})
    except EnvironmentFailure as failure:
        yield f"with num_workers=2: {said(failure)}"


def processes(subject: Subject) -> Iterator[Found]:
    """Another process, in which new memory has other contents."""
    tunables = ":".join(filter(None, (os.environ.get("GLIBC_TUNABLES"), _PERTURB)))
    ours = played(subject.spec(), subject.steps)
    variables = {"GLIBC_TUNABLES": tunables, "PYTHONHASHSEED": _HASH_SEED}
    (theirs,) = Process(play_elsewhere, subject, seconds=_FOREVER, variables=variables)
    other = "new memory is not zero" if subject.python is None else "hashes are others"
    yield first_difference(theirs, ours, f"in another process, whose {other}")


def play_elsewhere(subject: Subject) -> Iterator[list[list[Event]]]:
    """Plays in the other process, and yields the events."""
    yield played(subject.spec(), subject.steps)


def leftovers(subject: Subject) -> Iterator[Found]:
    """A reset with a seed after some play, compared with a new pool of that seed."""
    for make_spec in subject.makers:
        expected = played(make_spec(seed=SEED + 1), subject.steps)
        spec = make_spec()
        with Probe(spec) as probe:
            play = Play(probe, Actions(spec)).start()
            for before in (7, subject.steps):
                play.run(before)
                yield first_difference(
                    play.start(SEED + 1).run(subject.steps).events,
                    expected,
                    f"after about {before} steps and reset(seed=...); expected is what a new "
                    "environment with that seed returns",
                )


def snapshots(subject: Subject) -> Iterator[Found]:
    """Snapshots before the first reset, within episodes and at their ends."""
    if not _has_snapshots(subject):
        yield remark(_HOW_TO_HAVE_SNAPSHOTS[subject.python is not None])
        return
    for make_spec in subject.makers:
        spec = make_spec(num_envs=2)  # enough, and this takes longer than other checks
        with Probe(spec) as probe, Probe(spec) as other:
            yield from _differences(subject, Play(probe, Actions(spec)), other)


def _has_snapshots(subject: Subject) -> bool:
    spec = subject.spec(num_envs=1)
    with Probe(spec) as probe:
        if subject.python is not None:  # there, the first reset may make what is saved
            Play(probe, Actions(spec)).start()
        try:
            probe.native.get_state(None)
        except RuntimeError as error:
            if not _NO_SNAPSHOTS.search(str(error)):
                raise
            return False
    return True


def _differences(subject: Subject, play: Play, other: Probe) -> Iterator[str]:
    """Differences after snapshots that are taken at all sorts of times."""
    if subject.python is None:  # there, what is needed may be made by the first reset
        yield from _go_on(subject, play, other, "before the first reset")
    play.start()
    for steps in _BETWEEN_SNAPSHOTS:
        play.run(steps)
        yield from _go_on(subject, play, other, f"after result {len(play.events[0]) - 1}")


def _go_on(subject: Subject, play: Play, other: Probe, when: str) -> Iterator[str]:
    """The same with a snapshot taken now; leaves the play where it was."""
    states = play.probe.native.get_state(None)
    position = Play(play.probe, play.actions).follow(play)
    already = [len(events) for events in play.events]
    steps = max(subject.steps // 4, _LEAST_STEPS)
    if not any(already):
        play.start()
    play.run(steps)
    expected = [events[count:] for events, count in zip(play.events, already, strict=True)]
    for probe, where in ((other, "another pool"), (play.probe, "the same pool")):
        probe.native.set_state(states, None)
        again = Play(probe, play.actions).follow(position)
        if not any(already):
            again.start()
        difference = first_difference(again.run(steps).events, expected)
        if difference:
            yield (
                f"a snapshot taken {when} and set in {where} goes on differently; counted from "
                f"there: {difference}"
            )
    play.probe.native.set_state(states, None)
    events = [events[:count] for events, count in zip(play.events, already, strict=True)]
    play.follow(position).events = events
