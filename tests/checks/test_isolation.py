"""Functions in processes of their own."""

import os
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
