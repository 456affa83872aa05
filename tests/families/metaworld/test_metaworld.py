"""Meta-World's tasks compute the same bits as metaworld does."""

from __future__ import annotations

import numpy as np
import pytest

import envpool
from envpool.families.metaworld.registration import TASKS
from helpers import OraclePair
from metaworld_oracle import at_random, compare, make_theirs, play, scripted

# Tasks that differ in what an episode begins with, and in how they reward: with goals that are
# visible, and so on.
SOME = [
    f"MetaWorld/{name}-v3"
    for name in ("PegInsertSide", "Basketball", "PushBack", "DialTurn", "BinPicking")
]


@pytest.mark.parametrize("name", SOME)
def test_visible_goals_are_theirs(name):
    compare(name, 3, [8, 3], partially_observable=False)


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", TASKS)
def test_their_policies_do_the_same(name):
    """Contacts, grasps and success, which random actions hardly reach."""
    play(OraclePair(name, [0], partially_observable=False), scripted(name), 60)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", TASKS)
def test_their_policies_do_the_same_to_the_end(name, seed):
    pair = OraclePair(name, [seed], partially_observable=False)
    play(pair, scripted(name), 500)
    play(pair, at_random(seed), 5)


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", TASKS)
def test_spaces_of_visible_goals_are_theirs(name):
    theirs = make_theirs(name, partially_observable=False)
    assert envpool.make_spec(name, partially_observable=False).gymnasium_observation_space == (
        theirs.observation_space
    )


@pytest.mark.parametrize("name", ["MetaWorld/Reach-v3", "MetaWorld/DoorOpen-v3"])
def test_a_fixed_vector_is_theirs(name):
    """What upstream calls a task: all episodes begin alike."""
    low = {"MetaWorld/Reach-v3": [0.0, 0.65, 0.02, 0.05, 0.85, 0.2]}.get(name, [0.05, 0.9, 0.15])
    compare(name, 0, [5, 3], task_vectors=np.array(low))
    pool = envpool.make_gymnasium(name, num_envs=2, task_vectors=low)
    first, second = pool.reset()[0]
    assert np.array_equal(first, second)
