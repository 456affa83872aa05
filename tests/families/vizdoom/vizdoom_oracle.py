"""ViZDoom's environments beside those of its Python package."""

from pathlib import Path

import gymnasium
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from helpers import Pair, skip_without_upstream

skip_without_upstream("vizdoom")

import vizdoom  # noqa: E402, F401 - tests have them from here
from envpool.oracles.vizdoom import Environments, Reward, action_set  # noqa: E402, F401

_pairs = []


def make_pair(task_id, seeds=(0, 1), mode=AutoresetMode.NEXT_STEP, **options):
    """Ours and upstream's, which were reset with the seeds."""
    makers = [lambda seed=seed: Environments().make(task_id, seed, **options) for seed in seeds]
    pair = Pair(
        gymnasium.make_vec(f"envpool/{task_id}", len(seeds), autoreset_mode=mode, **options),
        SyncVectorEnv(makers, autoreset_mode=mode),
    )
    _pairs.append(pair)
    pair.call("reset", seed=list(seeds))
    return pair


def close_pairs():
    """Closes upstream's environments of all pairs."""
    while _pairs:
        _pairs.pop().theirs.close()


def play(pair, steps, seed=0):
    """Steps both with actions that are repeated some times; returns how many episodes ended."""
    return pair.play(steps, actions=Environments().actions(pair.theirs.action_space, seed))


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
