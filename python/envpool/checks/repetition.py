"""Checks that a seed or a snapshot gives the same bytes, however environments are run."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Any

import cloudpickle

from envpool.checks.probe import Event, Play, Probe, first_difference
from envpool.checks.report import Finding, remark, said
from envpool.checks.subject import NUM_ENVS, SEED, Actions, Subject, played
from envpool.errors import EnvironmentFailure
from envpool.isolation import Process

# The second process finds this in new memory, where the first one mostly finds zeros.
_PERTURB = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"
_NO_SNAPSHOTS = "has no snapshots"  # what Env::Serialize throws unless it is implemented
_HOW_TO_HAVE_SNAPSHOTS = (
    "it has no snapshots: implement Serialize for get_state()",
    "it has no snapshots: give it get_state() and set_state(), or make it possible to pickle it",
)
_HASH_SEED = "12345"  # the order of sets of strings depends on it
_LARGE = 2**20  # bytes
_BETWEEN_SNAPSHOTS = (0, 1, 5, *[1] * 8)  # steps; the last are around the ends of short episodes
_LEAST_STEPS = 15  # after a snapshot


def compare(subject: Subject, *variants: dict[str, int | str]) -> Iterator[Finding]:
    """Finds the first difference to pools with other options."""
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
    yield from compare(subject, {"num_threads": 2}, {"num_threads": 4})


def check_batches(subject: Subject) -> Iterator[Finding]:
    """Asynchronous pools, whose environments come in any order."""
    threads = subject.threads(2)
    yield from compare(
        subject, {"batch_size": 1, **threads}, {"batch_size": NUM_ENVS - 1, **threads}
    )


def check_num_envs(subject: Subject) -> Iterator[Finding]:
    """Fewer and more environments, of which the first ones have the same seeds."""
    yield from compare(subject, {"num_envs": 1}, {"num_envs": NUM_ENVS + 3})


def check_autoreset(subject: Subject) -> Iterator[Finding]:
    """All auto-reset modes, which only say when the next episode begins."""
    variants: list[dict[str, int | str]] = [{"autoreset_mode": "Disabled"}]
    if subject.spec().spaces.most_players == 1:
        variants.append({"autoreset_mode": "SameStep"})
    yield from compare(subject, *variants)


def check_processes(subject: Subject) -> Iterator[Finding]:
    """Another process, in which new memory has other contents."""
    tunables = ":".join(filter(None, (os.environ.get("GLIBC_TUNABLES"), _PERTURB)))
    ours = played(subject.spec(), subject.steps)
    variables = {"GLIBC_TUNABLES": tunables, "PYTHONHASHSEED": _HASH_SEED}
    forever = threading.TIMEOUT_MAX  # whoever runs this has a limit of their own
    (theirs,) = Process(
        play_elsewhere, subject, seconds=forever, variables=variables, dumps=cloudpickle.dumps
    )
    difference = first_difference(theirs, ours)
    if difference:
        other = "new memory is not zero" if subject.python is None else "hashes are others"
        yield Finding(f"{difference} (in another process, whose {other})")


def play_elsewhere(subject: Subject) -> Iterator[list[list[Event]]]:
    """Plays in the other process, and yields the events."""
    yield played(subject.spec(), subject.steps)


def check_leftovers(subject: Subject) -> Iterator[Finding]:
    """A reset with a seed after some play, compared with a new pool of that seed."""
    for make_spec in (subject.spec, subject.spec_with_ends):
        fresh, used = make_spec(seed=SEED + 1), make_spec()
        with Probe(fresh) as probe:
            expected = Play(probe, Actions(fresh)).start().run(subject.steps).events
        with Probe(used) as probe:
            play = Play(probe, Actions(used)).start()
            for before in (7, subject.steps):
                play.run(before)
                events = play.start(SEED + 1).run(subject.steps).events
                difference = first_difference(events, expected)
                if difference:
                    yield Finding(
                        f"{difference} (after about {before} steps and reset(seed=...); expected "
                        "is what a new environment with that seed returns)"
                    )
                    return


def check_snapshots(subject: Subject) -> Iterator[Finding]:
    """Snapshots before the first reset, within episodes and at their ends."""
    kind = _kind_of_snapshots(subject)
    if kind is None:
        yield remark(_HOW_TO_HAVE_SNAPSHOTS[subject.python is not None])
        return
    if not kind:
        yield from _try_snapshots(subject, kind)
        return
    try:
        found = [finding.message for finding in _try_snapshots(subject, kind)]
    except EnvironmentFailure as failure:
        found = [f"an environment threw: {said(failure)}"]
    # Nobody has promised that its pickles are snapshots.
    yield from (remark(f"with snapshots='pickle', {message}") for message in found)


def _try_snapshots(subject: Subject, kind: dict[str, Any]) -> Iterator[Finding]:
    for make_spec in (subject.spec, subject.spec_with_ends):
        spec = make_spec(num_envs=2, **kind)  # enough, and this takes longer than other checks
        with Probe(spec) as probe, Probe(spec) as other:
            difference = next(_differences(subject, Play(probe, Actions(spec)), other), None)
            size = max(map(len, probe.native.get_state(None)))
        if difference:
            yield Finding(difference)
            return
    if size > _LARGE:
        yield remark(f"a snapshot has {size:,} bytes")


def _kind_of_snapshots(subject: Subject) -> dict[str, Any] | None:
    """The options with which environments have snapshots; None if there are none."""
    if subject.python is None:
        with Probe(subject.spec(num_envs=1)) as probe:
            try:
                probe.native.get_state(None)
            except RuntimeError as error:
                if _NO_SNAPSHOTS not in str(error):
                    raise
                return None
        return {}
    spec = subject.spec(num_envs=1)
    with Probe(spec) as probe:
        Play(probe, Actions(spec)).start()
        with contextlib.suppress(EnvironmentFailure):
            probe.native.get_attr("get_state")
            return {}
    spec = subject.spec(num_envs=1, snapshots="pickle")
    with Probe(spec) as probe:
        Play(probe, Actions(spec)).start()
        with contextlib.suppress(EnvironmentFailure):
            probe.native.get_state(None)
            return {"snapshots": "pickle"}
    return None


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
