"""Does an installed wheel work here? For wheels just built, on each Python and platform.

Needs the package and the standard library, and nothing of the source tree: python test_smoke.py.
Families whose engine is another package (pip install "envpool-next[mujoco,atari]") are left out
without it.
"""

import importlib.metadata
import re
import subprocess
import sys
import unittest
from pathlib import Path

import gymnasium
import numpy as np

import envpool
from envpool.families.record import licence, records

NUM_ENVS = 3


def is_installed(requirement):
    """True if some version is installed of what a record's extra asks for."""
    name = re.match(r"[\w-]+", requirement)[0]
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def may_lack(family):
    """True if the tasks of a family need not run here: something else has to be installed."""
    needed = [way for way in family.ways if way.is_needed]
    requirements = [each for way in needed for each in way.requirements]
    return not all(way.extra for way in needed) or not all(map(is_installed, requirements))


def rollout(env, steps, seed):
    """What so many steps with random actions give: arrays, one after the other."""
    env.action_space.seed(seed)
    actions = [[env.action_space.sample() for _ in range(NUM_ENVS)] for _ in range(steps)]
    return [
        array
        for action in actions
        for part in env.step(np.array(action))[:4]
        for array in leaves(part)
    ]


def leaves(value):
    """The arrays in nested dicts."""
    if not isinstance(value, dict):
        return [value]
    return [array for part in value.values() for array in leaves(part)]


class Families(unittest.TestCase):
    """Every library loads, and its environments run."""

    def test_families(self):
        for name, family in records().items():
            with self.subTest(name):
                lack = family.lack()
                if lack and may_lack(family):
                    self.skipTest(lack)
                self.check(family.shown)

    def check(self, task):
        env = envpool.make(task, "gymnasium", num_envs=NUM_ENVS, num_threads=2, seed=1)
        env.reset()
        try:
            states = env.get_state()
        except RuntimeError as error:
            self.assertIn("no snapshots", str(error))
            states = None
        first = rollout(env, steps=20, seed=2)
        if states is None:
            env.reset(seed=1)
        else:
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
        self.assertEqual(distribution.metadata["License-Expression"], licence())
        for family in records().values():
            for name, phrase in family.contents.texts.items():
                self.assertIn(phrase, texts[name])


if __name__ == "__main__":
    unittest.main()
