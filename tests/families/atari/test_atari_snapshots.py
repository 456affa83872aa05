"""A game goes on from a snapshot to the bit, in another pool too."""

import numpy as np

from helpers import assert_runs, assert_same_results, make, random_actions


def test_the_clock_of_a_cartridge_is_exact():
    """Pitfall2's counts fractions, which ALE's own snapshots round."""
    with make("Pitfall2-v5", 1) as saved, make("Pitfall2-v5", 1) as restored:
        saved.reset()
        for seed in range(100):
            saved.step(random_actions(saved, np.random.default_rng(seed)))
            states = saved.get_state()
            restored.set_state(states)
            assert restored.get_state() == states


def test_after_a_lost_life():
    """Other moments are in test_promises.py."""
    options = {"seed": 4, "repeat_action_probability": 0.25, "episodic_life": True}
    with make("Breakout-v5", **options) as saved, make("Breakout-v5", **options) as restored:
        saved.reset()
        lost = False
        while not lost:
            _, _, terminated, _, info = saved.step(np.ones(saved.num_envs, np.int32))
            lost = bool(terminated.any() and (info["lives"] > 0).any())
        restored.reset()
        restored.set_state(saved.get_state())
        rng = np.random.default_rng(0)
        for _ in range(20):
            actions = random_actions(saved, rng)
            assert_same_results(restored.step(actions), saved.step(actions))


def test_the_action_that_is_repeated_for_ever():
    """No action is ever taken with probability 1, so the last one must be put there itself."""
    assert_runs("""
from envpool.tasks.gymnasium_makers import make_vector_env
stuck, free = (make_vector_env("Pong-v5", 1, repeat_action_probability=0.25) for _ in range(2))
for env in (stuck, free):
    env.reset(seed=1)
    for _ in range(5):
        env.step(np.array([2]))
stuck.set_attr("repeat_action_probability", 1.0)
free.set_attr("repeat_action_probability", 0.0)
for _ in range(5):
    stuck_result = stuck.step(np.array([0]))
    free_result = free.step(np.array([2]))
    np.testing.assert_array_equal(stuck_result[0], free_result[0])
""")
