"""A call that goes on in a thread of its own, for AsyncVectorEnv.call_async."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class BackgroundCall:
    """Runs a function in a thread of its own.

    Args:
        function: What to run. The process does not wait for it at its exit.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._value: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error

    def result(self, timeout: float | None) -> Any:
        """Waits for its end, and returns or raises what the function did.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            TimeoutError: The time is over.
        """
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError
        if self._error is not None:
            raise self._error
        return self._value
