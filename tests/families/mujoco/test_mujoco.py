"""MuJoCo's tasks compute the same bytes as Gymnasium's environments, from the same seeds."""

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco_oracle
from helpers import assert_identical, assert_same_bytes, assert_same_results, make
from mujoco_oracle import (
    CAN_FALL,
    DISABLED,
    NEW,
    NEXT_STEP,
    SAME_STEP,
    TASKS,
    UPSTREAM,
    MujocoPair,
    alternating,
    balance,
    beyond,
    double,
    envpool_infos,
    infos_of,
    make_ours,
    make_theirs,
    nearness_of,
    still,
    within,
)

pytestmark = mujoco_oracle.MARKS

LIMIT = 25  # steps of an episode: long enough for most to fall, short enough for truncations


# --- the same as gymnasium.make_vec -------------------------------------------------------------


# Without falling, and the pendulums with somebody who holds them up.
@pytest.mark.parametrize("task_id", NEW)
@pytest.mark.one_in(6)
def test_whole_episodes(task_id):
    options = {"terminate_when_unhealthy": False} if task_id.startswith(CAN_FALL) else {}
    steps = gymnasium.spec(task_id).max_episode_steps
    pair = MujocoPair(task_id, num_envs=1, seed=7, **options)
    policy = balance if "Pendulum" in task_id else within
    assert pair.play(steps - 1, policy) == (0, 0)
    assert pair.play(1, policy) == (0, 1)
    assert pair.play(2, policy) == (0, 0)


# Until everyone has fallen; test_whole_episodes has nobody fall.
@pytest.mark.parametrize("task_id", [task for task in UPSTREAM if task.startswith(CAN_FALL)])
@pytest.mark.one_in(3)
def test_falling(task_id):
    pair = MujocoPair(task_id, SAME_STEP, seed=3)
    steps = 400 if task_id.startswith("Ant") else 60
    assert pair.play(steps, beyond).terminated >= 2


@pytest.mark.parametrize("policy", [double, alternating, beyond, still])
@pytest.mark.parametrize("task_id", UPSTREAM)
@pytest.mark.one_in(10)
def test_kinds_of_actions(task_id, policy):
    pair = MujocoPair(task_id)
    pair.play(25, policy)


@pytest.mark.parametrize(
    ("task_id", "name", "upstreams_name", "value"),
    [
        ("Ant-v5", "ctrl_cost_weight", "_ctrl_cost_weight", [0.1, 0.5, 1.0]),
        ("Ant-v4", "healthy_reward", "_healthy_reward", 3.0),
        ("HalfCheetah-v5", "frame_skip", "frame_skip", [5, 1, 9]),
        ("Humanoid-v5", "reset_noise_scale", "_reset_noise_scale", 0.05),
        ("Hopper-v5", "terminate_when_unhealthy", "_terminate_when_unhealthy", False),
        ("Pusher-v5", "reward_near_weight", "_reward_near_weight", 2.0),
    ],
)
@pytest.mark.one_in(2)
def test_set_attr_in_mid_episode(task_id, name, upstreams_name, value):
    """The environments go on from where they are, and so does the engine."""
    pair = MujocoPair(task_id, NEXT_STEP, LIMIT, seed=0)
    pair.play(8)
    pair.ours.set_attr(name, value)
    pair.theirs.set_attr(upstreams_name, value)
    values = tuple(value) if isinstance(value, list) else (value,) * 3
    assert pair.ours.get_attr(name) == values
    assert pair.play(40).truncated >= 1


# --- EnvPool's dialect --------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(3)
def test_specs_are_envpools(task_id):
    """Of versions that Gymnasium has no more, too; actions are float64, as in the model's file."""
    spec, theirs = envpool.make_spec(task_id), mujoco_oracle.make_one_of_theirs(task_id)
    assert spec.observation_space == theirs.observation_space
    shape, bound = theirs.action_space.shape, float(str(theirs.action_space.high[0]))
    assert spec.action_space == gymnasium.spaces.Box(-bound, bound, shape, np.float64)
    if task_id.startswith("Hopper"):
        assert spec.reward_threshold == 6000.0  # Gymnasium's is 3800
    for key in infos_of(task_id):
        array = spec.state_array_spec[f"info:{key}"]
        assert array.dtype == np.float64
    fields = spec.observation_spec()._fields
    assert fields[:3] == ("env_id", "players", "obs")
    assert len(set(fields)) == len(fields)
    assert infos_of(task_id).keys() <= set(fields)
    action = spec.action_spec()
    assert (action.shape, action.dtype) == (shape, np.float64)
    assert (action.minimum == -bound).all()
    assert (action.maximum == bound).all()


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(3)
def test_envpools_dialect(task_id):
    pool, theirs = make(task_id, 3, max_episode_steps=LIMIT), make_theirs(task_id, limit=LIMIT)
    (obs, first_info), (expected, their_info) = pool.reset(seed=5), theirs.reset(seed=5)
    assert_same_bytes(obs, expected)
    names = set(first_info) - {"env_id", "players", "elapsed_step"}
    expected_info = envpool_infos(task_id, their_info, np.zeros(3, bool), {})
    for key in names:
        # What Gymnasium gives only at steps is 0.
        assert_same_bytes(
            first_info[key], expected_info.get(key, np.zeros_like(first_info[key])), key
        )
        if key in infos_of(task_id):
            assert (first_info[key].dtype, first_info[key].shape) == (np.float64, (3,))

    episodes, rng = 0, np.random.default_rng(0)
    for _ in range(40):
        actions = double(theirs.action_space, None, rng)
        before = {"reward_near": nearness_of(task_id, theirs)}
        *ours, info = pool.step(actions)
        *expected, their_info = theirs.step(actions)
        expected[1] = expected[1].astype(np.float32)
        assert_same_results(tuple(ours), tuple(expected))
        assert list(info) == list(first_info)
        stepped = info["elapsed_step"] > 0
        expected_info = envpool_infos(task_id, their_info, stepped, before)
        if stepped.any():
            assert names == set(expected_info)
        for key, value in expected_info.items():
            assert_same_bytes(info[key], value, key)
        episodes += int((ours[2] | ours[3]).sum())
    assert episodes >= 3


# --- snapshots ----------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(9)
def test_restored_observations(task_id):
    """Who is not reset shows its last observation again: also what the engine derives from it."""
    pair = MujocoPair(task_id, DISABLED, seed=4)
    # The last step of nobody is that of an episode's end, after which there is only a reset.
    for _ in range(6):
        pair.step()
        states = pair.ours.get_state()
        other = make_ours(task_id, DISABLED)
        other.set_state(states)
        mask = np.array([False, True, False])
        shown, _ = other.reset(options={"reset_mask": mask})
        assert_same_bytes(shown[[0, 2]], pair.obs[[0, 2]])
    # The others go on as they would have, and environment 1 anew with its generator.
    pair.reset(options={"reset_mask": mask})
    for _ in range(5):
        actions = within(pair.theirs.action_space, pair.obs, pair.rng)
        expected = pair.theirs.step(actions)
        assert_identical(other.step(actions), expected)
        if (expected[2] | expected[3]).any():
            break
