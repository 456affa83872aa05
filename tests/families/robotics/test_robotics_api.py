"""What all kinds of Gymnasium-Robotics' tasks have in common, whatever they compute."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.families.robotics.registration import TASKS
from envpool.tasks.registry import registry
from helpers import assert_all_compared
from robotics_oracle import ALIASES, ALL, assert_same, make_ours, make_theirs

# A task of each kind, and what else those two have that are several tasks in one.
KINDS = {task.kind: task.id for task in TASKS}


def test_all_tasks_are_theirs():
    family = "envpool.families.robotics"
    ours = [name for name, task in registry.tasks.items() if task.import_path == family]
    assert_all_compared(ours, [*ALL, *ALIASES], "the tables in kinds/")
    assert set(ours) <= set(gymnasium.registry)
    limits = {name: gymnasium.spec(name).max_episode_steps for name in ours}
    assert {name: registry.tasks[name].kwargs["max_episode_steps"] for name in ours} == limits


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
