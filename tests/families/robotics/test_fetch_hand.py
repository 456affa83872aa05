"""Fetch and the hand compute the same bits as gymnasium-robotics does."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from helpers import OraclePair, assert_same_results, begun, output_of
from robotics_oracle import ALIASES, SEEDS, compare

KINDS = ["FetchPickAndPlaceDense-v4", "HandReachDense-v3", "HandManipulatePenDense-v1"]


@pytest.mark.long
@pytest.mark.parametrize("kernels", ["Haswell", "Sandybridge"])
def test_arithmetic_is_that_of_the_numpy_that_runs(kernels):
    """Velocities of sites are long products, and angles come from NumPy's own functions."""
    names = ["FetchPickAndPlace-v4", "HandManipulatePenDense-v1"]
    calls = "; ".join(f"compare({name!r}, [5], steps=40)" for name in names)
    output_of(
        f"from robotics_oracle import compare; {calls}",
        NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL",
        OPENBLAS_CORETYPE=kernels,
        PYTHONWARNINGS="ignore",
    )


def test_goals_are_reached():
    """The gripper goes to its target: success, whose sparse reward is a negative zero."""
    pair = OraclePair("FetchReach-v4", SEEDS[:2])
    obs, rewards = pair.first, set()
    for _ in range(30):
        way = obs["desired_goal"] - obs["achieved_goal"]
        actions = np.concatenate([10 * way, np.zeros((2, 1))], axis=1).astype(np.float32)
        obs, reward, *_ = pair.call("step", actions)
        rewards |= {*reward.tolist()}
    assert rewards == {0.0, -1.0}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("HandReach-v3", {"distance_threshold": 0.5}),
        ("HandManipulateEgg-v1", {"rotation_threshold": 4.0, "distance_threshold": 1.0}),
        ("HandManipulateBlockRotateParallel-v1", {"randomize_initial_rotation": False}),
        ("HandManipulateEgg-v1", {"target_position": "fixed", "target_rotation": "parallel"}),
        ("HandManipulatePen-v1", {"randomize_initial_position": False, "target_rotation": "z"}),
        ("HandManipulateBlock_BooleanTouchSensors-v1", {"touch_get_obs": "log"}),
        ("HandManipulateBlock_BooleanTouchSensors-v1", {"touch_get_obs": "off"}),
    ],
)
def test_options_are_theirs(name, options):
    compare(name, SEEDS[1:2], steps=3, max_episode_steps=2, **options)


def test_relative_control_starts_from_the_joints():
    """Which theirs cannot do with MuJoCo's own package. A still hand stays as it is."""
    pool = envpool.make_gymnasium(
        "HandReach-v3", num_envs=2, seed=1, relative_control=[True, False]
    )
    first, _ = pool.reset()
    obs = pool.step(np.zeros((2, 20), np.float32))[0]
    moved = np.abs(obs["achieved_goal"] - first["achieved_goal"]).max(axis=1)
    assert moved[0] < 0.01 < moved[1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KINDS)
def test_distances_are_envpools(name):
    """Which for objects are sums of metres and radians."""
    pool = begun(envpool.make_gymnasium(name, num_envs=2, seed=1))
    obs, reward, _, _, info = pool.step(np.zeros((2, *pool.action_space.shape), np.float32))
    difference = obs["achieved_goal"] - obs["desired_goal"]
    metres = np.linalg.norm(difference[:, :3], axis=-1) if "Manipulate" in name else 0.0
    np.testing.assert_allclose(info["distance"], -reward - 9.0 * metres, rtol=1e-5)
    assert info["is_success"].dtype == np.float64


@pytest.mark.parametrize("old", ["FetchSlideDense-v1", "HandReach-v0"])
def test_older_versions_follow_the_newest(old):
    name = ALIASES[old]
    pools = [envpool.make_gymnasium(each, num_envs=1, seed=1) for each in (old, name)]
    assert_same_results(*(pool.reset() for pool in pools))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("FetchPush-v4", {"obj_range": 0.07}, "obj_range is 0.07, expected more than"),
        ("FetchReach-v4", {"reward_type": "Dense"}, "reward_type is 'Dense', expected 'sparse'"),
        ("FetchReach-v4", {"has_object": True}, "has_object is True, and the model has no joint"),
        ("FetchReach-v4", {"xml_file": "hand/reach.xml"}, "has 0 mocap bodies, expected 1"),
        ("HandReach-v3", {"xml_file": "fetch/push.xml"}, "has 0 actuators, expected 20"),
        ("HandManipulateEgg-v1", {"touch_get_obs": "log"}, "61 numbers are observed, expected 153"),
        ("HandManipulateEgg-v1", {"target_rotation": "w"}, "target_rotation is 'w', expected"),
    ],
)
def test_bad_options(name: str, options: dict[str, Any], message: str):
    with pytest.raises((ValueError, RuntimeError), match=message):
        envpool.make_gymnasium(name, num_envs=1, **options).reset()


def test_an_object_that_has_hardly_a_place_is_an_error_and_no_hang():
    pool = envpool.make_gymnasium("FetchPush-v4", obj_range=[0.0707107, 0.15], num_envs=2)
    with pytest.raises(EnvironmentFailure, match=r"obj_range is 0.0707107: found no place"):
        pool.reset()


SMALL_ROBOT = """
<mujoco>
  <worldbody>
    <site name="target0"/>
    <body name="robot0:mocap" mocap="true"/>
    <body name="robot0:gripper_link">
      <joint name="robot0:slide0" type="slide" axis="1 0 0"/>
      <joint name="robot0:slide1" type="slide" axis="0 1 0"/>
      <joint name="robot0:slide2" type="slide" axis="0 0 1"/>
      <joint name="robot0:r_gripper_finger_joint"/>
      <joint name="robot0:l_gripper_finger_joint" axis="1 0 0"/>
      <geom size="0.1"/>
      <site name="robot0:grip"/>
    </body>
    <body pos="0 0 1">
      <joint name="object0:joint" type="{joint}"/>
      <geom size="0.1"/>
      <site name="object0"/>
    </body>
  </worldbody>
  <equality><weld body1="robot0:mocap" body2="robot0:gripper_link"/></equality>
  <actuator>{actuators}</actuator>
</mujoco>
"""
MOTORS = '<motor site="robot0:grip"/>' * 2


@pytest.mark.parametrize(
    ("joint", "actuators", "message"),
    [("free", "", None), ("hinge", "", "is no free joint"), ("free", MOTORS, "moves no joint")],
)
def test_other_models(joint, actuators, message, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(SMALL_ROBOT.format(joint=joint, actuators=actuators))
    with pytest.raises((ValueError, RuntimeError), match=message) if message else nullcontext():
        pool = begun(envpool.make_gymnasium("FetchPush-v4", num_envs=1, xml_file=str(path)))
        assert np.isfinite(pool.step(np.ones((1, 4), np.float32))[0]["observation"]).all()


def test_a_mocap_body_of_another_name(tmp_path):
    text = SMALL_ROBOT.format(joint="free", actuators="")
    named = text.replace('"robot0:mocap"', '"hook"')
    path = tmp_path / "robot.xml"
    path.write_text(named.replace("<worldbody>", '<worldbody><body name="robot0:mocap"/>'))
    with pytest.raises(ValueError, match="the body 'robot0:mocap' is no mocap body"):
        envpool.make_gymnasium("FetchPush-v4", num_envs=1, xml_file=str(path)).reset()


def test_relative_control_needs_the_actuators_names(tmp_path):
    path = tmp_path / "hand.xml"
    body = '<body><joint name="hinge"/><geom size="0.1"/></body>'
    motors = '<motor joint="hinge"/>' * 20
    path.write_text(f"<mujoco><worldbody>{body}</worldbody><actuator>{motors}</actuator></mujoco>")
    with pytest.raises(ValueError, match="xml_file: an actuator has no name"):
        envpool.make_gymnasium("HandReach-v3", xml_file=str(path), relative_control=True)
