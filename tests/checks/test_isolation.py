"""Functions in processes of their own."""

import os
import sys
import types
from collections.abc import Iterator

import pytest

from envpool.isolation import Process, ProcessEnded
from envpool.tasks.registry import registry

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


def known_tasks() -> Iterator[bool]:
    yield "gone/Task-v0" in registry.tasks
    raise ValueError("later")


def test_a_task_that_the_process_cannot_import_stands_in_nobodys_way(monkeypatch):
    """As those of a script that was loaded as a module; the tasks of others are checked."""
    module = types.ModuleType("gone_from_disk")
    exec("class Gone: pass", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    task = registry.tasks["CartPole-v1"]._replace(kwargs={"x": module.Gone()})
    monkeypatch.setitem(registry.tasks, "gone/Task-v0", task)
    items = iter(Process(known_tasks, seconds=60.0))
    assert next(items) is False
    with pytest.raises(ValueError, match="later"):
        next(items)
