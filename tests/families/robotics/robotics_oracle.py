"""gymnasium-robotics as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envpool.families.robotics.registration import TASKS
from helpers import skip_without_upstream

skip_without_upstream("robotics")

import gymnasium_robotics as robotics  # noqa: E402, F401 - tests have it from here

from envpool.oracles.robotics import (  # noqa: E402
    KITCHEN,  # noqa: F401 - likewise
    Environments,
    make_theirs,
    robot_of,
)

SEEDS = [0, 42, 2**63]
SIZE = {"render_mode": "rgb_array", "width": 64, "height": 48}
ORACLE = Environments()
ALL = {task.id: task for task in TASKS}
ALIASES = {alias: task.id for task in TASKS for alias in task.aliases}


def ids_of(kind: str) -> list[str]:
    """The tasks whose environments' native names begin so, without older versions."""
    return [task.id for task in TASKS if task.kind.startswith(kind)]


def make_ours(name: str, seeds: list[int], **options: Any) -> Any:
    """A Gymnasium vector environment, where rewards are float64."""
    return gymnasium.make_vec(f"envpool/{name}", len(seeds), seed=seeds, **options)


def flat(observation: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """The arrays of an observation by their dotted names."""
    if not isinstance(observation, dict):
        return {prefix: np.asarray(observation)}
    return {
        name: array
        for key, value in observation.items()
        for name, array in flat(value, f"{prefix}.{key}" if prefix else key).items()
    }


def assert_same(ours: Any, theirs: Any, what: Any) -> None:
    """The same type, shape and bytes."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype, (what, ours.dtype, theirs.dtype)
    assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
    assert ours.tobytes() == theirs.tobytes(), (what, ours, theirs)


class Pair:
    """Ours with an environment per seed, and theirs for each, with the same options."""

    def __init__(self, name: str, seeds: list[int], **kwargs: Any) -> None:
        self.ours = make_ours(name, seeds, num_threads=2, **kwargs)
        self.theirs = [make_theirs(name, **kwargs) for _ in seeds]
        self.seeds = seeds
        self.over = [False] * len(seeds)
        self.space = self.theirs[0].action_space
        self.rng = np.random.default_rng(0)

    def reset(self, **kwargs: Any) -> None:
        results = [
            env.reset(seed=seed, **kwargs)
            for env, seed in zip(self.theirs, self.seeds, strict=True)
        ]
        obs, info = self.ours.reset(seed=self.seeds, **kwargs)
        self._compare("reset", obs, info, results)

    def actions(self) -> np.ndarray:
        """Random ones, some of them beyond the bounds."""
        shape = (len(self.theirs), *self.space.shape)
        return (self.rng.uniform(-1.2, 1.2, shape)).astype(self.space.dtype)

    def step(self, what: str, actions: np.ndarray | None = None) -> int:
        """Steps all and compares; returns how many episodes have ended."""
        actions = self.actions() if actions is None else actions
        results = []
        for i, env in enumerate(self.theirs):
            if self.over[i]:  # as Gymnasium's own vector environments do
                obs, info = env.reset()
                results.append((obs, 0.0, False, False, info))
            else:
                results.append(env.step(actions[i]))
        obs, reward, terminated, truncated, info = self.ours.step(actions)
        self.reward = reward
        self._compare(what, obs, info, [(result[0], result[4]) for result in results])
        for i, (_, *expected, _) in enumerate(results):
            assert_same(reward[i], np.float64(expected[0]), (what, i, "reward"))
            assert_same(terminated[i], np.bool_(expected[1]), (what, i, "terminated"))
            assert_same(truncated[i], np.bool_(expected[2]), (what, i, "truncated"))
            self.over[i] = bool(expected[1] or expected[2])
        return sum(self.over)

    def play(self, steps: int) -> int:
        """Resets all, and steps them so often; returns how many episodes have ended."""
        self.reset()
        return sum(self.step(f"step {step}") for step in range(steps))

    def _compare(self, what: str, obs: Any, info: Any, results: list[Any]) -> None:
        ours = flat(obs)
        for i, (their_obs, their_info) in enumerate(results):
            theirs = flat(their_obs)
            assert set(ours) == set(theirs)
            for key, value in theirs.items():
                assert_same(ours[key][i], value, (what, i, key))
            keys = {key for key in info if not key.startswith("_") and info[f"_{key}"][i]}
            assert keys == set(their_info), (what, i)
            for key, value in self.translate(their_info).items():
                assert_same(info[key][i], value, (what, i, key))

    def translate(self, info: dict[str, Any]) -> dict[str, Any]:
        """Their infos in our types, where these are others."""
        return info


def compare(name: str, seeds: list[int], steps: int, **kwargs: Any) -> int:
    """Plays episodes of a task; returns how many have ended."""
    return Pair(name, seeds, **kwargs).play(steps)


def make_drawing(name: str, **options: Any) -> tuple[Any, Any]:
    """Ours and theirs, reset alike, that draw quickly."""
    ours = gymnasium.make_vec(f"envpool/{name}", 1, **SIZE, **options)
    theirs = make_theirs(name, **SIZE, **options)
    ours.set_attr("render_shadow_size", 0)
    ours.set_attr("render_multisamples", 0)
    quality = robot_of(theirs).model.vis.quality
    quality.shadowsize = quality.offsamples = 0
    ours.reset(seed=3)
    theirs.reset(seed=3)
    theirs.action_space.seed(0)
    return ours, theirs
