"""The dm flavour: dm_env's own conformance test, and the specs."""

import dm_env
import numpy as np
import pytest
import tree
from absl.testing import absltest
from dm_env import specs, test_utils

import envpool
import envpool.families.testing.registration
from helpers import make, run_python


class OneOfPool(dm_env.Environment):
    """A pool's environment 0 by itself, as dm_env's conformance test wants it.

    Arrays lose the batch axis, and FIRST steps their reward and discount, for which a batch has
    zeros and ones.
    """

    def __init__(self, pool):
        self.pool = pool

    def _row(self, step):
        first = step.step_type[0] == dm_env.StepType.FIRST
        return dm_env.TimeStep(
            dm_env.StepType(step.step_type[0]),
            None if first else step.reward[0],
            None if first else step.discount[0],
            tree.map_structure(lambda array: array[0], step.observation),
        )

    def reset(self):
        return self._row(self.pool.reset())

    def step(self, action):
        return self._row(self.pool.step(tree.map_structure(lambda part: np.array([part]), action)))

    def close(self):
        self.pool.close()

    def observation_spec(self):
        return self.pool.observation_spec()

    def action_spec(self):
        return self.pool.action_spec()

    def reward_spec(self):
        return self.pool.reward_spec()

    def discount_spec(self):
        return self.pool.discount_spec()


class ConformanceOfPools(test_utils.EnvironmentTestMixin):
    """dm_env's tests; each class below gives a task whose episodes end within 20 steps."""

    task_id = ""

    def make_object_under_test(self):
        return OneOfPool(envpool.make_dm(self.task_id, num_envs=1, max_episode_steps=7, seed=1))


class TestCartPole(ConformanceOfPools, absltest.TestCase):
    task_id = "CartPole-v1"


class TestPendulum(ConformanceOfPools, absltest.TestCase):
    task_id = "Pendulum-v1"


class TestTaxi(ConformanceOfPools, absltest.TestCase):
    task_id = "Taxi-v3"


class TestCatch(ConformanceOfPools, absltest.TestCase):
    task_id = "Catch-v0"


class TestLunarLander(ConformanceOfPools, absltest.TestCase):
    task_id = "LunarLander-v3"


class TestStructured(ConformanceOfPools, absltest.TestCase):
    task_id = "testing/Structured-v0"


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "testing/Players-v0"])
def test_rewards_and_discounts(task_id):
    pool = make(task_id, 3, "dm")
    step = pool.reset()
    assert pool.reward_spec() == specs.Array((), np.float32, name="reward")
    assert pool.discount_spec() == specs.BoundedArray((), np.float32, 0.0, 1.0, name="discount")
    for spec, rows in ((pool.reward_spec(), step.reward), (pool.discount_spec(), step.discount)):
        for row in rows:
            spec.validate(row)


def test_bounds():
    """Scalars where they are the same for all elements, as EnvPool has them."""
    pendulum = make("Pendulum-v1", 2, "dm")
    assert pendulum.action_spec().minimum == -2.0
    assert pendulum.action_spec().minimum.shape == ()
    assert pendulum.observation_spec().obs.maximum.tolist() == [1.0, 1.0, 8.0]
    walker = make("BipedalWalker-v3", 2, "dm").action_spec()
    assert (walker.shape, walker.minimum.shape, walker.maximum.shape) == ((4,), (), ())
    lake = make("testing/Picture-v0", 2, "dm").observation_spec().obs
    assert lake.minimum.shape == lake.maximum.shape == ()
    assert (lake.minimum, lake.maximum) == (0, 255)


# --- without dm_env ---------------------------------------------------------------------------


def test_nothing_else_needs_dm_env():
    done = run_python("""
import sys
sys.modules["dm_env"] = None  # what Python takes for a module that is not there
import gymnasium
import envpool
from envpool import *
from envpool.classic_control import *
import envpool.python, envpool.python.dm_envpool
assert envpool.list_all_envs()
assert envpool.make_spec("CartPole-v1").observation_space.shape == (4,)
for env_type in ("gym", "gymnasium"):
    envpool.make("CartPole-v1", env_type).reset()
gymnasium.make_vec("envpool/CartPole-v1", num_envs=2).reset()
gymnasium.make("envpool/CartPole-v1").reset()
assert "CartPoleGymnasiumEnvPool" in dir(envpool.classic_control)
assert "CartPoleDMEnvPool" not in dir(envpool.classic_control)

for call in (
    lambda: envpool.make("CartPole-v1", "dm"),
    lambda: envpool.make_dm("FrozenLake-v1"),
    lambda: envpool.make_spec("CartPole-v1").action_spec(),
    lambda: envpool.classic_control.CartPoleDMEnvPool,
):
    try:
        call()
    except ImportError as error:
        assert 'pip install "envpool-next[dm]"' in str(error), error
    else:
        raise AssertionError
""")
    assert (done.returncode, done.stderr) == (0, "")


def test_dm_env_is_loaded_when_it_is_used():
    done = run_python("""
import sys
import envpool
envpool.make("CartPole-v1", "gymnasium").reset()
dir(envpool.classic_control)
assert "dm_env" not in sys.modules
import dm_env
assert issubclass(envpool.classic_control.CartPoleDMEnvPool, dm_env.Environment)
""")
    assert (done.returncode, done.stderr) == (0, "")
