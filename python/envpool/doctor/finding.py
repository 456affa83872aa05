"""Finding: one thing that the doctor has looked at, perhaps in a process that may crash or hang."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from envpool.errors import described

OK, REMARK, PROBLEM = "ok", "remark", "problem"
_COMMAND = re.compile(r"(?:(?:ENVPOOL_\w+=ON )?(?:pip|apt) install|python -m envpool fetch) .*")
_IMPORT_S = 60.0


class Finding(NamedTuple):
    """A thing that the doctor has looked at, and its state.

    Attributes:
        name: The thing.
        text: Its version or the like, or what is wrong with it.
        state: :data:`OK`, :data:`REMARK` for what only some users need, or :data:`PROBLEM`.
        command: The command that mends it, if there is one.
    """

    name: str
    text: str
    state: str = OK
    command: str = ""


def judged(name: str, good: str, bad: str = "", state: str = PROBLEM, command: str = "") -> Finding:
    """The finding that something is as it should be, or what is bad about it.

    Args:
        name: The thing.
        good: What to say of it if nothing is bad.
        bad: What is wrong with it, if anything is.
        state: How bad that is.
        command: The command that mends it.
    """
    return Finding(name, bad, state, command) if bad else Finding(name, good)


Section = Callable[[], Iterable[Finding]]


def findings_of(section: Section) -> Iterator[Finding]:
    """Yields a section's findings; an exception of the section is one, too.

    Args:
        section: Yields findings.
    """
    try:
        yield from section()
    except Exception as error:
        yield Finding("this cannot be told", described(error), PROBLEM)


def command_in(message: str) -> str:
    """The command that an error's message recommends, if it does.

    Args:
        message: Of an error of ours.
    """
    found = _COMMAND.search(message)
    return found[0] if found else ""


def tried(
    function: Callable[[list[str]], Iterator[tuple[str, Any]]],
    names: Sequence[str],
    *,
    seconds: float,
) -> Iterator[tuple[str, Any]]:
    """Yields each name with its result, or with a ``ProcessEnded`` if it ended the process.

    Args:
        function: A generator function of a module. It takes the names, and yields each with what
            came of it, in their order. After a crash it is called again in a new process, for the
            names that are left.
        names: The names.
        seconds: How long a name may take.
    """
    from envpool.isolation import Process, ProcessEnded

    waiting = list(names)
    while waiting:
        try:
            trial = Process(function, waiting, seconds=seconds)
            for name, result in trial:
                waiting.remove(name)
                yield name, result
        except ProcessEnded as end:
            if waiting:
                yield waiting.pop(0), end


def why_not_loading(modules: Sequence[str]) -> dict[str, str]:
    """The reason why each module does not load; empty if it does.

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
