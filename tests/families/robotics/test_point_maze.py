"""PointMaze computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

import numpy as np
import pytest

import envpool
from envpool.families.robotics.maps import MAPS
from robotics_oracle import Pair, ids_of, make_theirs, mujoco

SEEDS = [0, 42, 2**63]
NAMES = ids_of("PointMaze")


def compare(name: str, seeds: list[int], steps: int, **kwargs: object) -> int:
    pair = Pair(name, seeds, **kwargs)
    pair.reset()
    return sum(pair.step(f"step {step}") for step in range(steps))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_episodes_begin_as_theirs(name):
    compare(name, SEEDS[:2], steps=20, max_episode_steps=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", NAMES)
def test_whole_episodes_are_theirs(name, seed):
    assert compare(name, [seed], steps=2500) >= 3
