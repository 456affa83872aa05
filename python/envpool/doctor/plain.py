"""``python -m envpool doctor`` where the command line itself does not load."""

from __future__ import annotations

import sys

from envpool.doctor.examination import examine, markdown
from envpool.doctor.finding import PROBLEM, Finding
from envpool.doctor.trials import why_not_loading

_COMMAND_LINE = "envpool.cli"


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
