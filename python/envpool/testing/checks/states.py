"""Checks of what environments keep from one episode to the next, and of snapshots."""

from __future__ import annotations

from collections.abc import Iterator

from envpool.testing.actions import Actions
from envpool.testing.differences import first_difference
from envpool.testing.probe import Play, Probe
from envpool.testing.report import Finding, remark
from envpool.testing.subject import SEED, Subject

_NO_SNAPSHOTS = "has no snapshots"  # what Env::Serialize throws unless it is implemented
_LARGE = 2**20  # bytes
_BETWEEN_SNAPSHOTS = (0, 1, 5, *[1] * 8)  # steps; the last are around the ends of short episodes
_LEAST_STEPS = 15  # after a snapshot


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
    for make_spec in (subject.spec, subject.spec_with_ends):
        spec = make_spec(num_envs=2)  # enough, and this takes longer than other checks
        with Probe(spec) as probe, Probe(spec) as other:
            try:
                probe.native.get_state(None)
            except RuntimeError as error:
                if _NO_SNAPSHOTS not in str(error):
                    raise
                yield remark("it has no snapshots: implement Serialize for get_state()")
                return
            difference = next(_differences(subject, Play(probe, Actions(spec)), other), None)
            size = max(map(len, probe.native.get_state(None)))
        if difference:
            yield Finding(difference)
            return
    if size > _LARGE:
        yield remark(f"a snapshot has {size:,} bytes")


def _differences(subject: Subject, play: Play, other: Probe) -> Iterator[str]:
    """How environments go on differently from snapshots, taken at all sorts of times."""
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
