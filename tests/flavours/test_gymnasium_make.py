"""What ``gymnasium.make`` and ``make_vec`` make of our tasks, whatever Gymnasium there is.

CI has the oldest one, too; more about the newest is in test_single_env.py and test_vector_env.py.
"""

import gymnasium
import numpy as np
import pytest

from helpers import GYMNASIUM, assert_same_bytes

STEPS = 30
OLD = GYMNASIUM < (1, 0)


@pytest.mark.filterwarnings("error")
def test_make():
    env = gymnasium.make("envpool/CartPole-v1")
    original = gymnasium.make("CartPole-v1")
    assert_same_bytes(env.reset(seed=3)[0], original.reset(seed=3)[0])
    for _ in range(STEPS):
        ours, theirs = env.step(1), original.step(1)
        assert_same_bytes(ours[0], theirs[0])
        assert ours[1:4] == theirs[1:4]
        if ours[2]:
            break
    assert ours[2]
    env.close()
    original.close()


@pytest.mark.skipif(not OLD, reason="for Gymnasium before 1.0")
def test_the_vector_api_needs_a_newer_gymnasium():
    with pytest.raises(ImportError, match=r"make_vec of our tasks needs gymnasium>=1\.0"):
        gymnasium.make_vec("envpool/CartPole-v1", num_envs=3, vectorization_mode="custom")
    with pytest.raises(ImportError, match=r"envpool\.vector\.AsyncVectorEnv needs gymnasium>=1\.0"):
        from envpool.vector import AsyncVectorEnv  # noqa: F401


@pytest.mark.skipif(OLD, reason="Gymnasium 0.29 has another vector API")
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_a_limit_of_minus_one_is_none(mode):
    env = gymnasium.make_vec("envpool/Pendulum-v1", 1, mode, max_episode_steps=-1)
    env.reset(seed=0)
    assert not any(env.step(np.zeros((1, 1), np.float32))[3].any() for _ in range(300))
    env.close()
