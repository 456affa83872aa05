"""Gymnasium's robots whose episodes begin with what is drawn, or with what a reset is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.errors import ArgumentError, EnvironmentFailure
from mujoco_oracle import MARKS, mujoco
from own_mujoco_tasks import array_of, change, draw

pytestmark = MARKS

OURS = envpool.mujoco
STEPS = 25
SEED = 3
RANDOMISE = {
    "body_mass": OURS.Uniform(0.5, 1.5, scale=True),
    "qpos": OURS.Uniform(-0.05, 0.05),
    "geom_friction": OURS.LogUniform(0.5, 2.0, scale=True, shared=True),
    "opt.gravity[2]": OURS.Choice([-9.81, -3.7], absolute=True),
    "qvel[0]": OURS.Normal(0.2),
}


class Robot:
    """Gymnasium's environment, whose resets change the model and the state before mj_forward.

    Args:
        task_id: Its id.
        randomise: How episodes differ.
    """

    def __init__(self, task_id: str, randomise: Mapping[str, Any]) -> None:
        self.env: Any = gymnasium.make(task_id).unwrapped
        self._randomise = randomise
        self._original = {
            name: array_of(self.env.model, self.env.data, name).copy() for name in randomise
        }
        self.given: dict[str, Any] = {}
        self._drawn: dict[str, Any] = {}
        self._begin, self._set_state = self.env.reset_model, self.env.set_state
        self.env.reset_model, self.env.set_state = self._reset_model, self._changed_state

    def _reset_model(self) -> Any:
        env = self.env
        self._drawn = {
            name: draw(env.np_random, how, self._original[name].size)
            for name, how in self._randomise.items()
        }
        for name, how in self._randomise.items():
            if not name.startswith("q"):
                array = array_of(env.model, env.data, name)
                change(array, self._original[name], how, self._drawn[name])
        if "body_mass" in self._randomise:
            mujoco.mj_setConst(env.model, mujoco.MjData(env.model))
        return self._begin()

    def _changed_state(self, qpos: Any, qvel: Any) -> None:
        state = {"qpos": qpos.copy(), "qvel": qvel.copy()}
        for name, how in self._randomise.items():
            array = state.get(name.partition("[")[0])
            if array is not None:
                array = array[:1] if name.endswith("[0]") else array
                change(array, array.copy(), how, self._drawn[name])
        self._set_state(*(state | self.given).values())


def _assert_same(env: Any, robot: Robot, episodes: int = 2, **reset: Any) -> None:
    """Both return the same bytes, over some episodes."""
    space = robot.env.action_space
    space.seed(1)
    for episode in range(episodes):
        obs, _ = env.reset(seed=SEED if episode == 0 else None, **reset)
        theirs, _ = robot.env.reset(seed=SEED if episode == 0 else None)
        np.testing.assert_array_equal(obs[0], theirs)
        for _ in range(STEPS):
            action = space.sample()
            obs, reward, terminated, *_ = env.step(action[None])
            theirs, their_reward, their_end, *_ = robot.env.step(action)
            np.testing.assert_array_equal(obs[0], theirs)
            assert reward[0] == their_reward and terminated[0] == their_end
            if their_end:
                break


def _make(task_id: str, **options: Any) -> Any:
    return gymnasium.make_vec(f"envpool/{task_id}", num_envs=1, **options)


@pytest.mark.parametrize(
    "task_id",
    ["HalfCheetah-v5", "Humanoid-v5", "Reacher-v5", "Walker2d-v5", "InvertedDoublePendulum-v5"],
)
def test_drawn_episodes_are_gymnasiums_with_the_same_numbers(task_id: str) -> None:
    _assert_same(_make(task_id, randomise=RANDOMISE), Robot(task_id, RANDOMISE))


@pytest.mark.parametrize("task_id", ["Hopper-v5", "Ant-v5", "Pusher-v5"])
def test_resets_take_a_state(task_id: str) -> None:
    robot = Robot(task_id, {})
    data = robot.env.data
    generator = np.random.default_rng(1)
    qpos = data.qpos + generator.uniform(-0.02, 0.02, data.qpos.shape)
    robot.given = {"qpos": qpos, "qvel": generator.normal(0.0, 0.1, data.qvel.shape)}
    _assert_same(_make(task_id), robot, options=robot.given)
    robot.given = {}
    _assert_same(_make(task_id), robot, options={})


def test_resets_take_arrays_of_the_model_for_one_episode() -> None:
    env = envpool.make("HalfCheetah-v5", num_envs=2, seed=1)
    free = {"opt": {"gravity": [0.0, 0.0, 0.0]}}
    first, _ = env.reset(seed=[1, 1])
    env.reset([1], seed=[1], options=free)
    action = np.zeros((2, 6))
    obs, *_ = env.step(action)
    assert not np.array_equal(obs[0], obs[1])
    state = env.get_state([1])
    expected = env.step(action)[0][1]
    env.set_state(state * 2)
    np.testing.assert_array_equal(env.step(action)[0], [expected, expected])
    obs, _ = env.reset(seed=[1, 1])
    np.testing.assert_array_equal(obs, first)
    obs, *_ = env.step(action)
    np.testing.assert_array_equal(obs[0], obs[1])


def test_next_episodes_begin_in_a_state() -> None:
    env = envpool.make("HalfCheetah-v5", num_envs=1, max_episode_steps=1)
    env.reset()
    env.next_episode(options=[{"qpos": np.full(9, 0.25)}])
    action = np.zeros((1, 6))
    env.step(action)
    np.testing.assert_array_equal(env.step(action)[0][0, :8], np.full(8, 0.25))


def test_each_environment_may_vary_in_its_own_way() -> None:
    ways = [{}, {"qvel": OURS.Choice([2.0], absolute=True)}]
    env = envpool.make("HalfCheetah-v5", num_envs=2, seed=1, randomise=ways)
    plain = envpool.make("HalfCheetah-v5", num_envs=2, seed=1)
    obs, _ = env.reset()
    np.testing.assert_array_equal(obs[0], plain.reset()[0][0])
    np.testing.assert_array_equal(obs[1, 8:], np.full(9, 2.0))
    env.set_attr("randomise", {"qpos": OURS.Choice([0.5], absolute=True)})
    np.testing.assert_array_equal(env.reset()[0][:, :8], np.full((2, 8), 0.5))


def test_drawn_and_given_episodes_are_replayed(tmp_path: Path) -> None:
    options = {"seed": 1, "randomise": RANDOMISE, "max_episode_steps": 4}
    env = envpool.make("HalfCheetah-v5", num_envs=2, record=tmp_path / "run", **options)
    obs, _ = env.reset(options={"qpos": np.full(9, 0.25)})
    action = np.zeros((2, 6))
    rows = [obs, *(env.step(action)[0] for _ in range(9))]
    env.close()
    ours = [each for each in envpool.replay(tmp_path / "run") if each.env == 1]
    for begin, episode in zip((0, 5), ours, strict=True):
        expected = [row[1] for row in rows[begin : begin + 5]]
        np.testing.assert_array_equal(episode.rollout().observations, expected)


def test_mistakes_are_named() -> None:
    make = envpool.make
    with pytest.raises(ArgumentError, match="there is no body 'torsu' in the model, did you mean"):
        make("Ant-v5", randomise={"body_mass:torsu": OURS.Uniform(0.0, 1.0)})
    with pytest.raises(TypeError, match="expected one of Uniform, LogUniform, Normal, Choice"):
        make("Ant-v5", randomise={"body_mass": 2.0})
    env = make("HalfCheetah-v5", num_envs=1)
    with pytest.raises(EnvironmentFailure, match=r"options\['qpos'\] has 1 numbers, expected 9"):
        env.reset(options={"qpos": [1.0]})
    with pytest.raises(ValueError, match="did you mean 'qpos'"):
        env.reset(options={"qpso": [1.0] * 9})
