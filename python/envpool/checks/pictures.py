"""Checks of pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.checks.actions import Actions
from envpool.checks.events import first_difference
from envpool.checks.probe import Play, Probe, played
from envpool.checks.report import Found, said, skipped
from envpool.checks.subject import Subject
from envpool.differences import element
from envpool.errors import EnvironmentFailure

_M_PERTURB = -6  # of glibc's mallopt()
_PATTERNS = (0x55, 0xAA)
_MOST_PICTURES = 6
_DRAWN = (0, 2)  # environments
_SIZE = {"render_width": 64, "render_height": 48}
# What is raised where a package is missing that draws.
_MISSING = ImportError, gymnasium.error.DependencyNotInstalled


def pictures(subject: Subject) -> Iterator[Found]:
    """A pool of which pictures are taken, and one of which none are."""
    if not _has_pictures(subject):
        yield skipped("it has no pictures")
        return
    try:
        yield from _look_on(subject)
    except (ImportError, EnvironmentFailure) as failure:
        if not isinstance(failure, _MISSING) and not isinstance(failure.__cause__, _MISSING):
            raise
        yield skipped(f"nothing was drawn: {said(failure)}")


def _has_pictures(subject: Subject) -> bool:
    spec = subject.spec()
    if subject.python is None:
        return bool(spec.pictures.modes)
    return "rgb_array" in spec.pictures.metadata.get("render_modes", ())


def _look_on(subject: Subject) -> Iterator[Found]:
    size = _SIZE if subject.python is None else {}
    spec = subject.spec(render_mode="rgb_array", **size)
    steps = max(subject.steps // _MOST_PICTURES, 1)
    with Probe(spec) as probe, Probe(spec) as other:
        play, twin = Play(probe, Actions(spec)).start(), Play(other, Actions(spec)).start()
        for _ in range(_MOST_PICTURES):
            first, second = (_draw(probe, pattern) for pattern in _PATTERNS)
            yield _compare(first, second, "when it is drawn again")
            yield _compare(first, _draw(other), "in an equal pool")
            play.run(steps)
            twin.run(steps)
        expected = played(spec, len(play.events[0]) - 1)
    yield first_difference(play.events, expected, "of a pool of which pictures were taken")


def _draw(probe: Probe, pattern: int = 0) -> NDArray[np.uint8]:
    """Pictures of all environments, drawn into memory that holds this pattern, if that is known."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", lambda *option: None)  # only glibc has it
    mallopt(_M_PERTURB, pattern ^ 0xFF)  # it fills new memory with the complement
    try:
        return probe.draw(_DRAWN)
    finally:
        mallopt(_M_PERTURB, 0)


def _compare(first: NDArray[np.uint8], second: NDArray[np.uint8], where: str) -> str | None:
    """What differs between two pictures that should be equal; ``where`` says what the second is."""
    if (first == second).all():
        return None
    row, *place = index = tuple(int(part) for part in np.argwhere(first != second)[0])
    byte = f"byte {element(tuple(place))} of environment {_DRAWN[row]}'s picture"
    values = int(first[index]), int(second[index])
    if values == _PATTERNS:
        return f"{byte} is not written: it has what the memory was filled with"
    return f"{byte} is {values[0]}, and {values[1]} {where}"
