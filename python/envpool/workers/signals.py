"""signals_held: handlers of signals wait while something is done that must be done as a whole."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

_NUMBERS = sorted(map(int, signal.valid_signals()))
_held: dict[int, Any] = {}  # the handlers of signals that have to wait


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Signals have to wait: their handlers may raise, as Ctrl-C does, wherever Python is.

    Processes that start meanwhile are spared Ctrl-C until they say what they do then. What is done
    meanwhile must not take long.
    """
    came: list[int] = []
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread() and not _held:
            stack.callback(_repeat, came)
            stack.callback(_restore)
            _hold(came)
        # Before the handlers, which would raise here and leave this thread deaf to Ctrl-C.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield


def _hold(came: list[int]) -> None:
    """Has signals be noted, whichever thread gets them: Python has the main one handle them."""
    for number in _NUMBERS:
        handler = signal.getsignal(number)
        if callable(handler):
            _held[number] = handler
            signal.signal(number, lambda number, _: came.append(number))


def _restore() -> None:
    """Gives signals their handlers back, whatever these raise as soon as they are back."""
    try:
        while _held:
            number = next(iter(_held))
            signal.signal(number, _held[number])
            del _held[number]
    finally:
        if _held:
            _restore()


def _repeat(came: list[int]) -> None:
    """Has signals come that had to wait, whatever their handlers raise."""
    try:
        while came:
            signal.raise_signal(came.pop())
    finally:
        if came:
            _repeat(came)


# A child may be forked meanwhile, perhaps by another thread.
os.register_at_fork(after_in_child=_restore)
