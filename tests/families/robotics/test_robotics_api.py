"""What all kinds of Gymnasium-Robotics' tasks have in common, whatever they compute."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

import envpool
from envpool.families.robotics.registration import TASKS
from envpool.tasks.registration import registry
from helpers import assert_all_compared, assert_same_results
from opengl import FAST
from robotics_oracle import ALIASES, ALL, assert_same, flat, make_ours, make_theirs

# A task of each kind, and what else those two have that are several tasks in one.
KINDS = {task.kind: task.id for task in TASKS}


def test_all_tasks_are_theirs():
    family = "envpool.families.robotics"
    ours = [name for name, task in registry.tasks.items() if task.import_path == family]
    assert_all_compared(ours, [*ALL, *ALIASES], "the tables in kinds/")
    assert set(ours) <= set(gymnasium.registry)
    limits = {name: gymnasium.spec(name).max_episode_steps for name in ours}
    assert {name: registry.tasks[name].kwargs["max_episode_steps"] for name in ours} == limits


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KINDS.values())
def test_spaces_are_theirs(name):
    ours, theirs = gymnasium.make(f"envpool/{name}"), make_theirs(name)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space


def actions_of(pool: Any, steps: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shape = (pool.num_envs, *pool.action_space.shape)
    return list(rng.uniform(-1, 1, (steps, *shape)).astype(pool.action_space.dtype))


def test_a_state_of_another_task_is_refused():
    door, pen = (envpool.make_gymnasium(f"AdroitHand{name}-v1") for name in ("Door", "Pen"))
    door.reset()
    before = pen.reset()[0]
    with pytest.raises(ValueError, match="state"):
        pen.set_state(door.get_state())
    assert pen.step(actions_of(pen, 1)[0])[0].shape == before.shape


def test_options_per_environment():
    name = "AdroitHandRelocate-v1"
    options = [{"reward_type": "sparse"}, {"reward_type": "dense", "frame_skip": 2}]
    both = {"reward_type": ["sparse", "dense"], "frame_skip": [5, 2]}
    pool = envpool.make_gymnasium(name, num_envs=2, seed=[4, 4], **both)
    alone = [envpool.make_gymnasium(name, seed=4, **each) for each in options]
    pool.reset()
    for each in alone:
        each.reset()
    action = actions_of(alone[0], 1)[0]
    obs, reward, *_ = pool.step(np.concatenate([action, action]))
    for i, each in enumerate(alone):
        expected, expected_reward, *_ = each.step(action)
        assert_same(obs[i], expected[0], i)
        assert reward[i] == expected_reward[0]


@pytest.mark.parametrize("name", ["AdroitHandPen-v1", "FetchReach-v4"])
def test_stacked_observations(name):
    pool, plain = (
        envpool.make_gymnasium(name, seed=1, **each) for each in ({"frame_stack": 2}, {})
    )
    action = actions_of(plain, 1)[0]
    first, second = flat(plain.reset()[0]), flat(plain.step(action)[0])
    stacked = [flat(pool.reset()[0]), flat(pool.step(action)[0])]
    for key in first:
        assert_same(stacked[0][key], np.stack([first[key]] * 2, axis=1), key)
        assert_same(stacked[1][key], np.stack([first[key], second[key]], axis=1), key)


@pytest.fixture
def no_warning_handler():
    """dm_control sets one when it is imported, and then MuJoCo writes no file."""
    mujoco = pytest.importorskip("mujoco")
    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(None)
    yield
    mujoco.set_mju_user_warning(handler)


@pytest.mark.usefixtures("no_warning_handler")
def test_an_unstable_simulation_is_warned_of_and_goes_on_as_theirs(scratch_directory):
    """MuJoCo starts it anew. Theirs finds the message in a file."""
    ours, theirs = make_ours("AdroitHandDoor-v1", [0]), make_theirs("AdroitHandDoor-v1")
    theirs.reset(seed=0)
    state = theirs.unwrapped.get_env_state()
    state["qvel"][0] = 1e11
    options = {"initial_state_dict": state}
    theirs.reset(options=options)
    ours.reset()
    ours.reset(options=options)
    action = np.zeros(28, np.float32)
    expected, reward, *_ = theirs.step(action)
    with pytest.warns(RuntimeWarning, match="huge value in QVEL"):
        obs, our_reward, *_ = ours.step(action[None])
    assert_same(obs[0], expected, "observation")
    assert our_reward[0] == reward
    assert (scratch_directory / "MUJOCO_LOG.TXT").exists()


@pytest.mark.parametrize("name", ["AdroitHandPen-v1", "PointMaze_UMaze-v3"])
def test_a_wrong_action_has_no_effect(name):
    pool, other = (envpool.make_gymnasium(name, num_envs=2, seed=1) for _ in range(2))
    for each in (pool, other):
        each.reset()
    action = actions_of(pool, 1)[0]
    wrong = action.copy()
    wrong[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"action\[1, 0\] is nan, expected a number"):
        pool.step(wrong)
    with pytest.raises(ValueError, match="shape"):
        pool.step(action[:, 1:])
    assert_same_results(pool.step(action), other.step(action))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("AdroitHandDoor-v1", {"reward_type": "Sparse"}, "reward_type is 'Sparse', expected"),
        ("AdroitHandDoor-v1", {"frame_skip": 0}, "frame_skip is 0, expected 1 <= frame_skip"),
        ("PointMaze_UMaze-v3", {"reward_type": "none"}, "reward_type is 'none', expected"),
    ],
)
def test_wrong_options_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        envpool.make_gymnasium(name, **options)


def test_all_dialects_observe_the_same():
    name = "AdroitHandRelocate-v1"
    expected = envpool.make_gymnasium(name, num_envs=2, seed=1).reset()[0]
    assert_same(envpool.make_dm(name, num_envs=2, seed=1).reset().observation.obs, expected, "dm")
    single = gymnasium.make(f"envpool/{name}").reset(seed=2)[0]
    assert_same(flat(single)[""], expected[1], "single")


# --- pictures -----------------------------------------------------------------------------------


def test_videos(tmp_path, opengl):
    pytest.importorskip("moviepy")
    size = {"render_width": 32, "render_height": 32}
    env = gymnasium.make("envpool/AdroitHandPen-v1", render_mode="rgb_array", **FAST, **size)
    assert env.metadata["render_fps"] == make_theirs("AdroitHandPen-v1").metadata["render_fps"]
    with RecordVideo(env, str(tmp_path), disable_logger=True) as recorded:
        recorded.reset(seed=0)
        for _ in range(3):
            recorded.step(recorded.action_space.sample())
    assert [path.suffix for path in tmp_path.iterdir()] == [".mp4"]
