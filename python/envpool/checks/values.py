"""Checks of what environments return, also for actions and options at their bounds and beyond."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.checks.actions import Actions, at_bounds, at_either_bound, constantly
from envpool.checks.events import Event, first_difference, shown_column, where
from envpool.checks.probe import Play, Probe, played
from envpool.checks.report import Finding, Found, remark, said, skipped
from envpool.checks.subject import SEED, Subject
from envpool.differences import element
from envpool.errors import EnvironmentFailure
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field, bounds
from envpool.spec.options import COMMON
from envpool.spec.values import INT_MAX

_PATTERNS = (0x55, 0xAA)  # bytes that memory is filled with
_HINT_IF_NONE_IS_MADE = "correct the constructor, or what the type's spec function returns"
_FAR = 1e5  # an option beyond it may take all memory or for ever
_STEPS = 3  # with each value of an option
_WILD = {"just beyond its bounds": None, "1e30": 1e30, "-1e30": -1e30, "infinite": np.inf}
# Exceptions that refuse an option's value in words.
_REFUSALS = (ValueError, TypeError, MemoryError)


def spec(subject: Subject) -> Iterator[Found]:
    """A spec that the core accepts, always the same, that spaces and environments agree with."""
    spec, again = subject.spec(), subject.spec()
    for what in ("observation", "action", "columns"):
        if getattr(spec.spaces, what) != getattr(again.spaces, what):
            yield f"spaces.{what} differs between two specs with the same options"
    try:
        Probe(subject.spec(num_envs=1)).close()
    except Exception as error:
        yield Finding(f"no environment can be made: {said(error)}", _HINT_IF_NONE_IS_MADE)


def exceptions(subject: Subject) -> Iterator[Found]:
    """A few episodes, whose exceptions are reported by whoever runs the checks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        played(subject.spec(**subject.threads(2)), subject.steps)
        played(subject.spec_with_ends(), subject.steps)
    # Each text once, whichever environments it is from.
    texts = (re.sub(r"^environment \d+: ", "", str(warning.message)) for warning in caught)
    for text in dict.fromkeys(texts):
        yield remark(f"it warns: {text}")


def within_bounds(subject: Subject) -> Iterator[Found]:
    """Observations, infos, rewards and discounts, also of resets and of ends of episodes."""
    for make_spec in subject.makers:
        spec = make_spec()
        found = list(values_out_of_bounds(spec.spaces.columns, played(spec, subject.steps)))
        yield from found
        if found:
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
                if name in seen or name not in limits:
                    continue
                found = _first_wrong(name, array, *limits[name])
                if found:
                    seen.add(name)
                    yield f"{where(env, number, event)}: {found}"


def _first_wrong(name: str, array: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> str:
    if name == "@reward":
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


def written(subject: Subject) -> Iterator[Found]:
    """The same play twice, with other bytes in the memory that is written to."""
    for make_spec in subject.makers:
        spec = make_spec(num_envs=1)
        first, second = (_in_memory(spec, pattern, 2 * subject.steps) for pattern in _PATTERNS)
        if difference := first_difference(first, second):
            yield (
                f"{difference}: it has what the memory was filled with ({_PATTERNS[0]:#x}, and "
                f"{_PATTERNS[1]:#x} instead), or follows from that"
            )


def _in_memory(spec: EnvSpec, pattern: int, steps: int) -> list[list[Event]]:
    """What is played where the memory of results is filled with a pattern."""
    with Probe(spec, pattern) as probe:
        play = Play(probe, Actions(spec)).start()  # the first results: see Probe
        return play.start(spec.config.seed).run(steps).events


def episodes(subject: Subject) -> Iterator[Found]:
    """Episodes that nothing ends."""
    spec = subject.spec()
    if spec.config.max_episode_steps != INT_MAX:
        return
    steps = 10 * subject.steps
    if not any(event.is_end for events in played(spec, steps) for event in events):
        yield remark(
            f"no episode ended within {steps} steps of random actions, and there is no time limit: "
            "register the task with max_episode_steps, unless they are meant to go on forever"
        )


def actions(subject: Subject) -> Iterator[Found]:
    """Actions at their bounds, which are allowed as any others."""
    spec = subject.spec()
    for choose in (
        at_either_bound,
        constantly(lambda field: at_bounds(field)[0]),
        constantly(lambda field: at_bounds(field)[1]),
    ):
        events = played(spec, subject.steps, choose)
        found = list(values_out_of_bounds(spec.spaces.columns, events))
        yield from (f"{each} (all actions at a bound)" for each in found)
        if found:
            return


def wild_actions(subject: Subject) -> Iterator[Found]:
    """Numbers beyond their bounds, which pools hand on: Box spaces only tell what is sensible.

    Whatever environments make of them, they survive, and a seed starts them anew.
    """
    spec = subject.spec()
    if all(field["space"] != "box" for field in spec.spaces.action_fields):
        yield skipped("pools refuse all actions beyond the bounds of these spaces")
        return
    expected = played(spec, subject.steps)
    for name, number in _WILD.items():
        choose = constantly(partial(_beyond, number=number))
        with Probe(spec) as probe:
            play = Play(probe, Actions(spec, choose)).start()
            try:
                play.run(subject.steps)
            except EnvironmentFailure as failure:
                yield remark(f"an action that is {name} makes it throw: {said(failure)}")
            again = Play(probe, Actions(spec)).start(SEED).run(subject.steps).events
        circumstances = f"after actions that were {name}, and reset(seed=...)"
        yield first_difference(again, expected, circumstances)


def _beyond(field: Field, number: float | None) -> NDArray[Any]:
    """A number as an action, if the pool takes it; integers are kept within their type."""
    low, high = bounds(field)
    if field["space"] != "box" or low.dtype == np.bool_:
        return high
    if low.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.full_like(high, number) if number else np.nextafter(high, np.inf)
    least, most = np.iinfo(low.dtype).min, np.iinfo(low.dtype).max
    if number is None:
        return np.where(high < most, high + (high < most), high)
    return np.full_like(high, most if number > 0 else least)


def values_to_try(option: dict[str, Any]) -> list[Any]:
    """The ends of an option's limits, or all of its choices.

    Args:
        option: What the native core tells of it.
    """
    default = option["default"]
    if isinstance(default, bool):
        return [False, True]
    if isinstance(default, str):
        return list(option["choices"])
    if isinstance(default, int | float):
        ends = [end for end in option["limits"] if abs(end) <= _FAR]
        return [type(default)(end) for end in ends]
    return []


def options(subject: Subject) -> Iterator[Found]:
    """Each option of the task at its limits makes an environment, or refuses in words."""
    for name, option in subject.spec().known.own.items():
        if name in COMMON or name in subject.options:
            continue
        for value in values_to_try(option):
            refusal = _refusal(partial(subject.spec, num_envs=1, **{name: value}))
            if refusal:
                yield f"option {name} = {value!r}, which its limits allow: {refusal}"


def reset_options(subject: Subject) -> Iterator[Found]:
    """The same of reset options, each alone with the others' defaults."""
    for name, option in subject.spec().known.reset.items():
        for value in (option["default"], *values_to_try(option)):
            refusal = _refusal(subject.spec, {name: value})
            if refusal:
                yield f"reset option {name} = {value!r}: {refusal}"


def _refusal(make_spec: Callable[[], EnvSpec], reset_options: dict[str, Any] | None = None) -> str:
    """What an environment throws in its first steps, if that does not refuse a value in words."""
    try:
        spec = make_spec()
        with Probe(spec) as probe:
            Play(probe, Actions(spec)).start(options=reset_options).run(_STEPS)
    except _REFUSALS:
        pass
    except Exception as error:
        return said(error)
    return ""
