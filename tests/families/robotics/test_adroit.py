"""Adroit's hand computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from robotics_oracle import assert_same, ids_of, make_ours, make_theirs

NAMES = ids_of("AdroitHand")
State = dict[str, np.ndarray]


# --- initial states -----------------------------------------------------------------------------

# What a reset can be given, and how far it is from the goal that makes for all of its rewards.
PARTS = {
    "Door": ("qpos", "qvel", "door_body_pos"),
    "Hammer": ("qpos", "qvel", "board_pos"),
    "Pen": ("qpos", "qvel", "desired_orien"),
    "Relocate": ("qpos", "qvel", "obj_pos", "target_pos"),
}


def set_joint(env: Any, state: State, joint: str, value: float) -> None:
    state["qpos"][env.model.joint(joint).qposadr[0]] = value


def open_door(env: Any, state: State, nearness: float) -> None:
    set_joint(env, state, "door_hinge", 1.57 * nearness)


def drive_nail(env: Any, state: State, nearness: float) -> None:
    set_joint(env, state, "nail_dir", 0.09 * nearness)
    set_joint(env, state, "OBJTz", 0.1 * nearness)


def turn_pen(env: Any, state: State, nearness: float) -> None:
    pen = env.data.xquat[env.obj_body_id]
    mixed = nearness * pen + (1 - nearness) * state["desired_orien"]
    state["desired_orien"] = mixed / np.linalg.norm(mixed)
    if nearness < 0.1:
        set_joint(env, state, "OBJTz", -0.2)  # it falls


def carry_ball(env: Any, state: State, nearness: float) -> None:
    state["obj_pos"] = (1 - nearness) * state["obj_pos"] + nearness * state["target_pos"]


APPROACH: dict[str, Callable[[Any, State, float], None]] = {
    "Door": open_door,
    "Hammer": drive_nail,
    "Pen": turn_pen,
    "Relocate": carry_ball,
}


def kind_of(name: str) -> str:
    return re.sub(r"AdroitHand|Sparse|-v1", "", name)


def state_of(name: str, env: Any, nearness: float, rng: np.random.Generator) -> State:
    """A state of theirs that is so near to the goal: 0 is far, 1 is there."""
    state = {key: env.get_env_state()[key] for key in PARTS[kind_of(name)]}
    state["qvel"] = rng.uniform(-0.1, 0.1, state["qvel"].shape)
    APPROACH[kind_of(name)](env, state, nearness)
    return state


@pytest.mark.parametrize("name", NAMES[::2])
def test_all_rewards_are_theirs(name):
    rng = np.random.default_rng(0)
    theirs = make_theirs(name)
    ours = make_ours(name, [3])
    sparse = make_ours(name.replace("-v1", "Sparse-v1"), [3])
    outcomes = []
    theirs.reset(seed=3)
    for nearness in [0.0, 0.2, 0.7, 0.88, 0.95, 1.0]:
        ours.reset()
        state = state_of(name, theirs.unwrapped, nearness, rng)
        options = {"initial_state_dict": state}
        expected, _ = theirs.reset(options=options)
        obs, _ = ours.reset(options=options)
        assert_same(obs[0], expected, nearness)
        sparse.reset(options=options)
        action = rng.uniform(-1, 1, theirs.action_space.shape).astype(np.float32)
        expected, reward, *_, info = theirs.step(action)
        obs, our_reward, *_, our_info = ours.step(action[None])
        assert_same(obs[0], expected, nearness)
        assert_same(our_reward[0], np.float64(reward), nearness)
        assert our_info["success"][0] == info["success"]
        assert sparse.step(action[None])[1][0] == (10.0 if info["success"] else -0.1)
        outcomes.append(bool(info["success"]))
        theirs.reset()
    assert len(set(outcomes)) == 2


def test_a_wrong_initial_state_is_refused():
    pool = envpool.make_gymnasium("AdroitHandDoor-v1", num_envs=2)
    before = pool.reset()[0]
    state = {"qpos": np.zeros(30), "qvel": np.zeros(30), "door_body_pos": np.zeros(3)}
    for wrong, error, match in [
        (state | {"qpos": np.zeros(29)}, ValueError, r"qpos has 29 numbers, expected 30"),
        ({"qpos": np.zeros(30)}, ValueError, "qvel has 0 numbers, expected 30"),
        (state | {"board_pos": np.zeros(3)}, ValueError, "unknown key .*board_pos"),
        (state | {"qvel": np.full(30, np.nan)}, ValueError, "(?s)qvel .*expected finite numbers"),
        (state | {"qpos": "zero"}, TypeError, "qpos"),
        ({}, ValueError, "unknown key 'initial_state_dict'"),
    ]:
        with pytest.raises(error, match=match):
            pool.reset(options={"initial_state_dict": wrong})
    assert pool.reset()[0].shape == before.shape


@pytest.mark.parametrize("name", NAMES[::2])
def test_what_a_state_sets_stays_where_no_episode_draws_it(name):
    ours, theirs = make_ours(name, [3]), make_theirs(name)
    theirs.reset(seed=3)
    state = state_of(name, theirs.unwrapped, 0.5, np.random.default_rng(0))
    for part in PARTS[kind_of(name)][2:]:
        state[part] = state[part] + 0.01
    ours.reset()
    for options in ({"initial_state_dict": state}, None, None):
        expected, _ = theirs.reset(options=options)
        assert_same(ours.reset(options=options)[0][0], expected, options)


def test_an_initial_state_can_be_for_some_environments():
    pool = envpool.make_gymnasium("AdroitHandDoor-v1", num_envs=3)
    other = pool.reset()[0]
    state = {"qpos": np.full(30, 0.1), "qvel": np.zeros(30), "door_body_pos": np.ones(3)}
    obs, info = pool.reset(np.array([1]), options={"initial_state_dict": state})
    assert info["env_id"].tolist() == [1]
    assert obs[0, 0] == 0.1 != other[1, 0]


# --- Gymnasium's own API ------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES[::2])
def test_a_single_environments_infos_are_theirs(name):
    ours, theirs = gymnasium.make(f"envpool/{name}"), make_theirs(name)
    action = np.zeros(theirs.action_space.shape, np.float32)
    assert ours.reset(seed=0)[1] == theirs.reset(seed=0)[1] == {}
    our_success, their_success = (env.step(action)[4]["success"] for env in (ours, theirs))
    assert (our_success, type(our_success)) == (their_success, type(their_success))
