"""A game goes on from a snapshot to the bit, in another pool too."""

import numpy as np
import pytest

from atari_oracle import TASKS
from helpers import assert_same_results, make

# Actions may be repeated: ALE's own snapshots lack which one, some of a picture and its screen.
OPTIONS = {"repeat_action_probability": 0.25, "episodic_life": True}


def play(pools, steps, seed):
    """Steps all pools with the same random actions and compares their results."""
    rng = np.random.default_rng(seed)
    first, *others = pools
    for _ in range(steps):
        actions = rng.integers(first.action_space.n, size=first.num_envs, dtype=np.int32)
        result = first.step(actions)
        for other in others:
            assert_same_results(other.step(actions), result)


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(5)
def test_every_game_goes_on(task_id):
    options = {"num_envs": 1, "seed": 1, "max_episode_steps": 40, **OPTIONS}
    with make(task_id, **options) as saved, make(task_id, **options) as restored:
        saved.reset()
        play([saved], 31, seed=1)
        # A pool that has not begun, and one in the middle of another episode.
        for seed in (2, 3):
            restored.set_state(saved.get_state())
            play([saved, restored], 12, seed)


@pytest.mark.parametrize("moment", ["before a reset", "at a reset", "after a lost life"])
def test_moments(moment):
    options = {"seed": 4, **OPTIONS}
    with make("Breakout-v5", **options) as saved, make("Breakout-v5", **options) as restored:
        lost = False
        if moment != "before a reset":
            saved.reset()
        while moment == "after a lost life" and not lost:
            _, _, terminated, _, info = saved.step(np.ones(saved.num_envs, np.int32))
            lost = bool(terminated.any() and (info["lives"] > 0).any())
        restored.reset()
        restored.set_state(saved.get_state())
        play([saved, restored], 20, seed=0)


def test_the_state_has_the_screen():
    with make("Pong-v5", render_mode="rgb_array") as saved:
        saved.reset()
        play([saved], 5, seed=0)
        with make("Pong-v5", render_mode="rgb_array") as restored:
            restored.set_state(saved.get_state())
            np.testing.assert_array_equal(restored.render(), saved.render())


def test_a_state_of_another_game_is_refused():
    with make("Pong-v5") as pong, make("Breakout-v5") as breakout:
        pong.reset()
        with pytest.raises(ValueError, match="was saved with task=pong, expected task=breakout"):
            breakout.set_state(pong.get_state())
