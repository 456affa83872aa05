"""Options of MuJoCo's tasks do what the arguments of Gymnasium's classes do."""

import functools
import inspect
import math
import re

import gymnasium
import numpy as np
import pytest

import envpool
import mujoco_oracle
from helpers import Pair, assert_same_bytes
from mujoco_oracle import (
    DISABLED,
    NEXT_STEP,
    SAME_STEP,
    TASKS,
    UPSTREAM,
    MujocoPair,
    beyond,
    digest,
    double,
    infos_of,
    make_ours,
    modified,
    name_of,
)

pytestmark = mujoco_oracle.MARKS

INF = math.inf


# --- Gymnasium's names --------------------------------------------------------------------------

# Each option of each class, with other values than the default, for one or two versions of a task.
# Tuples are ranges.
OPTIONS = [
    ("Ant-v5", {"forward_reward_weight": 2.5}),
    ("Ant-v5", {"ctrl_cost_weight": 0.1, "contact_cost_weight": 3e-3}),
    ("Ant-v5", {"healthy_reward": 0.3, "healthy_z_range": (0.45, 0.8)}),
    ("Ant-v5/4", {"terminate_when_unhealthy": False, "healthy_z_range": (0.45, 0.8)}),
    ("Ant-v5", {"healthy_z_range": (-INF, INF), "healthy_reward": -1.0}),
    ("Ant-v5", {"contact_force_range": (-0.2, 0.05)}),
    ("Ant-v5", {"contact_force_range": (-INF, 0.4)}),
    ("Ant-v5", {"contact_force_range": (0.1, INF), "contact_cost_weight": 1.0}),
    ("Ant-v5", {"main_body": 3}),
    ("Ant-v5", {"main_body": "aux_4"}),
    ("Ant-v5", {"main_body": "torso", "frame_skip": 1}),
    ("Ant-v5", {"main_body": 0}),
    ("Ant-v5", {"reset_noise_scale": 0.0}),
    ("Ant-v5", {"reset_noise_scale": 0.3, "frame_skip": 2}),
    ("Ant-v5/4", {"exclude_current_positions_from_observation": False}),
    ("Ant-v5", {"include_cfrc_ext_in_observation": False}),
    ("Ant-v4", {"ctrl_cost_weight": 0.1, "healthy_reward": 0.3}),
    ("Ant-v4", {"use_contact_forces": True}),
    ("Ant-v4", {"use_contact_forces": True, "contact_cost_weight": 0.02}),
    ("Ant-v4", {"use_contact_forces": True, "contact_force_range": (-0.3, 0.1)}),
    ("Ant-v4", {"healthy_z_range": (0.45, 0.8)}),
    ("Ant-v4", {"reset_noise_scale": 0.2}),
    ("HalfCheetah-v5/4", {"forward_reward_weight": 0.7, "ctrl_cost_weight": 1.3}),
    ("HalfCheetah-v5", {"reset_noise_scale": 0.5, "frame_skip": 3}),
    ("HalfCheetah-v5/4", {"exclude_current_positions_from_observation": False}),
    ("HalfCheetah-v4", {"reset_noise_scale": 0.5}),
    ("Hopper-v5/4", {"forward_reward_weight": 0.7, "ctrl_cost_weight": 1.3, "healthy_reward": 0.4}),
    ("Hopper-v5/4", {"healthy_state_range": (-2.0, 1.5)}),
    ("Hopper-v5", {"healthy_state_range": (-INF, INF), "healthy_angle_range": (-INF, 0.02)}),
    ("Hopper-v5", {"healthy_z_range": (1.22, INF)}),
    ("Hopper-v5/4", {"healthy_z_range": (0.7, 1.25)}),
    ("Hopper-v5/4", {"healthy_angle_range": (-0.01, 0.05)}),
    ("Hopper-v5/4", {"healthy_z_range": (1.2, 1.3), "terminate_when_unhealthy": False}),
    ("Hopper-v5", {"reset_noise_scale": 0.1, "frame_skip": 7}),
    ("Hopper-v5/4", {"exclude_current_positions_from_observation": False}),
    ("Hopper-v4", {"reset_noise_scale": 0.1}),
    ("Humanoid-v5/4", {"forward_reward_weight": 3.0, "ctrl_cost_weight": 0.9}),
    ("Humanoid-v5", {"contact_cost_weight": 1e-4}),
    ("Humanoid-v5", {"contact_cost_range": (0.02, 0.05)}),
    ("Humanoid-v5", {"contact_cost_range": (-INF, INF), "contact_cost_weight": 1e-3}),
    ("Humanoid-v5/4", {"healthy_reward": 1.5, "healthy_z_range": (1.3, 1.42)}),
    ("Humanoid-v5/4", {"terminate_when_unhealthy": False, "healthy_z_range": (1.3, INF)}),
    ("Humanoid-v5", {"reset_noise_scale": 0.1, "frame_skip": 2}),
    ("Humanoid-v5/4", {"exclude_current_positions_from_observation": False}),
    ("Humanoid-v5", {"include_cinert_in_observation": False}),
    ("Humanoid-v5", {"include_cvel_in_observation": False}),
    ("Humanoid-v5", {"include_qfrc_actuator_in_observation": False}),
    ("Humanoid-v5", {"include_cfrc_ext_in_observation": False}),
    (
        "Humanoid-v5",
        {
            "include_cinert_in_observation": False,
            "include_cvel_in_observation": False,
            "include_qfrc_actuator_in_observation": False,
            "include_cfrc_ext_in_observation": False,
            "exclude_current_positions_from_observation": False,
        },
    ),
    ("Humanoid-v4", {"reset_noise_scale": 0.1}),
    ("Humanoid-v3", {"contact_cost_weight": 1e-4, "contact_cost_range": (0.3, 2.0)}),
    ("HumanoidStandup-v5", {"uph_cost_weight": 3.0, "ctrl_cost_weight": 0.9}),
    ("HumanoidStandup-v5", {"impact_cost_weight": 2e-5}),
    ("HumanoidStandup-v5", {"impact_cost_range": (0.02, 0.05)}),
    ("HumanoidStandup-v5", {"impact_cost_range": (-INF, INF), "impact_cost_weight": 1e-3}),
    ("HumanoidStandup-v5", {"reset_noise_scale": 0.1, "frame_skip": 2}),
    ("HumanoidStandup-v5", {"exclude_current_positions_from_observation": False}),
    ("HumanoidStandup-v5", {"include_cinert_in_observation": False}),
    ("HumanoidStandup-v5", {"include_cvel_in_observation": False}),
    ("HumanoidStandup-v5", {"include_qfrc_actuator_in_observation": False}),
    ("HumanoidStandup-v5", {"include_cfrc_ext_in_observation": False}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.0, "reset_noise_scale": 0.3}),
    ("InvertedDoublePendulum-v5", {"frame_skip": 2}),
    ("InvertedPendulum-v5", {"reset_noise_scale": 0.15, "frame_skip": 1}),
    ("InvertedPendulum-v5", {"reset_noise_scale": 0.0}),
    ("Pusher-v5", {"reward_near_weight": 2.0, "reward_dist_weight": 0.3, "frame_skip": 2}),
    ("Pusher-v5", {"reward_control_weight": 0.7}),
    ("Reacher-v5", {"reward_dist_weight": 3.0, "reward_control_weight": 0.1, "frame_skip": 5}),
    ("Swimmer-v5/4", {"forward_reward_weight": 0.7, "ctrl_cost_weight": 0.3}),
    ("Swimmer-v5", {"reset_noise_scale": 0.5, "frame_skip": 2}),
    ("Swimmer-v5/4", {"exclude_current_positions_from_observation": False}),
    ("Swimmer-v4", {"reset_noise_scale": 0.5}),
    ("Walker2d-v5", {"forward_reward_weight": 0.7, "ctrl_cost_weight": 1.3, "frame_skip": 2}),
    ("Walker2d-v5", {"healthy_reward": 0.4, "healthy_z_range": (1.0, 1.26)}),
    ("Walker2d-v5", {"healthy_z_range": (-INF, INF), "healthy_angle_range": (-0.05, INF)}),
    ("Walker2d-v5/4", {"healthy_z_range": (1.2, 1.26), "terminate_when_unhealthy": False}),
    ("Walker2d-v5/4", {"reset_noise_scale": 0.1}),
    ("Walker2d-v5/4", {"exclude_current_positions_from_observation": False}),
    ("Walker2d-v4", {"forward_reward_weight": 0.7, "ctrl_cost_weight": 1.3, "healthy_reward": 0.4}),
    ("Walker2d-v4", {"healthy_z_range": (1.0, 1.26)}),
    ("Walker2d-v4", {"healthy_angle_range": (-0.05, 0.3)}),
]
OPTIONS = [
    (f"{name}{version}", options)
    for (task_ids, options) in OPTIONS
    for name, versions in [re.fullmatch(r"(.*-v)([\d/]+)", task_ids).groups()]
    for version in versions.split("/")
]


def entry_class(task_id):
    return gymnasium.envs.registration.load_env_creator(gymnasium.spec(task_id).entry_point)


@pytest.mark.parametrize("task_id", UPSTREAM)
def test_every_option_is_tried(task_id):
    parameters = set(inspect.signature(entry_class(task_id)).parameters)
    # Models have tests of their own, and cameras are for rendering.
    expected = parameters - {"kwargs", "xml_file", "default_camera_config"}
    assert {name for each, row in OPTIONS for name in row if each == task_id} == expected


@functools.cache
def default_digest(task_id):
    return list(digest(make_ours(task_id)))


@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
@pytest.mark.one_in(16)
def test_options(task_id, options):
    pair = MujocoPair(task_id, SAME_STEP, 25, seed=11, **options)
    pair.assert_same_spaces()
    pair.play(40)
    pair.assert_same_generators()
    assert list(digest(make_ours(task_id, **options))) != default_digest(task_id)


def test_an_option_without_effect():
    """Gymnasium documents uph_cost_weight, but its environment doesn't use it."""
    ours = digest(make_ours("HumanoidStandup-v5", uph_cost_weight=3.0))
    assert list(ours) == default_digest("HumanoidStandup-v5")


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Ant-v5", {"forward_reward_weight": [1.0, 0.0, -2.0], "frame_skip": [5, 2, 1]}),
        ("Ant-v5", {"main_body": [1, 4, 13], "terminate_when_unhealthy": [True, False, True]}),
        ("Ant-v4", {"reset_noise_scale": [0.0, 0.1, 0.3], "healthy_z_range": (0.45, 0.8)}),
        ("HalfCheetah-v4", {"ctrl_cost_weight": [0.1, 1.0, 0.0]}),
        ("Hopper-v5", {"terminate_when_unhealthy": [True, False, False], "healthy_reward": 2.0}),
        ("Humanoid-v5", {"contact_cost_weight": [5e-7, 1e-3, 0.0], "frame_skip": [1, 2, 3]}),
        ("HumanoidStandup-v5", {"impact_cost_weight": [0.0, 1e-5, 1.0]}),
        ("InvertedDoublePendulum-v5", {"healthy_reward": [10.0, 1.0, 0.0]}),
        ("InvertedPendulum-v5", {"frame_skip": [2, 1, 4], "reset_noise_scale": [0.0, 0.1, 0.01]}),
        ("Pusher-v5", {"reward_control_weight": [0.0, 0.1, 1.0], "frame_skip": [1, 5, 3]}),
        ("Reacher-v5", {"reward_dist_weight": [0.0, 0.1, 1.0]}),
        ("Swimmer-v5", {"reset_noise_scale": [0.0, 0.1, 1.0]}),
        ("Walker2d-v5", {"healthy_reward": [0.0, 1.0, 2.0]}),
        ("Walker2d-v5", {"xml_file": ["walker2d.xml", "walker2d_v5.xml", "walker2d.xml"]}),
    ],
    ids=str,
)
@pytest.mark.one_in(3)
def test_options_per_environment(task_id, options):
    """Environment i is Gymnasium's with the values at i."""
    pair = MujocoPair(task_id, NEXT_STEP, 25, seed=11, **options)
    pair.play(40, double)


# --- models -------------------------------------------------------------------------------------

# Another body behind a hinge, at the end of a limb.
HAND = (
    '<body name="more" pos="0 0 -.1"><joint axis="0 1 0" range="-.5 .5" type="hinge"/>'
    '<geom size=".03" type="sphere"/></body>'
)

# A task, its model, and what is replaced there. Observations, infos and actions change shape.
MODELS = {
    "a joint more": (
        "HalfCheetah-v5",
        "half_cheetah.xml",
        ('size="0.046 .07" type="capsule"/>', f'size="0.046 .07" type="capsule"/>{HAND}'),
    ),
    "a leg without its ankle": (
        "Ant-v5",
        "ant.xml",
        ('<joint axis="1 1 0" name="ankle_4" pos="0.0 0.0 0.0" range="30 70" type="hinge"/>', ""),
        ('<motor ctrllimited="true" ctrlrange="-1.0 1.0" joint="ankle_4" gear="150"/>', ""),
    ),
    "uneven ranges of control": (
        "Hopper-v5",
        "hopper.xml",
        ('ctrlrange="-1.0 1.0" gear="200.0" joint="leg', 'ctrlrange="-.3 2" gear="200" joint="leg'),
    ),
    "an actuator without a range": (
        "Swimmer-v5",
        "swimmer.xml",
        (
            '<motor ctrllimited="true" ctrlrange="-1 1" gear="150.0" joint="motor1_rot"/>',
            '<motor gear="150.0" joint="motor1_rot"/>',
        ),
    ),
    "actuators with a state": (
        "HalfCheetah-v5",
        "half_cheetah.xml",
        (
            '<motor gear="120" joint="fthigh" name="fthigh"/>',
            '<general gear="120" joint="fthigh" dyntype="filter" dynprm="0.05"/>',
        ),
    ),
    "no tendons": ("Humanoid-v5", "humanoid.xml", ("<tendon>", "<!--"), ("</tendon>", "-->")),
    "three tendons": (
        "HumanoidStandup-v5",
        "humanoidstandup.xml",
        ("<tendon>", '<tendon><fixed name="elbow"><joint coef="2" joint="left_elbow"/></fixed>'),
    ),
    "another humanoid": (
        "Humanoid-v5",
        "humanoid.xml",
        ('size="0.04" type="sphere"/>\n                    <camera', f'size=".04"/>{HAND}<camera'),
    ),
    "another walker": (
        "Walker2d-v5",
        "walker2d_v5.xml",
        ('name="torso_geom" size', 'name="torso_geom" density="800" size'),
        ('timestep="0.002"', 'timestep="0.003"'),
    ),
    "a longer swimmer": (
        "Swimmer-v5",
        "swimmer.xml",
        (
            'name="motor2_rot" pos="0 0 0" range="-100 100" type="hinge"/>',
            'name="motor2_rot" pos="0 0 0" range="-100 100" type="hinge"/>'
            '<body pos="-1 0 0"><joint axis="0 0 1" type="hinge"/>'
            '<geom fromto="0 0 0 -1 0 0" size=".1" type="capsule"/></body>',
        ),
    ),
    "a heavier pole": (
        "InvertedPendulum-v5",
        "inverted_pendulum.xml",
        ('size="0.049 0.3"', 'size="0.07 0.3"'),
        ('gravity="0 0 -9.81"', 'gravity="0 0 -3.7" wind="1 0 0" density="30"'),
    ),
    "a site elsewhere": (
        "InvertedDoublePendulum-v5",
        "inverted_double_pendulum.xml",
        ('name="tip" pos="0 0 .6"', 'name="tip" pos="0.1 0 .7"'),
    ),
    "an arm with a thumb": (
        "Pusher-v5",
        "pusher_v5.xml",
        (
            '<geom name="tip_armr" type="sphere" pos="0.1 0.1 0." size="0.01" />',
            f'<geom name="tip_armr" type="sphere" pos="0.1 0.1 0." size="0.01" />{HAND}',
        ),
    ),
    "longer links": (
        "Reacher-v5",
        "reacher.xml",
        ('<body name="body1" pos="0.1 0 0">', '<body name="body1" pos="0.15 0 0">'),
        ('integrator="RK4"', 'integrator="implicitfast"'),
    ),
    "a model for version 4": (
        "Ant-v4",
        "ant.xml",
        ('timestep="0.01"', 'timestep="0.01" cone="elliptic" jacobian="sparse"'),
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.one_in(3)
def test_models(name, tmp_path):
    task_id, source, *changes = MODELS[name]
    path = modified(tmp_path / "model.xml", source, *changes)
    pair = MujocoPair(task_id, NEXT_STEP, 25, xml_file=path, seed=11)
    pair.assert_same_spaces()
    pair.play(40)
    # Its snapshots have all of its state.
    other = make_ours(task_id, limit=25, xml_file=path)
    other.set_state(pair.ours.get_state())
    pair.ours = other
    pair.play(10, beyond)


def test_models_per_environment(tmp_path):
    """Environments of one pool can have different physics as long as their spaces are equal."""
    light, heavy = (
        modified(tmp_path / f"{density}.xml", "ant.xml", ('density="5.0"', f'density="{density}"'))
        for density in (2.0, 9.0)
    )
    pair = MujocoPair("Ant-v5", xml_file=[light, "ant.xml", heavy])
    pair.play(30)


def test_models_of_different_shapes_are_refused_in_one_pool(tmp_path):
    _, source, *changes = MODELS["a joint more"]
    other = modified(tmp_path / "other.xml", source, *changes)
    with pytest.raises(ValueError, match=r"xml_file|spaces"):
        make_ours("HalfCheetah-v5", num_envs=2, xml_file=["half_cheetah.xml", other])


@pytest.mark.parametrize("where", ["./model.xml", "../model.xml", "~/model.xml", "absolute"])
def test_places_of_models(where, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder" if where.startswith("..") else tmp_path)
    path = modified(tmp_path / "model.xml", "swimmer.xml", ('timestep="0.01"', 'timestep="0.02"'))
    pair = MujocoPair("Swimmer-v5", xml_file=path if where == "absolute" else where)
    pair.play(5)
    # It was read when the environments were made, and is not read again.
    (tmp_path / "model.xml").unlink()
    pair.reset(seed=2)
    pair.play(5)


def test_models_that_include_others(tmp_path):
    """Files that a model names are looked up in its own folder."""
    start, end = "  <actuator>", "</actuator>"
    text = (mujoco_oracle.ASSETS / "ant.xml").read_text()
    actuators = text[text.index(start) : text.index(end) + len(end)]
    (tmp_path / "motors.xml").write_text(f"<mujoco>{actuators.replace('150', '80')}</mujoco>")
    path = tmp_path / "model.xml"
    path.write_text(text.replace(actuators, '<include file="motors.xml"/>'))
    pair = MujocoPair("Ant-v5", xml_file=str(path))
    pair.play(10)


@pytest.mark.parametrize(
    ("task_id", "model"),
    [("Walker2d-v5", "walker2d.xml"), ("Pusher-v5", "pusher.xml"), ("Ant-v5", "ant.xml")],
)
def test_names_of_gymnasiums_models(task_id, model):
    pair = MujocoPair(task_id, xml_file=model)
    pair.play(10)


# --- EnvPool's names ----------------------------------------------------------------------------

# EnvPool's options, and what they are called in Gymnasium.
ENVPOOLS = [
    ("Ant-v5", {"healthy_z_min": 0.7}, {"healthy_z_range": (0.7, 1.0)}),
    ("Ant-v5", {"healthy_z_max": 0.8}, {"healthy_z_range": (0.2, 0.8)}),
    (
        "Ant-v5",
        {"contact_force_min": -0.2, "contact_force_max": 0.05},
        {"contact_force_range": (-0.2, 0.05)},
    ),
    ("Ant-v4", {"use_contact_force": True}, {"use_contact_forces": True}),
    ("Ant-v3", {"use_contact_force": False}, {"use_contact_forces": False}),
    (
        "Hopper-v5",
        {"healthy_state_min": -2.0, "healthy_state_max": 1.5},
        {"healthy_state_range": (-2.0, 1.5)},
    ),
    (
        "Hopper-v4",
        {"healthy_angle_min": -0.01, "healthy_angle_max": 0.05},
        {"healthy_angle_range": (-0.01, 0.05)},
    ),
    ("Hopper-v5", {"healthy_z_min": 1.2}, {"healthy_z_range": (1.2, INF)}),
    (
        "Humanoid-v5",
        {"healthy_z_min": 1.3, "healthy_z_max": 1.42},
        {"healthy_z_range": (1.3, 1.42)},
    ),
    ("Humanoid-v5", {"contact_cost_max": 0.05}, {"contact_cost_range": (-INF, 0.05)}),
    ("HumanoidStandup-v5", {"contact_cost_max": 0.05}, {"impact_cost_range": (-INF, 0.05)}),
    ("HumanoidStandup-v5", {"contact_cost_weight": 1e-5}, {"impact_cost_weight": 1e-5}),
    (
        "Pusher-v5",
        {"ctrl_cost_weight": 0.7, "dist_cost_weight": 0.3, "near_cost_weight": 2.0},
        {"reward_control_weight": 0.7, "reward_dist_weight": 0.3, "reward_near_weight": 2.0},
    ),
    (
        "Reacher-v5",
        {"ctrl_cost_weight": 0.7, "dist_cost_weight": 0.3},
        {"reward_control_weight": 0.7, "reward_dist_weight": 0.3},
    ),
    ("Walker2d-v5", {"healthy_z_min": 1.2}, {"healthy_z_range": (1.2, 2.0)}),
    ("Walker2d-v4", {"healthy_angle_max": 0.0}, {"healthy_angle_range": (-1.0, 0.0)}),
]


@pytest.mark.parametrize(("task_id", "options", "upstreams"), ENVPOOLS, ids=str)
@pytest.mark.one_in(8)
def test_envpools_names(task_id, options, upstreams):
    pair = MujocoPair(task_id, SAME_STEP, 25, **upstreams)
    by_gymnasiums_names = list(digest(pair.ours))
    pair.ours = make_ours(task_id, SAME_STEP, 25, **options)
    assert list(digest(pair.ours)) == by_gymnasiums_names
    pair.reset(seed=11)
    pair.play(40)
    assert by_gymnasiums_names != list(digest(make_ours(task_id, SAME_STEP, 25)))


@pytest.mark.parametrize(
    ("task_id", "low", "high"),
    [("Ant-v5", [0.2, 0.4, 0.6], 1.0), ("Hopper-v5", [0.7, 1, 1.2], INF)],
)
def test_ends_of_ranges_per_environment(task_id, low, high):
    """Ranges are sequences already, but their ends can differ by environment."""
    ours = make_ours(task_id, limit=25, healthy_z_min=low)
    ranges = [(value, high) for value in low]
    theirs = mujoco_oracle.make_theirs(task_id, limit=25, healthy_z_range=ranges)
    pair = Pair(ours, theirs)
    pair.call("reset", seed=1)
    assert pair.play(60) >= 3


# EnvPool's defaults of options that Gymnasium has not, or under another name.
DEFAULTS = {
    "Ant": "healthy_z_min=0.2 healthy_z_max=1 contact_force_min=-1 contact_force_max=1",
    "HalfCheetah": "",
    "Hopper": "velocity_min=-10 velocity_max=10 healthy_state_min=-100 healthy_state_max=100 "
    "healthy_angle_min=-0.2 healthy_angle_max=0.2 healthy_z_min=0.7 healthy_z_max=inf",
    "Humanoid": "healthy_z_min=1 healthy_z_max=2 contact_cost_max=10",
    "HumanoidStandup": "forward_reward_weight=1 contact_cost_weight=5e-07 contact_cost_max=10 "
    "healthy_reward=1",
    "InvertedDoublePendulum": "healthy_z_max=1 observation_min=-10 observation_max=10",
    "InvertedPendulum": "healthy_reward=1 healthy_z_min=-0.2 healthy_z_max=0.2",
    "Pusher": "ctrl_cost_weight=0.1 dist_cost_weight=1 near_cost_weight=0.5 "
    "reset_qvel_scale=0.005 cylinder_x_min=-0.3 cylinder_x_max=0 cylinder_y_min=-0.2 "
    "cylinder_y_max=0.2 cylinder_dist_min=0.17",
    "Reacher": "ctrl_cost_weight=1 dist_cost_weight=1 reset_qpos_scale=0.1 "
    "reset_qvel_scale=0.005 reset_goal_scale=0.2",
    "Swimmer": "",
    "Walker2d": "healthy_z_min=0.8 healthy_z_max=2 healthy_angle_min=-1 healthy_angle_max=1 "
    "velocity_min=-10 velocity_max=10",
}


def own_defaults(name):
    return {option: float(value) for option, value in re.findall(r"(\S+)=(\S+)", DEFAULTS[name])}


@pytest.mark.parametrize("task_id", [name for name in UPSTREAM if DEFAULTS[name_of(name)]])
@pytest.mark.one_in(2)
def test_envpools_names_are_in_configs(task_id):
    names = list(own_defaults(name_of(task_id)))
    spec = envpool.make_spec(task_id)
    config = dict(zip(spec._config_keys, spec._config_values, strict=True))
    assert config == spec.config._asdict()
    assert set(spec.known.describe()) == set(config)
    again = envpool.make_spec(task_id, **config)
    assert again == spec
    if name_of(task_id) in ("Ant", "Humanoid"):
        names.append("use_contact_force")
        assert config["use_contact_force"] == (task_id[-1] == "5")
    for name in names:
        value = config[name]
        changed = not value if isinstance(value, bool) else value / 2 if value < INF else 100.0
        spec = envpool.make_spec(task_id, **(config | {name: changed}))
        assert getattr(spec.config, name) == changed
        assert spec == envpool.make_spec(task_id, **{name: changed})
        assert spec == type(spec)(again.config._replace(**{name: changed}))
        assert spec == envpool.make_spec(task_id, **spec.config._asdict())


def test_envpools_names_follow_gymnasiums():
    config = envpool.make_spec("Hopper-v5").config._asdict()
    spec = envpool.make_spec("Hopper-v5", **(config | {"healthy_z_range": (0.5, 2.0)}))
    assert (spec.config.healthy_z_min, spec.config.healthy_z_max) == (0.5, 2.0)
    spec = envpool.make_spec("Ant-v5", num_envs=2, healthy_z_min=[0.1, 0.3])
    assert (spec.config.healthy_z_min, spec.config.healthy_z_max) == ([0.1, 0.3], [1.0, 1.0])
    assert spec == envpool.make_spec("Ant-v5", **spec.config._asdict())
    assert spec.known.defaults["healthy_z_min"] == 0.2


# What makes version 5 of version 4, as EnvPool has registered them.
MAKES_V5 = {
    "Ant-v4": {
        "use_contact_force": True,
        "legacy_healthy_reward": False,
        "exclude_worldbody_contact_forces": True,
    },
    "HalfCheetah-v4": {},
    "Hopper-v4": {"legacy_healthy_reward": False},
    "Humanoid-v4": {
        "use_contact_force": True,
        "legacy_healthy_reward": False,
        "exclude_worldbody_observations": True,
        "exclude_root_actuator_forces": True,
    },
    "HumanoidStandup-v4": {
        "exclude_worldbody_observations": True,
        "exclude_root_actuator_forces": True,
    },
    "InvertedDoublePendulum-v4": {"constraint_obs_dim": 1, "reward_if_not_terminated": True},
    "InvertedPendulum-v4": {"reward_if_not_terminated": True},
    "Pusher-v4": {
        "xml_file": "pusher_v5.xml",
        "reward_after_step": True,
        "weighted_reward_info": True,
    },
    "Reacher-v4": {"reward_after_step": True, "obs_include_z_distance": False},
    "Swimmer-v4": {},
    "Walker2d-v4": {"xml_file": "walker2d_v5.xml", "legacy_healthy_reward": False},
}


# Infos that mean something else in version 5, or have another name there.
_PLACE = dict.fromkeys(["x_position", "y_position", "distance_from_origin"])
OTHER_INFOS = {
    # The torso's place in version 4, which the engine computed before its last step.
    "Ant-v4": {"reward_ctrl": "reward_contact", **_PLACE},
    # That of all of the body.
    "Humanoid-v4": _PLACE,
}


@pytest.mark.parametrize("task_id", MAKES_V5)
@pytest.mark.one_in(3)
def test_version_5_is_version_4_with_options(task_id):
    options = {"num_envs": 3, "num_threads": 2, "max_episode_steps": 25, "seed": 3}
    newer = envpool.make(task_id.replace("v4", "v5"), "gymnasium", **options)
    older = envpool.make(task_id, "gymnasium", **options, **MAKES_V5[task_id])
    rng, space = np.random.default_rng(0), newer.action_space
    assert older.observation_space == newer.observation_space
    assert_same_bytes(older.reset()[0], newer.reset()[0])
    for _ in range(60):
        actions = rng.uniform(space.low, space.high, (3, *space.shape))
        ours, theirs = older.step(actions), newer.step(actions)
        for our, their in zip(ours[:4], theirs[:4], strict=True):
            assert_same_bytes(our, their)
        stepped = ours[4]["elapsed_step"] > 0
        for key in infos_of(task_id):
            if newer_key := OTHER_INFOS.get(task_id, {}).get(key, key):
                assert_same_bytes(ours[4][key][stepped], theirs[4][newer_key][stepped], key)


# Options of EnvPool that Gymnasium has as constants of its programs: what they change, by hand.


def rollout(task_id, steps=30, **options):
    """``[step, env]`` observations, rewards, terminated and infos, without auto-resets."""
    pool = envpool.make(
        task_id, "gymnasium", num_envs=3, seed=3, autoreset_mode=DISABLED, **options
    )
    rng, space = np.random.default_rng(0), pool.action_space
    results = [pool.reset()[:1]]
    for _ in range(steps):
        *results_of_step, _, info = pool.step(rng.uniform(space.low, space.high, (3, *space.shape)))
        results.append((*results_of_step, info))
        if results_of_step[2].any():
            break
    return results


@pytest.mark.parametrize(
    ("task_id", "name", "column"),
    [
        ("Hopper-v4", "velocity", -6),
        ("Hopper-v5", "velocity", -6),
        ("Walker2d-v4", "velocity", -9),
        ("Walker2d-v5", "velocity", -9),
        ("InvertedDoublePendulum-v5", "observation", 5),
    ],
)
def test_bounds_of_observations(task_id, name, column):
    """Everything from that column on is between them."""
    options = {"terminate_when_unhealthy": False} if name == "velocity" else {}
    wide, narrow = (
        rollout(task_id, **{f"{name}_min": low, f"{name}_max": high}, **options)
        for low, high in ((-INF, INF), (-0.5, 0.25))
    )
    clipped = 0
    for (obs, *rest), (unclipped, *expected_rest) in zip(narrow, wide, strict=True):
        clipped += (np.abs(unclipped[:, column:]) > 0.5).sum()
        bounded = np.clip(unclipped[:, column:], -0.5, 0.25)
        assert_same_bytes(obs, np.hstack([unclipped[:, :column], bounded]))
        for our, their in zip(rest[:2], expected_rest[:2], strict=True):
            assert_same_bytes(our, their)
    assert clipped > (50 if name == "velocity" else 0)
    assert len(wide) > 3


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("InvertedPendulum-v5", {"healthy_z_min": -0.05, "healthy_z_max": 0.03}),
        ("InvertedPendulum-v4", {"healthy_z_max": 0.03}),
        ("InvertedDoublePendulum-v5", {"healthy_z_max": 1.15}),
    ],
)
def test_narrower_pendulums_end_earlier(task_id, options):
    wide, narrow = rollout(task_id), rollout(task_id, **options)
    assert 1 < len(narrow) < len(wide)
    for (obs, *_), (expected, *_) in zip(narrow, wide, strict=False):
        assert_same_bytes(obs, expected)
    angles = narrow[-1][0][:, 1]
    if task_id.startswith("InvertedP"):
        low = options.get("healthy_z_min", -0.2)
        ended = (angles < low) | (angles > options["healthy_z_max"])
        np.testing.assert_array_equal(narrow[-1][2], ended)


@pytest.mark.parametrize("task_id", ["InvertedPendulum-v4", "InvertedPendulum-v5"])
def test_healthy_reward_of_the_pendulum(task_id):
    for result in rollout(task_id, healthy_reward=2.5)[1:]:
        _, reward, terminated, _ = result
        fallen = terminated & (task_id[-1] == "5")
        assert_same_bytes(reward, np.where(fallen, 0.0, 2.5).astype(np.float32))


def test_places_of_the_pushed_cylinder():
    """EnvPool's options for where it starts, which are constants in Gymnasium."""
    options = {"cylinder_x_min": -0.1, "cylinder_x_max": -0.05, "cylinder_dist_min": 0.12}
    pool = envpool.make("Pusher-v5", "gymnasium", num_envs=50, reset_qvel_scale=0.0, **options)
    obs, _ = pool.reset()
    place = obs[:, 17:20] - obs[:, 20:23]  # from the goal to the cylinder
    far = np.linalg.norm(place[:, :2], axis=1)
    assert far.min() > 0.12
    assert (np.abs(obs[:, 7:14]) == 0).all()
    # The model's first slide is along y, so what is called x is y.
    assert place[:, 1].min() >= -0.1 - 1e-9
    assert place[:, 1].max() <= -0.05 + 1e-9


def test_places_of_the_reached_target():
    options = {"reset_qpos_scale": 0.0, "reset_qvel_scale": 0.0, "reset_goal_scale": 0.05}
    pool = envpool.make("Reacher-v5", "gymnasium", num_envs=50, **options)
    obs, _ = pool.reset()
    np.testing.assert_array_equal(obs[:, :4], np.tile([1.0, 1.0, 0.0, 0.0], (50, 1)))
    np.testing.assert_array_equal(obs[:, 6:8], np.zeros((50, 2)))
    far = np.linalg.norm(obs[:, 4:6], axis=1)
    assert 0.02 < far.max() < 0.05


def defaults_of(name):
    """Those, and Gymnasium's of its newest version."""
    parameters = inspect.signature(entry_class(f"{name}-v5")).parameters.values()
    theirs = {
        each.name: each.default
        for each in parameters
        if isinstance(each.default, bool | int | float | str) and each.name != "main_body"
    }
    return theirs | own_defaults(name)


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(3)
def test_defaults_are_envpools(task_id):
    """Each can be said, and changes nothing."""
    expected = {"frame_stack": 1} | defaults_of(name_of(task_id))
    expected |= {
        name: (value if task_id[-1] == "5" else not value)
        for name, value in MAKES_V5[f"{name_of(task_id)}-v4"].items()
        if isinstance(value, bool) and not name.startswith("use_contact")
    }
    if task_id[-1] != "5" and "xml_file" in MAKES_V5[f"{name_of(task_id)}-v4"]:
        del expected["xml_file"]
    config = envpool.make_spec(task_id).config._asdict()
    # Some names are only other names of Gymnasium's options, and not in the config themselves.
    both = {name: value for name, value in expected.items() if name in config}
    assert {name: config[name] for name in both} == both
    assert len(both) > 3
    said = digest(make_ours(task_id, **expected), steps=5)
    assert list(said) == default_digest(task_id)[:6]
