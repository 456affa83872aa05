"""Checks of actions at their bounds and beyond."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import EnvironmentFailure
from envpool.spec.spaces import Field, bounds
from envpool.testing.actions import Actions, at_bounds, at_either_bound, constantly
from envpool.testing.checks.values import values_out_of_bounds
from envpool.testing.differences import first_difference
from envpool.testing.probe import Play, Probe
from envpool.testing.report import Finding, remark, said, skipped
from envpool.testing.subject import SEED, Subject, played


def check_actions(subject: Subject) -> Iterator[Finding]:
    """Actions at their bounds, which are allowed as any others."""
    spec = subject.spec()
    for choose in (
        at_either_bound,
        constantly(lambda field: at_bounds(field)[0]),
        constantly(lambda field: at_bounds(field)[1]),
    ):
        events = played(spec, subject.steps, choose)
        found = list(values_out_of_bounds(spec.columns, events))
        if found:
            yield from (Finding(f"{each} (all actions at a bound)") for each in found)
            return


def check_wild_actions(subject: Subject) -> Iterator[Finding]:
    """Numbers beyond their bounds, which pools hand on: Box spaces only tell what is sensible.

    Whatever environments make of them, they survive, and a seed starts them anew.
    """
    spec = subject.spec()
    if all(field["space"] != "box" for field in spec.action_fields):
        yield skipped("pools refuse all actions beyond the bounds of these spaces")
        return
    expected = played(spec, subject.steps)
    for name, number in (
        ("just beyond its bounds", None),
        ("1e30", 1e30),
        ("-1e30", -1e30),
        ("infinite", np.inf),
    ):
        choose = constantly(partial(_beyond, number=number))
        with Probe(spec) as probe:
            play = Play(probe, Actions(spec, choose)).start()
            try:
                play.run(subject.steps)
            except EnvironmentFailure as failure:
                yield remark(f"an action that is {name} makes it throw: {said(failure)}")
            again = Play(probe, Actions(spec)).start(SEED)
            difference = first_difference(again.run(subject.steps).events, expected)
        if difference:
            yield Finding(f"{difference} (after actions that were {name}, and reset(seed=...))")
            return


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
