"""Reach gives the same bits as a plain loop over MuJoCo, and is an environment like others."""

import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import mujoco
from envpool.checks import check_task

TASK = "robotenv/Reach-v0"
STEPS = 250  # two episodes and a half


def test_it_is_an_environment() -> None:
    """Bounds, snapshots, seeds, threads, pictures and more."""
    check_task(TASK)


def python_loop(seed: int, actions: Any) -> Iterator[tuple[Any, float]]:
    """Yield each observation and reward of one environment, whose resets are steps of their own."""
    package = importlib.util.find_spec("robotenv")
    assert package is not None and package.origin is not None
    model = mujoco.MjModel.from_xml_path(str(Path(package.origin).with_name("arm.xml")))
    data, generator, elapsed = mujoco.MjData(model), np.random.default_rng(seed), 100
    for action in actions:
        reward = 0.0
        if elapsed == 100:
            mujoco.mj_resetData(model, data)
            data.qpos[:] = generator.uniform(-1.0, 1.0, 2)
            data.mocap_pos[0, :2] = generator.uniform(-0.3, 0.3, 2)
            mujoco.mj_forward(model, data)
            elapsed = 0
        else:
            data.ctrl[:] = action
            mujoco.mj_step(model, data, nstep=5)
            hand, target = data.site("hand").xpos, data.site("target").xpos
            x, y, _ = map(float, hand - target)
            distance = math.sqrt(x * x + y * y)
            effort = float(action[0] * action[0] + action[1] * action[1])
            reward = -distance - 0.01 * effort
            elapsed += 1
        sites = [data.site("hand").xpos, data.site("target").xpos]
        yield np.concatenate([data.qpos, data.qvel, *sites]), reward


def test_a_plain_loop_has_the_same_bits() -> None:
    """Observations and rewards of several environments, through time limits and resets."""
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (STEPS, 3, 2))
    loops = [python_loop(7 + i, actions[:, i]) for i in range(3)]
    env = envpool.make(TASK, "gymnasium", num_envs=3, seed=7, reach=0.0)
    results: Any = (env.reset()[0], np.zeros(3))
    for action in [*actions[1:], None]:
        expected = [next(loop) for loop in loops]
        np.testing.assert_array_equal(results[0], [each[0] for each in expected])
        np.testing.assert_array_equal(
            results[1], np.array([each[1] for each in expected], np.float32)
        )
        if action is not None:
            results = env.step(action)


def test_an_unstable_simulation_is_a_failure() -> None:
    """It neither ends the process nor goes on from another state."""
    env = envpool.make(TASK, "gymnasium", num_envs=2)
    env.reset(options={"qvel": [1e12, 0.0]})
    with pytest.raises(envpool.EnvironmentFailure, match="unstable"):
        env.step(np.zeros((2, 2)))
    env.reset()
    env.step(np.zeros((2, 2)))
