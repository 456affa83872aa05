"""What vector environments raise where an environment of theirs fails: its own exception."""

from __future__ import annotations

from gymnasium import logger

from envpool.errors import EnvironmentFailure


def own_error(failure: EnvironmentFailure) -> BaseException:
    """The exception of the environment itself, which Gymnasium's vector environments raise.

    Args:
        failure: What the pool raises. It becomes the cause, and has the other environments' rows.

    Returns:
        The exception, or the failure itself where no exception has come through.
    """
    error = failure.__cause__
    if error is None:
        return failure
    error.__cause__ = failure
    failure.__cause__ = None
    return error
