"""Does an installed wheel work here? For wheels just built, on each Python and platform.

Needs the package and the standard library, and nothing of the source tree: python test_smoke.py.
Families whose engine is another package (pip install "envpool-next[mujoco,atari]") are left out
without it.
"""

import importlib.metadata
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

import gymnasium
import numpy as np

import envpool

NUM_ENVS = 3


def there(module):
    return importlib.util.find_spec(module) is not None


def needs(*modules):
    return unittest.skipUnless(all(map(there, modules)), f"needs {' and '.join(modules)}")


def rollout(env, steps, seed):
    """What so many steps with random actions give: arrays, one after the other."""
    env.action_space.seed(seed)
    actions = [[env.action_space.sample() for _ in range(NUM_ENVS)] for _ in range(steps)]
    return [array for action in actions for array in env.step(np.array(action))[:4]]


class Families(unittest.TestCase):
    """Every library loads, and its environments run."""

    def test_classic_control(self):
        self.check("CartPole-v1")

    def test_toy_text(self):
        self.check("Taxi-v3")

    def test_box2d(self):
        self.check("LunarLander-v3")

    @needs("mujoco")
    def test_mujoco(self):
        self.check("Ant-v5")

    @needs("ale_py")
    def test_atari(self):
        self.check("Pong-v5")

    def check(self, task):
        env = envpool.make(task, "gymnasium", num_envs=NUM_ENVS, num_threads=2, seed=1)
        observation, _ = env.reset()
        self.assertEqual(observation.shape, (NUM_ENVS, *env.observation_space.shape))
        states = env.get_state()
        first = rollout(env, steps=20, seed=2)
        env.set_state(states)
        for before, after in zip(first, rollout(env, steps=20, seed=2), strict=True):
            np.testing.assert_array_equal(before, after)
        env.close()


class Package(unittest.TestCase):
    """What is around the families."""

    def test_asynchronous(self):
        env = envpool.make("CartPole-v1", "gymnasium", num_envs=8, batch_size=2, num_threads=2)
        env.async_reset()
        for _ in range(100):
            _, _, _, _, info = env.recv()
            env.send(np.zeros(2, np.int32), info["env_id"])
        env.close()

    def test_gymnasium_finds_the_tasks(self):
        envs = gymnasium.make_vec("envpool/CartPole-v1", num_envs=NUM_ENVS)
        observation, _ = envs.reset(seed=1)
        expected, _ = gymnasium.make("CartPole-v1").reset(seed=1)
        np.testing.assert_array_equal(observation[0], expected)
        envs.close()

    def test_command_line(self):
        command = [sys.executable, "-m", "envpool", "list"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        self.assertIn("CartPole-v1", listed)

    def test_licences(self):
        distribution = importlib.metadata.distribution("envpool-next")
        texts = {
            Path(name).name: distribution.read_text(f"licenses/{name}")
            for name in distribution.metadata.get_all("License-File")
        }
        self.assertIn("MIT License", texts["LICENSE"])
        expression = distribution.metadata["License-Expression"]
        self.assertEqual(expression, "MIT AND BSD-3-Clause AND Zlib AND Apache-2.0 AND Unlicense")


if __name__ == "__main__":
    unittest.main()
