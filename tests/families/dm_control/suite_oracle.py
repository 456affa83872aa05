"""dm_control's suite as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool.families.dm_control.registration import SUITE, task_id
from envpool.families.dm_control.settings import VERSION, load_settings

try:
    load_settings()
except ImportError as error:
    pytest.skip(str(error), allow_module_level=True)
suite = pytest.importorskip("dm_control.suite", reason=f"needs dm_control=={VERSION}")
control = pytest.importorskip("dm_control.rl.control")
# It has all of the process's MuJoCo warn through a logger; other tests look for MuJoCo's own file.
pytest.importorskip("mujoco").set_mju_user_warning(None)

# Quadruped's escape would open a window to show its terrain in pictures.
suite.quadruped.Physics.contexts = None

NAMES = [(domain, task) for domain, tasks in SUITE.items() for task in tasks]
TASKS = {task_id(domain, task): (domain, task) for domain, task in NAMES}


def make_theirs(name: str, seed: int, **environment_kwargs: Any) -> Any:
    domain, task = TASKS[name]
    task_kwargs: dict[str, Any] = {"random": seed}
    if domain == "lqr":  # whose episodes have no limit there; EnvPool's have
        task_kwargs["time_limit"] = 1000 * 0.03
    env = suite.load(domain, task, task_kwargs)
    if not environment_kwargs:
        return env
    # The suite passes some of these itself, and then takes no others.
    return control.Environment(env.physics, env.task, **environment_kwargs)


def make_ours(name: str, seeds: list[int], **options: Any) -> Any:
    """A Gymnasium vector environment, where keys are dm_control's and rewards float64."""
    return gymnasium.make_vec(f"envpool/{name}", len(seeds), seed=seeds, **options)


def hash_of(data: bytes) -> int:
    """FNV-1a, as the native library has it."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = ((result ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return result


def arrays_of(observation: OrderedDict[str, Any]) -> dict[str, np.ndarray]:
    return {key: np.asarray(value, np.float64) for key, value in observation.items()}


class Pair:
    """Ours with an environment per seed, and dm_control's for each, all with the same kwargs."""

    def __init__(self, name: str, seeds: list[int], **environment_kwargs: Any) -> None:
        self.ours = make_ours(name, seeds, num_threads=2, **environment_kwargs)
        self.theirs = [make_theirs(name, seed, **environment_kwargs) for seed in seeds]
        self.spec = self.theirs[0].action_spec()
        self.rng = np.random.default_rng(0)

    def reset(self) -> None:
        steps = [env.reset() for env in self.theirs]
        self._compare("reset", self.ours.reset()[0], steps)

    def step(self, what: str) -> bool:
        """Steps all with random actions and compares; returns whether episodes have ended."""
        low, high = np.maximum(self.spec.minimum, -1e3), np.minimum(self.spec.maximum, 1e3)
        actions = self.rng.uniform(low, high, (len(self.theirs), *self.spec.shape))
        steps = [env.step(action) for env, action in zip(self.theirs, actions, strict=True)]
        obs, reward, terminated, truncated, _ = self.ours.step(actions)
        self._compare(what, obs, steps)
        if steps[0].first():
            return False
        for i, step in enumerate(steps):
            assert reward[i].tobytes() == np.float64(step.reward).tobytes(), (what, i)
            assert terminated[i] == (step.last() and step.discount == 0.0)
            assert truncated[i] == (step.last() and step.discount == 1.0)
        return bool(steps[0].last())

    def _compare(self, what: str, obs: dict[str, np.ndarray], steps: list[Any]) -> None:
        for i, step in enumerate(steps):
            theirs = arrays_of(step.observation)
            assert list(obs) == list(theirs)
            for key, value in theirs.items():
                ours = obs[key][i]
                assert ours.shape == value.shape, (what, key)
                assert ours.tobytes() == value.tobytes(), (what, i, key, ours, value, ours - value)
