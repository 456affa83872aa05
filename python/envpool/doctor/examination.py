"""All that the doctor looks at, and the report as text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from envpool.doctor.families import families
from envpool.doctor.finding import OK, PROBLEM, Finding, Section, findings_of
from envpool.doctor.opengl import opengl
from envpool.doctor.plugins import plugins
from envpool.doctor.processors import processors
from envpool.doctor.self_test import self_test
from envpool.doctor.versions import optional_packages, others, versions, without_home

SECONDS = 10.0  # of the self-test


def sections(seconds: float = SECONDS) -> dict[str, Section]:
    """What is looked at, by titles.

    Args:
        seconds: How long the self-test takes; 0: there is none.
    """
    found: dict[str, Section] = {
        "Versions": versions,
        "In the way": others,
        "Processor": processors,
        "Families of tasks": families,
        "Packages for some": optional_packages,
        "OpenGL": opengl,
        "Plugins": plugins,
    }
    if seconds > 0:
        found["Self-test"] = partial(self_test, seconds)
    return found


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
    return without_home(text).replace("|", "\\|").replace("\n", "<br>")
