"""Finding: one thing that the doctor has looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from envpool.errors import described

OK, REMARK, PROBLEM = "ok", "remark", "problem"
_COMMAND = re.compile(r"(?:pip|apt) install .*")


class Finding(NamedTuple):
    """What was found.

    Attributes:
        name: Of what.
        text: What there is, or is wrong.
        state: :data:`OK`, :data:`REMARK` for what only some users need, or :data:`PROBLEM`.
        command: What mends it, if a command does.
    """

    name: str
    text: str
    state: str = OK
    command: str = ""


Section = Callable[[], Iterable[Finding]]


def findings_of(section: Section) -> Iterator[Finding]:
    """What a section finds; what it raises is a finding as well.

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
