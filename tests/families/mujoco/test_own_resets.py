"""What resets are given for a model of one's own, and pictures of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from helpers import assert_same_results, begun
from opengl import FAST
from own_mujoco_tasks import POLE, Balance, Loop

MASSES = [0.0, 2.0, 0.1, 0.3]
QPOS = [0.2, 0.1, 1.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]
ACTION = np.array([[0.5, 0.01]])


class Fixed(Balance):
    """The same in every episode."""

    randomise = {}
    observation = ("qpos", "qvel", "body_mass", "body_subtreemass", "opt.gravity")


def _loop(**given: Any) -> Loop:
    """An episode that begins so, in a plain loop."""
    loop = Loop(Fixed(), seed=0, needs_constants="body_mass" in given)
    loop.reset(given)
    return loop


def test_resets_take_arrays_of_the_state_and_of_the_model() -> None:
    env = envpool.make_mujoco(Fixed, num_envs=1)
    given = {"qpos": QPOS, "body_mass": np.array(MASSES)}
    gravity = [0.0, 0.0, -3.0]
    for options, loop in (
        ({}, _loop()),
        (given | {"opt": {"gravity": gravity}}, _loop(opt_gravity=gravity, **given)),
        ({"qpos": QPOS}, _loop(qpos=QPOS)),
        (None, _loop()),
    ):
        obs, _ = env.reset(options=options)
        np.testing.assert_array_equal(obs[0], loop.observe())
        for _ in range(5):
            obs, *_ = env.step(ACTION)
            loop.step(ACTION[0])
            np.testing.assert_array_equal(obs[0], loop.observe())


def test_snapshots_have_what_a_reset_was_given() -> None:
    env = envpool.make_mujoco(Fixed, num_envs=2)
    env.reset([0], options={"body_mass": MASSES})
    env.reset([1])
    state = env.get_state([0])
    first = env.step(ACTION[[0, 0]])[0]
    assert not np.array_equal(first[0], first[1])
    env.set_state(state * 2)
    for row in env.step(ACTION[[0, 0]])[0]:
        np.testing.assert_array_equal(row, first[0])


def test_next_episodes_begin_as_they_are_told_to() -> None:
    env = begun(envpool.make_mujoco(Fixed, num_envs=2, max_episode_steps=1))
    env.next_episode(options=[{"qpos": QPOS}, {"body_mass": MASSES}])
    env.step(ACTION[[0, 0]])
    obs, *_ = env.step(ACTION[[0, 0]])
    np.testing.assert_array_equal(obs[0], _loop(qpos=QPOS).observe())
    np.testing.assert_array_equal(obs[1], _loop(body_mass=MASSES).observe())


def test_wrong_arrays_are_named() -> None:
    env = envpool.make_mujoco(Fixed, num_envs=1)
    with pytest.raises(ValueError, match="unknown key 'qpso'; did you mean 'qpos'"):
        env.reset(options={"qpso": QPOS})
    with pytest.raises(EnvironmentFailure, match=r"options\['qpos'\] has 1 numbers, expected 9"):
        env.reset(options={"qpos": [1.0]})
    with pytest.raises(ValueError, match="qpos"):
        env.reset(options={"qpos": [np.nan] * 9})
    env.reset()


@pytest.mark.slow
def test_pictures_show_the_models_camera_and_what_was_drawn() -> None:
    model = POLE.replace(
        "<worldbody>", '<worldbody><camera name="side" pos="0 -3 0" euler="90 0 0"/>'
    )
    size = FAST | {"render_width": 64, "render_height": 48}
    env = envpool.make_mujoco(
        Balance, num_envs=2, model=model, render_mode="rgb_array", render_camera_id=0, **size
    )
    env.reset()
    pictures = env.render([0, 1])
    assert pictures.shape == (2, 48, 64, 3)
    assert not np.array_equal(pictures[0], pictures[1])  # other sizes of the ball
    pixels = envpool.make_mujoco(Balance, num_envs=2, model=model, from_pixels=True, **size)
    obs, info = pixels.reset()
    assert obs.dtype == np.uint8 and obs.shape == (2, 3, 48, 64) and "moved" in info


def test_options_may_change_while_the_episode_goes_on() -> None:
    env, other = (begun(envpool.make_mujoco(Balance, num_envs=2, seed=4)) for _ in range(2))
    env.set_attr("randomise", {"body_mass:pole": envpool.mujoco.Uniform(9.0, 9.5, absolute=True)})
    action = np.repeat(ACTION, 2, 0)
    assert_same_results(env.step(action), other.step(action))
    watching = envpool.make_mujoco(Fixed, num_envs=1)
    watching.set_attr("randomise", {"body_mass:pole": envpool.mujoco.Choice([7.0], absolute=True)})
    assert watching.reset()[0][0, 19] == 7.0
    with pytest.raises(ValueError, match="space"):
        env.set_attr("observation", [["qpos"]] * 2)
    with pytest.raises(ValueError, match="task cannot be changed"):
        env.set_attr("task", Fixed())
    assert env.get_attr("frame_skip") == (2, 2)
