"""The start of the command line: Ctrl-C ends it without a traceback of what it imports.

:mod:`envpool` imports this before what takes time, and calls :func:`end` behind that. Nothing
changes in other programs, nor where Ctrl-C is ignored.
"""

import os
import signal
import sys


def _is_command_line() -> bool:
    """True if this is ``python -m envpool``, or the script ``envpool``."""
    first = (getattr(sys, "argv", None) or [""])[0]
    is_module = first == "-m" and "envpool" in sys.orig_argv
    return is_module or os.path.basename(first) == "envpool"  # noqa: PTH119 - pathlib loads more


_handler = signal.getsignal(signal.SIGINT)
_is_changed = _is_command_line() and _handler is signal.default_int_handler
if _is_changed:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end() -> None:
    """Lets Ctrl-C raise a KeyboardInterrupt again."""
    if _is_changed:
        signal.signal(signal.SIGINT, _handler)
