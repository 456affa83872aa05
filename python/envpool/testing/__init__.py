"""For authors of environments: checks of what is easily got wrong.

>>> from envpool.testing import check_task
>>> report = check_task("CartPole-v1", quick=True)

See docs/checking.md.
"""

from typing import TYPE_CHECKING, Any

from envpool.forks import import_module

if TYPE_CHECKING:
    from envpool.testing.report import CheckFailure, Finding, Outcome, Report
    from envpool.testing.session import check_task

__all__ = ["CheckFailure", "Finding", "Outcome", "Report", "check_task"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The checks load NumPy, which processes of :mod:`envpool.isolation` may not need."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = "session" if name == "check_task" else "report"
        return getattr(import_module(f"{__name__}.{module}"), name)
