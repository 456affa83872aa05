"""Tasks with models of one's own in every API, with statistics, snapshots and chosen episodes."""

from __future__ import annotations

import copy
import importlib.util
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.checks import check_task
from envpool.families.mujoco.model.task import Batch, Outcome
from helpers import assert_same_results, begun
from own_mujoco_tasks import POLE, Balance, Physics

TASK_ID = "mine/Pole-v0"
NUM_ENVS, STEPS = 4, 50
ACTIONS = np.random.default_rng(1).uniform(-1.0, 1.0, (STEPS, NUM_ENVS, 2)) * [1.0, 0.05]


@pytest.fixture(scope="module", autouse=True)
def pole(own_registry: None) -> None:
    """The task has an id."""
    envpool.mujoco.register(TASK_ID, Balance)


def _reference(**options: Any) -> tuple[Any, list[Any]]:
    """What a pool returns for the actions: its reset and steps."""
    env = envpool.make(TASK_ID, num_envs=NUM_ENVS, seed=9, **options)
    return env.reset(), [env.step(action) for action in ACTIONS]


def test_vector_environments_have_the_same_steps() -> None:
    env = gymnasium.make_vec("envpool/mine-Pole-v0", num_envs=NUM_ENVS, seed=9)
    reset, steps = _reference()
    obs, info = env.reset()
    np.testing.assert_array_equal(obs, reset[0])
    assert set(info) == {"moved", "_moved"}
    ends = 0
    for action, expected in zip(ACTIONS, steps, strict=True):
        obs, reward, terminated, truncated, info = env.step(action)
        np.testing.assert_array_equal(obs, expected[0])
        assert reward.dtype == np.float64
        np.testing.assert_array_equal(reward.astype(np.float32), expected[1])
        np.testing.assert_array_equal(terminated, expected[2])
        np.testing.assert_array_equal(truncated, expected[3])
        np.testing.assert_array_equal(info["moved"], expected[4]["moved"])
        ends += terminated.sum()
    assert ends
    again = copy.deepcopy(env.unwrapped)
    assert_same_results(env.step(ACTIONS[0]), again.step(ACTIONS[0]))


def test_resets_of_some_leave_the_others_memory_alone() -> None:
    calls = []

    class Counting(Balance):
        memory = {"steps": ()}

        def reward(self, batch: Batch) -> Outcome:
            calls.append(batch.env_id.tolist())
            batch.memory["steps"] = batch.memory["steps"] + ~batch.first
            return Outcome(batch.memory["steps"], info={"steps": batch.memory["steps"]})

    envpool.mujoco.register("mine/Counting-v0", Counting)
    env = begun(gymnasium.make_vec("envpool/mine-Counting-v0", num_envs=3))
    env.step(np.zeros((3, 2)))
    mask = np.array([False, True, False])
    env.reset(options={"reset_mask": mask})
    assert calls[-1] == [1]
    np.testing.assert_array_equal(env.step(np.zeros((3, 2)))[1], [2.0, 1.0, 2.0])


def test_an_observation_in_numpy_is_every_rows() -> None:
    class Tip(Balance):
        observed_size = 3

        def observe(self, batch: Batch) -> Any:
            return batch["site_xpos:tip"] + batch["qpos"][:, :1]

    envpool.mujoco.register("mine/Tip-v0", Tip)
    env = gymnasium.make_vec("envpool/mine-Tip-v0", num_envs=NUM_ENVS, seed=9)
    reset, steps = _reference(observation=["site_xpos:tip", "qpos"])
    obs, _ = env.reset()
    np.testing.assert_array_equal(obs, reset[0][:, :3] + reset[0][:, 3:4])
    for action, expected in zip(ACTIONS, steps, strict=True):
        obs, reward, *_ = env.step(action)
        np.testing.assert_array_equal(obs, expected[0][:, :3] + expected[0][:, 3:4])
        np.testing.assert_array_equal(reward.astype(np.float32), expected[1])
    mask = np.arange(NUM_ENVS) == 1
    others, _ = env.reset(options={"reset_mask": mask})
    np.testing.assert_array_equal(others[~mask], obs[~mask])
    assert not np.array_equal(others[mask], obs[mask])


def test_a_single_environment_is_gymnasiums() -> None:
    env = gymnasium.make("envpool/mine-Pole-v0")
    obs, _ = env.reset(seed=9)
    np.testing.assert_array_equal(obs, _reference()[0][0][0])
    steps = 0
    while True:
        _, reward, terminated, truncated, info = env.step(np.zeros(2))
        assert isinstance(reward, float) and isinstance(info["moved"], np.float64)
        steps += 1
        if terminated or truncated:
            break
    assert truncated == (steps == Balance.max_episode_steps)


def test_time_steps_of_dm_env_end_with_a_reward() -> None:
    pytest.importorskip("dm_env")
    env = envpool.make_dm(TASK_ID, num_envs=NUM_ENVS, seed=9, record_episode_statistics=True)
    _, steps = _reference(record_episode_statistics=True)
    env.reset()
    for action, expected in zip(ACTIONS, steps, strict=True):
        step = env.step(action)
        _, reward, terminated, truncated, info = expected
        np.testing.assert_array_equal(step.reward, reward)
        np.testing.assert_array_equal(step.last(), terminated | truncated)
        np.testing.assert_array_equal(step.discount == 0.0, terminated)
        np.testing.assert_array_equal(step.observation.episode.r, info["episode"]["r"])
        np.testing.assert_array_equal(step.observation.episode.done, info["_episode"])


def test_statistics_have_the_tasks_rewards() -> None:
    _, steps = _reference(record_episode_statistics=True)
    returns, lengths = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, int)
    ends = 0
    for _, reward, terminated, truncated, info in steps:
        begins = info["elapsed_step"] == 0
        returns, lengths = np.where(begins, 0.0, returns + reward), np.where(begins, 0, lengths + 1)
        done = terminated | truncated
        np.testing.assert_array_equal(info["_episode"], done)
        np.testing.assert_allclose(info["episode"]["r"], np.where(done, returns, 0.0), rtol=1e-5)
        np.testing.assert_array_equal(info["episode"]["l"], np.where(done, lengths, 0))
        ends += done.sum()
    assert ends


@pytest.mark.parametrize("autoreset_mode", ["NextStep", "Disabled"])
def test_the_pool_counts_episodes_that_a_reward_has_ended(autoreset_mode: str) -> None:
    env = begun(envpool.make(TASK_ID, num_envs=NUM_ENVS, seed=9, autoreset_mode=autoreset_mode))
    ends = 0
    for action in ACTIONS:
        _, _, terminated, truncated, _ = env.step(action)
        over = terminated | truncated
        ends += int(over.sum())
        if autoreset_mode == "Disabled" and over.any():
            env.reset(np.flatnonzero(over))
    assert env.stats().episodes == ends > NUM_ENVS
    env.stats(reset=True)
    assert env.stats().episodes == 0


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_snapshots_have_the_model_the_memory_and_the_end(env_type: str) -> None:
    env = envpool.make_mujoco(
        Balance, env_type, num_envs=NUM_ENVS, seed=9, record_episode_statistics=True
    )
    env.reset()
    for start in range(0, 30, 3):
        states = env.get_state()
        first = tuple(env.step(action) for action in ACTIONS[start : start + 9])
        env.set_state(states)
        assert_same_results(tuple(env.step(action) for action in ACTIONS[start : start + 9]), first)
        env.set_state(states)
        env.step(ACTIONS[start])
    with pytest.raises(ValueError, match="state"):
        env.set_state([b"nothing"] * NUM_ENVS)


def test_a_state_goes_to_another_environment() -> None:
    env = begun(envpool.make_mujoco(Balance, num_envs=2, seed=9))
    for action in ACTIONS[:5]:
        env.step(action[:2])
    env.set_state([env.get_state([0])[0]], [1])
    for action in ACTIONS[5:]:
        obs, reward, *_ = env.step(np.repeat(action[:1], 2, 0))
        np.testing.assert_array_equal(obs[0], obs[1])
        assert reward[0] == reward[1]


def test_without_auto_reset_a_terminated_environment_waits() -> None:
    env = begun(envpool.make_mujoco(Balance, num_envs=NUM_ENVS, seed=9, autoreset_mode="Disabled"))
    for action in ACTIONS:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated.any():
            break
    over = np.flatnonzero(terminated | truncated)
    with pytest.raises(RuntimeError, match=f"environment {over[0]}"):
        env.step(ACTIONS[0])
    env.reset(over)
    env.step(ACTIONS[0])


def test_chosen_episodes_begin_where_a_reward_has_ended_one() -> None:
    env = envpool.make_mujoco(Balance, num_envs=2, seed=9)
    first, _ = env.reset(seed=[100, 100])
    begun = set()
    for action in ACTIONS:
        env.next_episode(seed=[100, 100])
        obs, *_, info = env.step(action[:2])
        for i in np.flatnonzero(info["elapsed_step"] == 0):
            np.testing.assert_array_equal(obs[i], first[0])
            begun.add(i)
    assert begun == {0, 1}
    with pytest.raises(ValueError, match="which has memory"):
        env.next_episode(state=env.get_state([0])[0])


@pytest.mark.skipif(not importlib.util.find_spec("stable_baselines3"), reason="needs SB3")
def test_stable_baselines3_has_its_terminal_observations() -> None:
    env = envpool.sb3.VecEnv(TASK_ID, num_envs=NUM_ENVS, seed=9)
    _, steps = _reference(autoreset_mode="NextStep", record_episode_statistics=True)
    env.reset()
    lengths = []
    for action in ACTIONS:
        obs, _, dones, infos = env.step(action)
        for i in np.flatnonzero(dones):
            lengths.append((i, infos[i]["episode"]["l"]))
            assert not np.array_equal(infos[i]["terminal_observation"], obs[i])
    assert {i for i, _ in lengths} == set(range(NUM_ENVS))
    expected = next(
        (i, int(info["episode"]["l"][i]))
        for *_, info in steps
        for i in np.flatnonzero(info["_episode"])
    )
    assert lengths[0] == expected


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="needs PyTorch")
def test_tensors_have_the_rewards() -> None:
    env = envpool.torch(envpool.make(TASK_ID, num_envs=NUM_ENVS, seed=9))
    _, steps = _reference()
    env.reset()
    for action, expected in zip(ACTIONS[:20], steps[:20], strict=True):
        _, reward, terminated, _, info = env.step(action)
        np.testing.assert_array_equal(reward.numpy(), expected[1])
        np.testing.assert_array_equal(terminated.numpy(), expected[2])
        np.testing.assert_array_equal(np.asarray(info["moved"]), expected[4]["moved"])


def test_observations_may_be_stacked() -> None:
    env = envpool.make(TASK_ID, num_envs=NUM_ENVS, seed=9, frame_stack=3)
    reset, steps = _reference()
    obs, _ = env.reset()
    assert obs.shape == (NUM_ENVS, 3, 21)
    np.testing.assert_array_equal(obs[:, 0], reset[0])
    env.step(ACTIONS[0])
    obs, reward, *_ = env.step(ACTIONS[1])
    np.testing.assert_array_equal(obs[:, 1], steps[0][0])
    np.testing.assert_array_equal(obs[:, 2], steps[1][0])
    np.testing.assert_array_equal(reward, steps[1][1])


def test_a_class_of_a_function_keeps_nobody_from_being_checked() -> None:
    class Local(Balance):
        """No other process can import it."""

    envpool.mujoco.register("mine/Local-v0", Local)
    assert not check_task("CartPole-v1", only=["repeat"], quick=True).failed


@pytest.mark.slow
@pytest.mark.parametrize("task", [Balance, Physics])
def test_the_checks_of_environments_find_no_mistakes(task: Any) -> None:
    unlimited = '<motor name="turn" joint="hinge"/>'
    limited = POLE.replace(unlimited, unlimited.replace("/>", ' ctrlrange="-.1 .1"/>'))
    task_id = f"mine/{task.__name__}Checked-v0"
    envpool.mujoco.register(task_id, task, model=limited)
    checks = ["repeat", "written", "threads", "batches", "snapshots", "episodes"]
    assert not check_task(task_id, only=checks, quick=True).failed
