"""ViZDoom's environments beside those of its Python package."""

from pathlib import Path

from helpers import OraclePair, skip_without_upstream

skip_without_upstream("vizdoom")

import vizdoom  # noqa: E402, F401 - tests have them from here
from envpool.oracles.vizdoom import Environments, Reward, action_set  # noqa: E402, F401

_pairs = []


def make_pair(task_id, **options):
    _pairs.append(OraclePair(task_id, **options))
    return _pairs[-1]


def close_pairs():
    """Closes upstream's environments of all pairs."""
    while _pairs:
        _pairs.pop().theirs.close()


def engines(parent="self"):
    """The processes of engines that a process has started and that have not ended."""
    found = []
    for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
        for pid in tasks.read_text().split():
            if "vizdoom" in Path(f"/proc/{pid}/cmdline").read_text():
                found.append(int(pid))
    return sorted(found)


def is_there(pid):
    """Has a process not ended?"""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
