"""What a task's start says of each episode: the same as in a plain loop, whoever begins it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco
from helpers import assert_same_results, begun
from own_mujoco_tasks import Balance, Loop, LoopPool, Physics, Scattered, start_of

NUM_ENVS, STEPS = 4, 50
ACTIONS = np.random.default_rng(1).uniform(-1.0, 1.0, (STEPS, NUM_ENVS, 2)) * [1.0, 0.05]


class Bare(Physics):
    """Without a reward."""

    def start(self, generator: np.random.Generator, env_id: int) -> Mapping[str, Any]:
        return start_of(generator)


def test_without_auto_reset_resets_of_some_begin_their_next_episodes() -> None:
    env = envpool.make_mujoco(Scattered, num_envs=2, seed=7, autoreset_mode="Disabled")
    loop = LoopPool(Scattered(), [7, 8])
    env.reset()
    for i in range(2):
        loop.reset(i)
    for ids in ([1], [0], [0, 1], [1]):
        np.testing.assert_array_equal(env.reset(ids)[0], [loop.reset(i) for i in ids])


def test_a_seed_begins_the_count_anew() -> None:
    env = envpool.make_mujoco(Scattered, num_envs=2, seed=7)
    loop = LoopPool(Scattered(), [7, 8])
    env.reset()
    env.reset()
    for i, seed in enumerate([30, 31]):
        loop.seed(i, seed)
    np.testing.assert_array_equal(env.reset(seed=30)[0], [loop.reset(0), loop.reset(1)])
    np.testing.assert_array_equal(env.reset()[0], [loop.reset(0), loop.reset(1)])
    env.next_episode([1], seed=[50])
    env.next_episode([1])  # taken back
    np.testing.assert_array_equal(env.reset()[0], [loop.reset(0), loop.reset(1)])
    env.next_episode([1], seed=[50])
    loop.seed(1, 50)
    np.testing.assert_array_equal(env.reset()[0], [loop.reset(0), loop.reset(1)])
    np.testing.assert_array_equal(env.reset([1], seed=[None])[0], [loop.reset(1)])


def test_what_a_caller_chooses_comes_before_it() -> None:
    env = envpool.make_mujoco(Scattered, num_envs=2, seed=7)
    loop = LoopPool(Scattered(), [7, 8])
    masses = {"body_mass": [0.0, 1.0, 1.0, 1.0]}
    expected = [loop.reset(i, masses) for i in range(2)]
    np.testing.assert_array_equal(env.reset(options=masses)[0], expected)
    env.next_episode([0], options=masses)
    expected = [loop.reset(0, masses), loop.reset(1)]
    np.testing.assert_array_equal(env.reset()[0], expected)
    running = env.episodes()
    np.testing.assert_array_equal(running[0].options["body_mass"], masses["body_mass"])
    assert running[1].options["body_mass"] != masses["body_mass"]


def test_schedules_and_it_go_together() -> None:
    def schedule(env_id: int, index: int) -> envpool.curriculum.Episode:
        return envpool.curriculum.Episode(seed=100 * env_id + index)

    seeds = np.array([[0, 1, 2], [100, 101, 102]])
    for episodes in (schedule, seeds):
        env = envpool.make_mujoco(Scattered, num_envs=2, episodes=episodes)
        loop = LoopPool(Scattered(), [0, 0])
        for index in range(3):
            for i in range(2):
                loop.seed(i, 100 * i + index)
            np.testing.assert_array_equal(env.reset()[0], [loop.reset(0), loop.reset(1)])
            env.set_state(env.get_state())  # of whose next episodes nobody was asked yet


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_without_a_reward_it_is_asked_as_well(mode: str) -> None:
    env = envpool.make_mujoco(Bare, num_envs=1, seed=3, autoreset_mode=mode, max_episode_steps=2)
    loop = Loop(Physics(), 3)
    env.reset()
    for episode in range(1, 4):
        for _ in range(2 + (mode == "NextStep")):
            obs, *_ = env.step(ACTIONS[0, :1])
        loop.reset(start_of(np.random.default_rng([3, episode])))
        np.testing.assert_array_equal(obs["state"][0, :9], loop.data.qpos)


def test_snapshots_know_which_episode_comes_next() -> None:
    env = begun(envpool.make_mujoco(Scattered, num_envs=NUM_ENVS, seed=9))
    for start in range(0, 30, 7):
        states = env.get_state()
        first = tuple(env.step(action) for action in ACTIONS[start : start + 25])
        env.set_state(states)
        assert_same_results(
            tuple(env.step(action) for action in ACTIONS[start : start + 25]), first
        )
    env.set_state([env.get_state([0])[0]] * NUM_ENVS)
    for action in ACTIONS:
        obs, *_ = env.step(np.repeat(action[:1], NUM_ENVS, 0))
        np.testing.assert_array_equal(obs, obs[[0] * NUM_ENVS])
    with pytest.raises(ValueError, match="state"):
        env.set_state([b"nothing"] * NUM_ENVS)
    with pytest.raises(ValueError, match="expected None for Bare"):
        envpool.make_mujoco(Bare).next_episode(state=b"")


def test_copies_of_vector_environments_go_on_alike(own_registry: None) -> None:
    envpool.mujoco.register("mine/Scattered-v0", Scattered)
    env = gymnasium.make_vec("envpool/mine-Scattered-v0", num_envs=2)
    first, _ = env.reset(seed=9)
    np.testing.assert_array_equal(first, env.reset(seed=9)[0])
    again = copy.deepcopy(env.unwrapped)
    for action in ACTIONS:
        one, other = env.step(action[:2])[0], again.step(action[:2])[0]
        np.testing.assert_array_equal(one, other)


def test_what_it_raises_changes_nothing() -> None:
    class Failing(Scattered):
        fails = True

        def start(self, generator: np.random.Generator, env_id: int) -> Any:
            if self.fails:
                raise LookupError("no ball")
            return super().start(generator, env_id)

    task = Failing()
    env = envpool.make_mujoco(task, num_envs=2, seed=7)
    with pytest.raises(LookupError, match="no ball") as raised:
        env.reset()
    assert "start() of Failing" in raised.value.__notes__[0]
    task.fails = False
    expected = envpool.make_mujoco(Scattered, num_envs=2, seed=7).reset()[0]
    np.testing.assert_array_equal(env.reset()[0], expected)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([1.0], TypeError, r"it returned \[1.0\], expected a dict of arrays"),
        ({"qpso": [1.0]}, ValueError, "unknown key 'qpso'; did you mean 'qpos'"),
        ({"qpos": "x"}, (TypeError, ValueError), "qpos"),
    ],
)
def test_what_is_no_dict_of_arrays_is_refused(given: Any, error: Any, message: str) -> None:
    class Wrong(Balance):
        def start(self, generator: np.random.Generator, env_id: int) -> Any:
            return given

    with pytest.raises(error, match=message):
        envpool.make_mujoco(Wrong).reset()


def test_a_failed_environment_begins_again() -> None:
    class Unstable(Scattered):
        frame_skip = 1

        def start(self, generator: np.random.Generator, env_id: int) -> Any:
            speed = 1e30 if generator.random() < 2.0 and self.breaks else 0.0
            return {"qvel": np.full(8, speed)}

        breaks = True

    task = Unstable()
    env = begun(envpool.make_mujoco(task, num_envs=1, seed=7))
    with pytest.raises(envpool.errors.EnvironmentFailure):
        for action in ACTIONS:
            env.step(action[:1])
    task.breaks = False
    env.reset(seed=3)
    env.step(ACTIONS[0, :1])
    assert env.episodes()[0].seed == 3


HILLS = """
<mujoco>
  <asset><hfield name="hills" nrow="8" ncol="8" size="2 2 1 .1"/></asset>
  <worldbody>
    <geom type="hfield" hfield="hills"/>
    <body pos=".3 .2 1.2"><freejoint/><geom type="sphere" size=".1"/></body>
  </worldbody>
</mujoco>
"""


def test_each_episode_may_have_a_terrain_of_its_own() -> None:
    class Hills(envpool.mujoco.Task):
        model, frame_skip, max_episode_steps = HILLS, 60, 6

        def start(self, generator: np.random.Generator, env_id: int) -> Mapping[str, Any]:
            return {"hfield_data": generator.random((8, 8))}

    env = envpool.make_mujoco(Hills, num_envs=2, seed=1)
    model = mujoco.MjModel.from_xml_string(HILLS)
    ends = []
    for episode in range(3):
        env.reset() if episode == 0 else env.step(np.zeros((2, 0)))
        for _ in range(6):
            obs, *_ = env.step(np.zeros((2, 0)))
        for i, row in enumerate(obs):
            model.hfield_data[:] = np.random.default_rng([1 + i, episode]).random((8, 8)).ravel()
            data = mujoco.MjData(model)
            mujoco.mj_step(model, data, 360)
            np.testing.assert_array_equal(row, [*data.qpos, *data.qvel])
            ends.append(tuple(row))
    assert len(set(ends)) == len(ends)  # the ball lies elsewhere
