"""For authors of environments: checks of what is easily got wrong.

>>> from envpool.checks import check_task
>>> report = check_task("CartPole-v1", quick=True)

See docs/checking.md.
"""

from envpool.checks.checks import check_task
from envpool.checks.report import CheckFailure, Finding, Outcome, Report

__all__ = ["CheckFailure", "Finding", "Outcome", "Report", "check_task"]
