"""Checks of options at the ends of what they say that they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envpool.spec.config import COMMON_CONFIG
from envpool.testing.actions import Actions
from envpool.testing.probe import Play, Probe
from envpool.testing.report import Finding, said
from envpool.testing.subject import Subject

_FAR = 1e5  # what is beyond may take all memory or for ever
_STEPS = 3
# How an option's value is refused: in words, by whoever makes an environment.
_REFUSALS = (ValueError, TypeError, MemoryError)


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


def check_options(subject: Subject) -> Iterator[Finding]:
    """Each option of the task at its limits makes an environment, or refuses in words."""
    for name, option in subject.spec().env_type.options.items():
        if name in COMMON_CONFIG or name in subject.options:
            continue
        for value in values_to_try(option):
            try:
                spec = subject.spec(num_envs=1, **{name: value})
                with Probe(spec) as probe:
                    Play(probe, Actions(spec)).start().run(_STEPS)
            except _REFUSALS:
                continue
            except Exception as error:
                yield Finding(f"option {name} = {value!r}, which its limits allow: {said(error)}")


def check_reset_options(subject: Subject) -> Iterator[Finding]:
    """The same of reset options, each alone with the others' defaults."""
    spec = subject.spec()
    for name, option in spec.env_type.reset_options.items():
        for value in (option["default"], *values_to_try(option)):
            with Probe(spec) as probe:
                play = Play(probe, Actions(spec))
                try:
                    play.start(options={name: value}).run(_STEPS)
                except _REFUSALS:
                    continue
                except Exception as error:
                    yield Finding(f"reset option {name} = {value!r}: {said(error)}")
