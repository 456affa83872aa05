"""All that the doctor looks at, and the report as text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial

from envpool.doctor.finding import OK, PROBLEM, Finding, Section, findings_of, why_not_loading
from envpool.doctor.hardware import opengl, processors
from envpool.doctor.installation import optional_packages, others, plugins, versions
from envpool.doctor.tasks import families

SECONDS = 10.0  # of the self-tests
_COMMAND_LINE = "envpool.cli"


def sections(seconds: float = SECONDS) -> dict[str, Section]:
    """The parts of the examination, by titles.

    Args:
        seconds: How long the self-tests of families take; 0: there are none.
    """
    return {
        "Versions": versions,
        "In the way": others,
        "Processor": processors,
        "Families of tasks": partial(families, seconds),
        "Packages for some": optional_packages,
        "OpenGL": opengl,
        "Plugins": plugins,
    }


def examine(seconds: float = SECONDS) -> Iterator[tuple[str, Finding]]:
    """Looks at everything; yields each finding with its section's title.

    Args:
        seconds: As for :func:`sections`.
    """
    for title, section in sections(seconds).items():
        for finding in findings_of(section):
            yield title, finding


def verdict(findings: list[Finding]) -> str:
    """In a sentence, whether anything is wrong.

    Args:
        findings: All of them.
    """
    problems = [finding.name for finding in findings if finding.state == PROBLEM]
    if not problems:
        return "nothing is wrong"
    return f"{len(problems)} problem{'s' if len(problems) > 1 else ''}: {', '.join(problems)}"


def markdown(found: list[tuple[str, Finding]]) -> str:
    """A report for an issue: Markdown, without the user's home folder.

    Args:
        found: What :func:`examine` yields.
    """
    lines = [f"**envpool doctor: {verdict([finding for _, finding in found])}**"]
    last = ""
    for title, finding in found:
        if title != last:
            lines += ["", f"### {title}", "", "| | | |", "| --- | --- | --- |"]
            last = title
        text = f"{finding.text}; `{finding.command}`" if finding.command else finding.text
        state = "" if finding.state == OK else finding.state
        cells = (finding.name, state, text)
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A cell of a table, without the user's name in paths: it is to be published."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    text = text.replace(home, "~") if len(home) > 1 else text
    return text.replace("|", "\\|").replace("\n", "<br>")


def examine_broken_installation() -> None:
    """Does nothing where the command line loads, which another process tries: it may crash.

    Elsewhere it prints the report, and ends the process with 1.
    """
    reason = why_not_loading([_COMMAND_LINE])[_COMMAND_LINE]
    if reason:
        _report(reason)
        sys.exit(1)


def _report(reason: str) -> None:
    print(f"The command line does not load: {reason}\n", file=sys.stderr, flush=True)
    found = [("Versions", Finding("command line", f"does not load: {reason}", PROBLEM))]
    for title, finding in examine():
        found.append((title, finding))
        if finding.state == PROBLEM:
            print(f"{title}: {finding.name}: {finding.text}", file=sys.stderr, flush=True)
    print(markdown(found))
