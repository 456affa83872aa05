"""All of our own tasks under all checks, closely: python tests/checks/check_all.py. Takes long."""

from __future__ import annotations

import sys

from envpool.checks import CheckFailure, check_task
from own_tasks import TASKS, like_gymnasium


def main() -> int:
    """Prints a line for each task, and what was found; exits with 1 if something is wrong."""
    failures = 0
    for task_id in TASKS:
        try:
            report = check_task(task_id, skip=like_gymnasium(task_id))
        except CheckFailure as failure:
            failures += 1
            report = failure.report
        print(report, flush=True)
    print(f"{failures} of {len(TASKS)} tasks fail")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
