"""Grid worlds compute the same bits as minigrid, from the same seeds and actions."""

from __future__ import annotations

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

from envpool.tasks.registration import registry
from helpers import assert_all_compared
from minigrid_oracle import make_pair, play

TASKS = [name for name in gymnasium.registry if name.startswith("MiniGrid-")]
# Ids of minigrid's that are not here.
MISSING = {name for name in TASKS if "-WFC-" in name}
COMPARED = sorted(set(TASKS) - MISSING)

N = 5


def test_every_task_is_compared():
    family = [name for name in registry.tasks if name.startswith("MiniGrid-")]
    assert_all_compared(family, COMPARED, "minigrid's registry")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("task_id", COMPARED)
def test_episodes_are_minigrids(task_id):
    pair = make_pair(task_id, N)
    pair.call("reset", seed=0)
    play(pair, 60)
    pair.assert_same_generators()
    pair.call("reset")
    play(pair, 3)


@pytest.mark.long
@pytest.mark.parametrize("task_id", COMPARED)
def test_long_play_is_minigrids(task_id):
    pair = make_pair(task_id, 30, max_steps=45)
    pair.call("reset", seed=2**40)
    ended, _ = play(pair, 400)
    assert ended >= 30 * 8
    pair.assert_same_generators()


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("task_id", COMPARED[::20])
def test_modes(task_id, mode):
    pair = make_pair(task_id, N, mode=mode, max_steps=20)
    pair.call("reset", seed=3)
    if mode is not AutoresetMode.DISABLED:
        assert play(pair, 70)[0] >= 3 * N
    else:
        pair.play(70)
