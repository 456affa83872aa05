"""The exceptions that only this package raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class UnknownTaskError(KeyError, AssertionError):
    """There is no task of this name. EnvPool's make_spec raises a KeyError, its make asserts."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message's repr


class ArgumentError(ValueError, AssertionError, RuntimeError):
    """An argument's value is not allowed.

    That is a ValueError. But callers also catch what others raise for it: EnvPool asserts options
    and raises RuntimeErrors for wrong shapes, and Gymnasium's environments assert their actions.
    """


class EnvironmentFailure(RuntimeError):  # noqa: N818 - a failure of an environment, not of a call
    """Environments of a pool raised exceptions.

    They stay out of order until they are reset. The results of the other environments of the batch
    are not lost: they are in ``results``.

    Attributes:
        env_ids: The ids of the environments that failed.
        messages: What each of their exceptions said.
        results: What the call would have returned, with the rows of the other environments only.
    """

    def __init__(self, failures: Sequence[tuple[int, str]], results: Any) -> None:
        self._failures = list(failures)
        self.env_ids = [env_id for env_id, _ in failures]
        self.messages = [message for _, message in failures]
        self.results = results
        described = "; ".join(f"environment {env_id}: {message}" for env_id, message in failures)
        super().__init__(f"{described} (reset it before its next step)")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._failures, self.results), vars(self)
