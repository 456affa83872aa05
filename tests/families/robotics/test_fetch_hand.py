"""Fetch and the hand compute the same bits as gymnasium-robotics does."""

from __future__ import annotations

import pytest

from robotics_oracle import Pair, ids_of

SEEDS = [0, 42, 2**63]
FETCH = ids_of("Fetch")
HAND = ids_of("Hand")


def compare(name: str, seeds: list[int], steps: int, **kwargs: object) -> int:
    pair = Pair(name, seeds, **kwargs)
    pair.reset()
    return sum(pair.step(f"step {step}") for step in range(steps))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FETCH)
def test_fetch_begins_as_theirs(name):
    compare(name, SEEDS[:2], steps=12, max_episode_steps=4)


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", HAND)
def test_hands_begin_as_theirs(name):
    compare(name, SEEDS[:1], steps=5, max_episode_steps=2)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*FETCH, *HAND])
def test_whole_episodes_are_theirs(name, seed):
    assert compare(name, [seed], steps=310) >= 3
