"""Finding: one thing that the doctor has looked at, perhaps in a process that may crash or hang."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from envpool.errors import described

OK, REMARK, PROBLEM = "ok", "remark", "problem"
_COMMAND = re.compile(r"(?:(?:ENVPOOL_\w+=ON )?(?:pip|apt) install|python -m envpool fetch) .*")
_PATIENCE_S = 120.0  # with each name that is tried


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


def tried(function: Callable[[str], str], names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yields each name with what a function says of it, and with what is wrong if it fails.

    Args:
        function: A function of a module, which gets a name. After a crash the names that are left
            have a new process.
        names: The names.
    """
    from envpool.isolation import Process, ProcessEnded

    waiting = list(names)
    while waiting:
        try:
            for result in Process(try_each, function, waiting, seconds=_PATIENCE_S):
                del waiting[0]
                yield result
        except ProcessEnded as end:
            if waiting:
                yield waiting.pop(0), "", f"it {end}"


def try_each(
    function: Callable[[str], str], names: Iterable[str]
) -> Iterator[tuple[str, str, str]]:
    """Yields the same as :func:`tried`, in the process that may crash."""
    for name in names:
        try:
            yield name, function(name), ""
        except (Exception, SystemExit) as error:
            yield name, "", described(error)


def why_not_loading(modules: Sequence[str]) -> dict[str, str]:
    """The reason why each module does not load; empty if it does.

    Args:
        modules: Their names.
    """
    return {name: error for name, _, error in tried(load_module, modules)}


def load_module(name: str) -> str:
    """Imports a module, of which there is nothing to say then."""
    importlib.import_module(name)
    return ""
