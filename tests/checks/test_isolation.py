"""Functions in processes of their own."""

import os
import threading
from collections.abc import Iterator

import pytest

from envpool.isolation import Process, ProcessEnded

MORE_THAN_A_PIPE_HOLDS = bytes(2**20)


def sizes(data: bytes) -> Iterator[int]:
    yield len(data)


def test_arguments_may_be_large():
    assert list(Process(sizes, MORE_THAN_A_PIPE_HOLDS, seconds=60.0)) == [2**20]


def test_a_process_that_takes_no_arguments_is_ended(tmp_path):
    """Its time limit counts from the beginning on."""
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep(3600)\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    process = Process(sizes, MORE_THAN_A_PIPE_HOLDS, seconds=0.5, variables={"PYTHONPATH": path})
    with pytest.raises(ProcessEnded, match=r"^did not end within 0\.5 s, so its process was ended"):
        list(process)


def test_an_interrupt_while_the_clock_starts_leaves_nothing_to_wait_for(monkeypatch):
    class Timer(threading.Timer):
        def start(self):
            super().start()
            raise KeyboardInterrupt

    before = set(threading.enumerate())
    monkeypatch.setattr(threading, "Timer", Timer)
    with pytest.raises(KeyboardInterrupt):
        list(Process(sizes, b"", seconds=60.0))
    assert all(thread.daemon for thread in set(threading.enumerate()) - before)
