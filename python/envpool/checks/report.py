"""Report: the result of checking a task."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from envpool.errors import EnvironmentFailure


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing that a check has found.

    Attributes:
        message: What was found, and where.
        hint: What the author should do.
        kind: ``"fault"``; ``"remark"``, which is good to know, but no fault; or ``"skipped"``, if
            there was nothing to check.
    """

    message: str
    hint: str = ""
    kind: Literal["fault", "remark", "skipped"] = "fault"


# An entry of what checks yield: a finding; the message of a fault; or nothing.
Found: TypeAlias = Finding | str | None


def remark(message: str) -> Finding:
    """A finding that is good to know, but no fault."""
    return Finding(message, kind="remark")


def skipped(message: str) -> Finding:
    """A finding that says why there was nothing to look at."""
    return Finding(message, kind="skipped")


def said(error: Exception) -> str:
    """The message of an exception; of several environments', the first one's."""
    return error.messages[0] if isinstance(error, EnvironmentFailure) else str(error)


@dataclasses.dataclass
class Outcome:
    """The findings of one check.

    Attributes:
        check: Its name.
        findings: In the order in which they were found.
        seconds: How long it took.
    """

    check: str
    findings: list[Finding] = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @property
    def faults(self) -> list[Finding]:
        """The findings that are faults."""
        return [finding for finding in self.findings if finding.kind == "fault"]

    @property
    def result(self) -> str:
        """The result in a word: ``"passed"``, or the worst kind of finding."""
        kinds = {finding.kind for finding in self.findings}
        return next((kind for kind in ("fault", "remark", "skipped") if kind in kinds), "passed")


@dataclasses.dataclass
class Report:
    """The outcomes of all checks of a task.

    Attributes:
        task_id: The task.
        options: The options that it was made with.
        outcomes: Of each check, in order.
    """

    task_id: str
    options: Mapping[str, Any]
    outcomes: list[Outcome] = dataclasses.field(default_factory=list)

    @property
    def failed(self) -> list[str]:
        """The names of the checks that found something wrong."""
        return [outcome.check for outcome in self.outcomes if outcome.faults]

    def __str__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        lines = [f"{self.task_id}{options}: {len(self.failed)} of {len(self.outcomes)} checks fail"]
        for outcome in self.outcomes:
            for finding in outcome.findings:
                lines.append(f"- {outcome.check}, {finding.kind}: {finding.message}")
                lines += [f"  {finding.hint}"] if finding.hint else []
        return "\n".join(lines)


class CheckFailure(AssertionError):  # noqa: N818 - what pytest reports as a failure, not an error
    """A task does something wrong; the message lists everything that was found.

    Attributes:
        report: All of it.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
