"""All that the doctor looks at, and the report as text."""

from __future__ import annotations

import itertools
import os
from typing import TypeAlias

from envpool.doctor.finding import OK, PROBLEM, Finding, Section, findings_of
from envpool.doctor.hardware import opengl, processors
from envpool.doctor.installation import optional_packages, others, plugins, versions
from envpool.doctor.tasks import families

Report: TypeAlias = dict[str, list[Finding]]  # by titles of sections

SECTIONS: dict[str, Section] = {  # by titles
    "Versions": versions,
    "In the way": others,
    "Processor": processors,
    "Families of tasks": families,
    "Packages for some": optional_packages,
    "OpenGL": opengl,
    "Plugins": plugins,
}


def examine_installation(as_markdown: bool) -> bool:
    """Looks at everything, and prints what there is to say, by the standard library alone.

    Args:
        as_markdown: Print a report for an issue at the end, instead of each finding at once.

    Returns:
        True if something is wrong.
    """
    found: Report = {}
    for title, section in SECTIONS.items():
        found[title] = []
        if not as_markdown:
            print(f"{title}\n")
        for finding in findings_of(section):
            found[title].append(finding)
            if not as_markdown:
                _print(finding)
        if not as_markdown:
            print()
    print(markdown(found) if as_markdown else verdict(found))
    return bool(problems(found))


def _print(finding: Finding) -> None:
    print(f"{finding.name:<20} {finding.state:<7} {finding.text}", flush=True)
    if finding.command:
        print(f"{'':<28} -> {finding.command}", flush=True)


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
