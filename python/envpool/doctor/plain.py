"""``python -m envpool doctor`` where the command line itself does not load."""

from __future__ import annotations

import sys

from envpool.doctor.examination import examine, markdown
from envpool.doctor.finding import PROBLEM, Finding, told


def main(failure: BaseException) -> None:
    """Prints the report, and ends the process with 1: something is wrong.

    Args:
        failure: Why the command line does not load.
    """
    print(f"The command line does not load: {failure}\n", file=sys.stderr, flush=True)
    found = [("Versions", Finding("command line", f"does not load: {told(failure)}", PROBLEM))]
    for title, finding in examine():
        found.append((title, finding))
        if finding.state == PROBLEM:
            print(f"{title}: {finding.name}: {finding.text}", file=sys.stderr, flush=True)
    print(markdown(found))
    sys.exit(1)
