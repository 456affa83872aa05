"""EnvPool 1.2.5's specs of all tasks. Trainers are in tests/flavours/test_clients.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.families.dm_control.registration import SUITE, task_id
from helpers import NO_DM_CONTROL

pytestmark = pytest.mark.skipif(bool(NO_DM_CONTROL), reason=NO_DM_CONTROL)

# EnvPool's frame_skip, number of actions, and observations in its order; by how ids begin.
HAND = {"arm_pos": (8, 2), "arm_vel": (8,), "touch": (5,), "hand_pos": (4,)}
BODY = {"head_height": (), "extremities": (12,), "torso_vertical": (3,), "com_velocity": (3,)}
ENVPOOL: dict[str, tuple[int, int, dict[str, tuple[int, ...]]]] = {
    "Acrobot": (1, 1, {"orientations": (4,), "velocity": (2,)}),
    "BallInCup": (10, 2, {"position": (4,), "velocity": (4,)}),
    "Cartpole": (1, 1, {"position": (3,), "velocity": (2,)}),
    "CartpoleTwoPoles": (1, 1, {"position": (5,), "velocity": (3,)}),
    "CartpoleThreePoles": (1, 1, {"position": (7,), "velocity": (4,)}),
    "Cheetah": (1, 6, {"position": (8,), "velocity": (9,)}),
    "Dog": (
        3,
        38,
        {
            "joint_angles": (73,),
            "joint_velocites": (73,),
            "torso_pelvis_height": (2,),
            "z_projection": (9,),
            "torso_com_velocity": (3,),
            "inertial_sensors": (9,),
            "foot_forces": (12,),
            "touch_sensors": (4,),
            "actuator_state": (38,),
            "ball_state": (6,),
            "target_position": (3,),
        },
    ),
    "Finger": (
        2,
        2,
        {
            "position": (4,),
            "velocity": (3,),
            "touch": (2,),
            "target_position": (2,),
            "dist_to_target": (),
        },
    ),
    "Fish": (10, 5, {"joint_angles": (7,), "upright": (), "velocity": (13,), "target": (3,)}),
    "Hopper": (4, 4, {"position": (6,), "velocity": (7,), "touch": (2,)}),
    "Humanoid": (
        5,
        21,
        {"joint_angles": (21,)} | BODY | {"position": (28,), "velocity": (27,)},
    ),
    "HumanoidCMU": (10, 56, {"joint_angles": (56,)} | BODY | {"velocity": (62,)}),
    "LqrLqr21": (1, 1, {"position": (2,), "velocity": (2,)}),
    "LqrLqr62": (1, 2, {"position": (6,), "velocity": (6,)}),
    "Manipulator": (10, 5, HAND | {"object_pos": (4,), "object_vel": (3,), "target_pos": (4,)}),
    "Pendulum": (1, 1, {"orientation": (2,), "velocity": (1,)}),
    "PointMass": (1, 2, {"position": (2,), "velocity": (2,)}),
    "Quadruped": (
        4,
        12,
        {
            "egocentric_state": (44,),
            "torso_velocity": (3,),
            "torso_upright": (),
            "imu": (6,),
            "force_torque": (24,),
            "origin": (3,),
            "rangefinder": (20,),
            "ball_state": (9,),
            "target_position": (3,),
        },
    ),
    "Reacher": (1, 2, {"position": (2,), "to_target": (2,), "velocity": (2,)}),
    "StackerStack2": (10, 5, HAND | {"box_pos": (2, 4), "box_vel": (6,), "target_pos": (2,)}),
    "StackerStack4": (10, 5, HAND | {"box_pos": (4, 4), "box_vel": (12,), "target_pos": (2,)}),
    "SwimmerSwimmer6": (15, 5, {"joints": (5,), "to_target": (2,), "body_velocities": (18,)}),
    "SwimmerSwimmer15": (15, 14, {"joints": (14,), "to_target": (2,), "body_velocities": (45,)}),
    "Walker": (10, 6, {"orientations": (14,), "height": (), "velocity": (9,)}),
}
LEG = ([-1.0, -1.0, -0.8], [1.0, 1.1, 0.8])
IDS = [task_id(domain, task) for domain, tasks in SUITE.items() for task in tasks]


def limits_of(name: str, actions: int) -> Any:
    """EnvPool's limits of actions."""
    if name.startswith("Quadruped"):
        return [np.tile(leg, 4) for leg in LEG]
    limit = 1e10 if name.startswith("Lqr") else 1.0
    return [np.full(actions, -limit), np.full(actions, limit)]


@pytest.mark.parametrize("name", IDS)
def test_specs_are_envpools(name):
    """But for limits of observations and rewards, which there are the smallest positive number."""
    begun = [each for each in ENVPOOL if name.startswith(each)]
    frame_skip, actions, keys = ENVPOOL[max(begun, key=len)]
    spec = envpool.make_spec(name)
    config = spec.config
    assert (config.frame_skip, config.frame_stack, config.max_episode_steps) == (
        frame_skip,
        1,
        1000,
    )
    assert spec.reward_threshold is None
    assert [(key, space.shape) for key, space in spec.observation_space.items()] == [*keys.items()]
    assert {space.dtype for space in spec.observation_space.values()} == {np.dtype(np.float64)}
    assert spec.action_space.dtype == np.float64
    for limit, expected in zip(("low", "high"), limits_of(name, actions), strict=True):
        assert np.array_equal(getattr(spec.action_space, limit), expected)
    arrays = [key for key in spec.state_array_spec if key.startswith("obs")]
    assert arrays == [f"obs:{key}" for key in keys]
    assert tuple(spec.action_array_spec["action"].shape) == (-1, actions)
    pytest.importorskip("dm_env")
    assert spec.observation_spec()._fields == ("env_id", "players", *keys)
    assert spec.action_spec().shape == (actions,)
    assert spec.action_spec().dtype == np.float64
