"""What the processes of :mod:`envpool.testing.process` run."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import warnings
from typing import Any

from envpool.tasks.registration import registry


def _end_with_parent() -> None:
    """Waits until nobody holds the other end of standard input any more, whatever hangs here."""
    os.read(0, 1)
    os._exit(1)


def serve() -> None:
    """Runs the function that standard input has, and writes what it yields to standard output."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an environment prints must not come between
    paths, tasks, job = pickle.load(sys.stdin.buffer)
    sys.path[:] = paths
    registry.tasks |= tasks
    warnings.simplefilter("ignore")  # what matters is yielded
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def put(kind: str, value: Any) -> None:
        pipe.write(pickle.dumps((kind, value)))
        pipe.flush()

    try:
        function, arguments = pickle.loads(job)
        for item in function(*arguments):
            put("item", item)
    except Exception as error:
        put("error", error)
    else:
        put("end", None)
