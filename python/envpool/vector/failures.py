"""What vector environments raise where environments fail: these' own exceptions, as Gymnasium's."""

from __future__ import annotations

from typing import NoReturn

from envpool.errors import EnvironmentFailure


def raise_own_error(failure: EnvironmentFailure) -> NoReturn:
    """Raises the first environment's exception, whose cause is the failure.

    Args:
        failure: What the pool raises. It has the results of the other environments.

    Raises:
        EnvironmentFailure: There is no such exception, because a worker ended; or it is one that
            would end this program.
        Exception: The environment's own.
    """
    error = failure.__cause__
    if not isinstance(error, Exception):
        raise failure
    failure.__cause__ = None  # each would be the other's
    raise error from (error.__cause__ or failure)
