"""Checks of what environments return."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.spec.config import INT_MAX
from envpool.spec.spaces import Field, bounds
from envpool.testing.actions import Actions
from envpool.testing.differences import element, first_difference, shown_column, where
from envpool.testing.probe import Event, Play, Probe
from envpool.testing.report import Finding, remark, said
from envpool.testing.subject import Subject, played

_PATTERNS = (0x55, 0xAA)
_HINT_IF_NONE_IS_MADE = "correct the constructor, or what the type's spec function returns"


def check_spec(subject: Subject) -> Iterator[Finding]:
    """A spec that the core accepts, always the same, that spaces and environments agree with."""
    spec = subject.spec()
    if spec.render_modes() and min(spec.frame_size) < 1:
        yield Finding(f"frame_size is {spec.frame_size}, expected at least 1 x 1")
    again = subject.spec()
    for what in ("observation_space", "action_space", "columns"):
        if getattr(spec, what) != getattr(again, what):
            yield Finding(f"{what} differs between two specs with the same options")
    try:
        Probe(subject.spec(num_envs=1)).close()
    except Exception as error:
        yield Finding(f"no environment can be made: {said(error)}", _HINT_IF_NONE_IS_MADE)


def check_exceptions(subject: Subject) -> Iterator[Finding]:
    """A few episodes, whose exceptions are reported by whoever runs the checks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        played(subject.spec(num_threads=2), subject.steps)
        played(subject.spec_with_ends(), subject.steps)
    # Each text once, whichever environments it is from.
    texts = (re.sub(r"^environment \d+: ", "", str(warning.message)) for warning in caught)
    for text in dict.fromkeys(texts):
        yield remark(f"it warns: {text}")


def check_bounds(subject: Subject) -> Iterator[Finding]:
    """Observations, infos, rewards and discounts, also of resets and of ends of episodes."""
    modes = ["NextStep"]
    if subject.spec().most_players == 1:
        modes.append("SameStep")
    for mode in modes:
        for spec in (subject.spec, subject.spec_with_ends):
            made = spec(autoreset_mode=mode)
            with Probe(made) as probe:
                play = Play(probe, Actions(made)).start().run(subject.steps)
            found = list(values_out_of_bounds(made.columns, play.events))
            if found:
                yield from map(Finding, found)
                return


def values_out_of_bounds(fields: dict[str, Field], plays: Iterable[list[Event]]) -> Iterator[str]:
    """In words the first value of each column that is not what its field allows.

    Args:
        fields: What is known of the columns.
        plays: The events of each environment.
    """
    limits = {name: bounds(field) for name, field in fields.items()}
    seen = set()
    for env, events in enumerate(plays):
        for number, event in enumerate(events):
            for name, array in event.columns.items():
                if name in seen:
                    continue
                found = _first_wrong(name, array, *limits[name])
                if found:
                    seen.add(name)
                    yield f"{where(env, number, events)}: {found}"


def _first_wrong(name: str, array: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> str:
    if array.dtype == np.bool_:
        wrong, expected = np.asarray(array.view(np.uint8) > 1), "true or false"
        array = array.view(np.uint8)
    elif name == "@reward":
        wrong, expected = ~np.isfinite(array), "a finite number"
    else:
        wrong, expected = np.asarray(~((array >= low) & (array <= high))), ""
    if not wrong.any():
        return ""
    i = tuple(int(part) for part in np.argwhere(wrong)[0])
    if not expected:
        own = i[array.ndim - low.ndim :]  # without the player's
        expected = f"{low[own]!s} to {high[own]!s}"
    return f"{shown_column(name)}{element(i)} is {array[i]!s}, expected {expected}"


def check_written(subject: Subject) -> Iterator[Finding]:
    """The same play twice, with other bytes in the memory that is written to."""
    for spec in (subject.spec, subject.spec_with_ends):
        made = spec(num_envs=1)
        plays = []
        for pattern in _PATTERNS:
            with Probe(made, pattern) as probe:
                play = Play(probe, Actions(made)).start()  # the first results: see Probe
                seed = made.config.seed
                plays.append(play.start(seed).run(2 * subject.steps).events)
        difference = first_difference(*plays)
        if difference:
            yield Finding(
                f"{difference}: it has what the memory was filled with ({_PATTERNS[0]:#x}, and "
                f"{_PATTERNS[1]:#x} instead), or follows from that"
            )
            return


def check_episodes(subject: Subject) -> Iterator[Finding]:
    """Episodes that nothing ends, and players that never come."""
    spec = subject.spec()
    yield from _missing_players(subject)
    if spec.config.max_episode_steps != INT_MAX:
        return
    steps = 10 * subject.steps
    if not any(event.is_end for events in played(spec, steps) for event in events):
        yield remark(
            f"no episode ended within {steps} steps of random actions, and there is no time limit: "
            "register the task with max_episode_steps, unless they are meant to go on forever"
        )


def _missing_players(subject: Subject) -> Iterator[Finding]:
    """Is NumPlayers or PlayerReward missing? Their defaults are one player, and nothing."""
    spec = subject.spec()
    if spec.most_players == 1:
        return
    events = [event for events in played(spec, subject.steps) for event in events]
    rewards = [event.columns["@reward"] for event in events]
    seen = max(len(reward) for reward in rewards)
    if seen < spec.most_players:
        yield remark(
            f"there were never more than {seen} of {spec.most_players} players: implement "
            "NumPlayers, unless the others are only rare"
        )
    if not any(reward.any() for reward in rewards):
        yield remark("no player got a reward: with several players, PlayerReward tells it")
