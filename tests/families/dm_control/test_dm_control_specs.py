"""EnvPool 1.2.5's specs of all tasks. Trainers are in tests/flavours/test_clients.py."""

from __future__ import annotations

import numpy as np
import pytest

import envpool
from envpool.families.dm_control.registration import SUITE, task_id
from helpers import needs_dm_control

pytestmark = needs_dm_control

# EnvPool's frame_skip, and its observations in their order; by how ids begin.
HAND = "arm_pos arm_vel touch hand_pos"
BODY = "head_height extremities torso_vertical com_velocity"
ENVPOOL = {
    "Acrobot": (1, "orientations velocity"),
    "BallInCup": (10, "position velocity"),
    "Cartpole": (1, "position velocity"),
    "CartpoleTwoPoles": (1, "position velocity"),
    "CartpoleThreePoles": (1, "position velocity"),
    "Cheetah": (1, "position velocity"),
    "Dog": (
        3,
        "joint_angles joint_velocites torso_pelvis_height z_projection torso_com_velocity "
        "inertial_sensors foot_forces touch_sensors actuator_state ball_state target_position",
    ),
    "Finger": (2, "position velocity touch target_position dist_to_target"),
    "Fish": (10, "joint_angles upright velocity target"),
    "Hopper": (4, "position velocity touch"),
    "Humanoid": (5, f"joint_angles {BODY} position velocity"),
    "HumanoidCMU": (10, f"joint_angles {BODY} velocity"),
    "LqrLqr21": (1, "position velocity"),
    "LqrLqr62": (1, "position velocity"),
    "Manipulator": (10, f"{HAND} object_pos object_vel target_pos"),
    "Pendulum": (1, "orientation velocity"),
    "PointMass": (1, "position velocity"),
    "Quadruped": (
        4,
        "egocentric_state torso_velocity torso_upright imu "
        "force_torque origin rangefinder ball_state target_position",
    ),
    "Reacher": (1, "position to_target velocity"),
    "StackerStack2": (10, f"{HAND} box_pos box_vel target_pos"),
    "StackerStack4": (10, f"{HAND} box_pos box_vel target_pos"),
    "SwimmerSwimmer6": (15, "joints to_target body_velocities"),
    "SwimmerSwimmer15": (15, "joints to_target body_velocities"),
    "Walker": (10, "orientations height velocity"),
}
IDS = [task_id(domain, task) for domain, tasks in SUITE.items() for task in tasks]


def begun(name: str) -> str:
    """The row of a task."""
    return max((each for each in ENVPOOL if name.startswith(each)), key=len)


def shapes_of(row: str) -> dict[str, tuple[int, ...]]:
    """Those of dm_control's own keys of all tasks, which test_originals.py compares."""
    return {
        key: space.shape
        for name in IDS
        if begun(name) == row
        for key, space in envpool.make_spec(
            name, observation_keys="dm_control"
        ).observation_space.items()
    }


@pytest.mark.parametrize("name", IDS)
def test_specs_are_envpools(name):
    """But for limits of observations and rewards, which there are the smallest positive number."""
    frame_skip, names = ENVPOOL[begun(name)]
    keys, shapes = names.split(), shapes_of(begun(name))
    spec = envpool.make_spec(name)
    config = spec.config
    assert (config.frame_skip, config.frame_stack, config.max_episode_steps) == (
        frame_skip,
        1,
        1000,
    )
    assert spec.reward_threshold is None
    assert shapes.keys() == set(keys)
    found = [(key, space.shape) for key, space in spec.observation_space.items()]
    assert found == [(key, shapes[key]) for key in keys]
    assert {space.dtype for space in spec.observation_space.values()} == {np.dtype(np.float64)}
    assert spec.action_space == spec.gymnasium_action_space
    arrays = [key for key in spec.state_array_spec if key.startswith("obs")]
    assert arrays == [f"obs:{key}" for key in keys]
    shape = spec.action_space.shape
    assert tuple(spec.action_array_spec["action"].shape) == (-1, *shape)
    pytest.importorskip("dm_env")
    assert spec.observation_spec()._fields == ("env_id", "players", *keys)
    assert (spec.action_spec().shape, spec.action_spec().dtype) == (shape, np.float64)
