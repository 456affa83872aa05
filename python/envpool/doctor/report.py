"""All that the doctor looks at, and the report as text."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator
from typing import TypeAlias

from envpool.doctor.finding import OK, PROBLEM, Finding, Section, findings_of, why_not_loading
from envpool.doctor.hardware import opengl, processors
from envpool.doctor.installation import optional_packages, others, plugins, versions
from envpool.doctor.tasks import families

Report: TypeAlias = dict[str, list[Finding]]  # by titles of sections
_COMMAND_LINE = "envpool.cli"


SECTIONS: dict[str, Section] = {  # by titles
    "Versions": versions,
    "In the way": others,
    "Processor": processors,
    "Families of tasks": families,
    "Packages for some": optional_packages,
    "OpenGL": opengl,
    "Plugins": plugins,
}


def examine() -> Iterator[tuple[str, Finding]]:
    """Looks at everything; yields each finding with its section's title."""
    for title, section in SECTIONS.items():
        for finding in findings_of(section):
            yield title, finding


def problems(found: Report) -> list[str]:
    """The names of what is wrong.

    Args:
        found: The findings of each section.
    """
    findings = itertools.chain(*found.values())
    return [finding.name for finding in findings if finding.state == PROBLEM]


def verdict(found: Report) -> str:
    """In a sentence, whether anything is wrong.

    Args:
        found: The findings of each section.
    """
    names = problems(found)
    if not names:
        return "nothing is wrong"
    return f"{len(names)} problem{'s' if len(names) > 1 else ''}: {', '.join(names)}"


def markdown(found: Report) -> str:
    """A report for an issue: Markdown, without the user's home folder.

    Args:
        found: The findings of each section.
    """
    lines = [f"**envpool doctor: {verdict(found)}**"]
    for title, findings in found.items():
        lines += ["", f"### {title}", "", "| | | |", "| --- | --- | --- |"]
        for finding in findings:
            text = f"{finding.text}; `{finding.command}`" if finding.command else finding.text
            cells = (finding.name, "" if finding.state == OK else finding.state, text)
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
    found = {"Versions": [Finding("command line", f"does not load: {reason}", PROBLEM)]}
    for title, finding in examine():
        found.setdefault(title, []).append(finding)
        if finding.state == PROBLEM:
            print(f"{title}: {finding.name}: {finding.text}", file=sys.stderr, flush=True)
    print(markdown(found))
