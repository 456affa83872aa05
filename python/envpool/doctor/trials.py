"""Trials in processes of their own, which may crash or hang."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from envpool.errors import described

_IMPORT_S = 60.0


def tried(
    function: Callable[..., Iterator[tuple[str, Any]]],
    names: Sequence[str],
    *arguments: Any,
    seconds: float,
) -> Iterator[tuple[str, Any]]:
    """What came of each name, or a ``ProcessEnded`` if it ended the process.

    Args:
        function: A generator function of a module. It takes the names and the arguments, and yields
            each name with what came of it, in their order. After a crash it is called again in a
            new process, for the names that are left.
        names: The names.
        *arguments: What else it gets.
        seconds: How long a name may take.
    """
    from envpool.isolation import Process, ProcessEnded

    waiting = list(names)
    while waiting:
        try:
            trial = Process(function, waiting, *arguments, seconds=seconds, plugins=False)
            for name, result in trial:
                waiting.remove(name)
                yield name, result
        except ProcessEnded as end:
            if waiting:
                yield waiting.pop(0), end


def why_not_loading(modules: Sequence[str]) -> dict[str, str]:
    """For each module why it does not load; empty if it does.

    Args:
        modules: Their names.
    """
    found = tried(import_each, modules, seconds=_IMPORT_S)
    return {name: result if isinstance(result, str) else f"it {result}" for name, result in found}


def import_each(modules: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Imports modules, and yields the name of each with what it raised, in words.

    Args:
        modules: Their names.
    """
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception as error:
            yield name, described(error)
        else:
            yield name, ""
