"""Checks of what only pools of environments in Python have: processes, infos of any type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from envpool.checks.events import Event, where
from envpool.checks.probe import played
from envpool.checks.report import Found
from envpool.checks.subject import Subject
from envpool.errors import shown
from envpool.spec.plans import OWN_COLUMNS
from envpool.workers.infos import FINAL_INFO, FINAL_OBS, merge_infos

_OF_POOLS = (
    *(row.info.partition(".")[0] for row in OWN_COLUMNS if row.info and not row.only_if),
    *(FINAL_OBS, FINAL_INFO),
)


def infos(subject: Subject) -> Iterator[Found]:
    """Infos of any two results, which may come in one batch."""
    first: dict[tuple[Any, ...], Any] = {}
    told = set()
    for env, events in enumerate(played(subject.spec_with_ends(), subject.steps)):
        for number, event in enumerate(events):
            for path, value in _leaves(_infos_of(event), ()):
                if path in told:
                    continue
                found = _hidden(path) or _misfit(path, value, first.setdefault(path, value))
                if found:
                    told.add(path)
                    yield f"{where(env, number, event)}: {found}"


def _infos_of(event: Event) -> dict[str, Any]:
    """The infos of an environment; with several agents, those of all of them."""
    info: dict[Any, Any] = event.columns["info"]  # type: ignore[assignment]
    if "info.players.id" not in event.columns:
        return info
    return {f"of row {row}": its for row, its in info.items()}


def _leaves(info: dict[Any, Any], path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for key, value in info.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _hidden(path: tuple[Any, ...]) -> str:
    return f"info[{path[0]!r}] is hidden by what pools have there" if path[0] in _OF_POOLS else ""


def _misfit(path: tuple[Any, ...], value: Any, other: Any) -> str:
    """What becomes of two values of a key in one batch, if it is not the same."""
    kinds = {(type(each), np.shape(each), getattr(each, "dtype", None)) for each in (value, other)}
    if len(kinds) == 1:
        return ""
    name = "info" + "".join(f"[{key!r}]" for key in path)
    for before, after in ((value, other), (other, value)):
        try:
            merged = merge_infos(2, [(0, {"": before}), (1, {"": after})])[""]
        except Exception:  # whatever NumPy raises
            return f"{name} is {shown(value)}, which does not go into a batch with {shown(other)}"
        if merged.dtype != object and not _is_same(merged[1], after):
            return (
                f"{name} is {shown(value)} here and {shown(other)} elsewhere: in a batch "
                f"{shown(after)} becomes {merged[1]} behind {shown(before)}"
            )
    return ""


def _is_same(merged: Any, value: Any) -> bool:
    is_nan = isinstance(value, float | np.floating) and bool(np.isnan(value))
    return is_nan or np.array_equal(merged, value)
