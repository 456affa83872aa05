"""Workers are killed at random moments, and nothing hangs, gets lost or is mixed up."""

import time

import pytest

from modelled_workers import WAYS, play


@pytest.mark.slow
@pytest.mark.parametrize("way", [name for name in WAYS if name != "spawned"])
def test_random_kills(way):
    play(int(time.time()), 0.35, **WAYS[way])


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_random_kills_for_longer(way):
    counts = play(int(time.time()), 6.0, **WAYS[way])
    assert counts["kills"] > 3
    assert counts["rows"] > 100
