"""Driving tasks compute the same bits as highway-env, from the same seeds and actions."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.checks import check_task
from envpool.errors import EnvironmentFailure
from envpool.tasks.registry import registry
from helpers import (
    assert_all_compared,
    assert_same_bytes,
    assert_same_results,
    begun,
    make,
    skip_without_upstream,
)

skip_without_upstream("highway")

from envpool.oracles.highway import make_theirs  # noqa: E402
from highway_oracle import (  # noqa: E402
    SEVERAL,
    SINGLE,
    THEIRS,
    assert_same_with,
    gentle_actions,
    make_pair,
    play_several,
)

FAMILY = "envpool.families.highway"
OURS = [name for name, task in registry.tasks.items() if task.import_path == FAMILY]


def test_every_task_is_compared():
    camel = {name for name in OURS if name[0].isupper()}
    assert_all_compared(set(OURS) - camel, THEIRS, "highway-env's registry")
    assert len(THEIRS) == len(camel) == 31
    theirs = [registry.tasks[name] for name in THEIRS]
    assert all(registry.tasks[name] in theirs for name in camel)


# --- several players -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("task_id", SEVERAL)
@pytest.mark.one_in(3)
def test_several_players(task_id):
    play_several(task_id, ends=2)


def test_gymnasiums_api_has_one_player():
    with pytest.raises(ValueError, match="one player per environment"):
        gymnasium.make_vec("envpool/intersection-multi-agent-v0", 1)


# --- options -------------------------------------------------------------------------------------

_FEATURES = ["presence", "x", "y", "vx", "vy", "heading", "cos_h", "sin_h", "cos_d", "sin_d"]
_OFFSETS = ["long_off", "lat_off", "ang_off"]
_KINEMATICS = {"type": "Kinematics", "vehicles_count": 7}
_GRID = {"type": "OccupancyGrid"}
_DRIVERS = "highway_env.vehicle.behavior."
_ABSOLUTE = {"see_behind": True, "absolute": True, "clip": False, "observe_intentions": True}
_OWN_GRID = _GRID | {
    "features": ["vx", "x", "on_road", "cos_h"],
    "features_range": {"x": [-100, 100], "y": [-50, 50], "vx": [-20, 20]},
    "grid_size": [[-30, 40], [-11, 12]],
    "grid_step": [7, 2.5],
    "clip": False,
}
_TIMES = {"type": "TimeToCollision"}
_SPEEDS = {"type": "DiscreteMetaAction", "target_speeds": [15, 20, 22, 27, 30]}
_DYNAMICAL = {
    "type": "ContinuousAction",
    "dynamical": True,
    "acceleration_range": [-2, 3],
    "steering_range": [-0.1, 0.2],
    "speed_range": [5, 27],
}
CONFIGS = [
    ("highway-v0", {"lanes_count": 2, "initial_lane_id": 1, "vehicles_density": 2}),
    ("highway-v0", {"controlled_vehicles": 3, "normalize_reward": False}),
    ("highway-v0", {"observation": _KINEMATICS | {"features": _FEATURES + _OFFSETS}}),
    ("highway-v0", {"observation": _KINEMATICS | {"order": "shuffled"}}),
    ("highway-v0", {"observation": _KINEMATICS | _ABSOLUTE}),
    ("highway-v0", {"observation": _KINEMATICS | {"normalize": False}}),
    ("highway-v0", {"observation": _KINEMATICS | {"features_range": {"x": [-9, 99]}}}),
    ("highway-v0", {"observation": _TIMES | {"horizon": 7}}),
    ("highway-v0", {"lanes_count": 5, "observation": _TIMES, "action": _SPEEDS}),
    ("highway-v0", {"observation": _GRID}),
    ("highway-v0", {"observation": _OWN_GRID}),
    ("highway-v0", {"action": {"type": "ContinuousAction"}, "offroad_terminal": True}),
    ("highway-v0", {"action": _DYNAMICAL}),
    ("highway-v0", {"action": {"type": "DiscreteAction", "actions_per_axis": 4}}),
    ("highway-v0", {"action": {"type": "DiscreteMetaAction", "lateral": False}}),
    ("highway-v0", {"policy_frequency": 2, "duration": 3.5}),
    ("highway-v0", {"other_vehicles_type": f"{_DRIVERS}LinearVehicle"}),
    ("highway-v0", {"other_vehicles_type": f"{_DRIVERS}AggressiveVehicle"}),
    ("u-turn-v0", {"other_vehicles_type": f"{_DRIVERS}LinearVehicle"}),
    ("merge-v0", {"other_vehicles_type": f"{_DRIVERS}DefensiveVehicle"}),
    ("intersection-v0", {"other_vehicles_type": f"{_DRIVERS}DefensiveVehicle"}),
    ("highway-fast-v0", {"neighbour_vehicles_connected_lanes": True, "vehicles_count": 5}),
    ("merge-v0", {"collision_reward": -3.5, "merging_speed_reward": -0.25, "policy_frequency": 3}),
    ("merge-v0", {"observation": _KINEMATICS | {"features": ["x", "heading", "long_off"]}}),
    ("merge-generic-v0", {"lanes_count": 4, "vehicles_count": 6, "after_merge_length": 90}),
    ("exit-v0", {"lanes_count": 3, "vehicles_count": 5, "normalize_reward": False}),
    ("exit-v0", {"observation": {"type": "Kinematics"}, "vehicles_count": 5}),
    ("two-way-v0", {"observation": _TIMES | {"horizon": 3}}),
    ("u-turn-v0", {"observation": _GRID, "action": {"type": "ContinuousAction"}}),
    ("roundabout-v0", {"incoming_vehicle_destination": 1, "observation": _GRID}),
    ("roundabout-v0", {"action": {"type": "DiscreteAction"}}),
    (
        "roundabout-generic-v0",
        {"roundabout_lanes": 3, "roundabout_radius": 25, "incoming_vehicle_destination": 3},
    ),
    ("parking-v0", {"vehicles_count": 27, "add_walls": False}),
    ("parking-v0", {"controlled_vehicles": 2, "reward_weights": [1, 1, 0.5, 0, 0.2, 0.1]}),
    ("parking-v0", {"action": {"type": "ContinuousAction", "longitudinal": False}}),
    ("intersection-v0", {"destination": None, "spawn_probability": 1, "normalize_reward": True}),
    ("intersection-v0", {"controlled_vehicles": 2, "offroad_terminal": True}),
    ("intersection-v0", {"initial_vehicle_count": 0, "observation": _KINEMATICS}),
    ("intersection-v1", {"simulation_frequency": 4, "initial_vehicle_count": 4}),
    # More actions than steps of the simulation: nothing moves.
    ("highway-v0", {"policy_frequency": 20}),
    ("racetrack-v0", {"simulation_frequency": 2}),
    ("parking-v0", {"simulation_frequency": 2}),
    ("lane-keeping-v0", {"simulation_frequency": 5}),
    ("u-turn-v0", {"simulation_frequency": 4, "policy_frequency": 5}),
    ("racetrack-v0", {"controlled_vehicles": 2, "other_vehicles": 5}),
    ("racetrack-v0", {"action": {"type": "ContinuousAction"}, "terminate_off_road": False}),
    ("racetrack-v0", {"action": {"type": "DiscreteAction", "longitudinal": False}}),
    ("racetrack-large-v0", {"speed_limit": 13.5, "other_vehicles": 3}),
    ("racetrack-oval-v0", {"length": 150, "no_lanes": 4, "block_lane": True}),
    ("racetrack-oval-v0", {"no_lanes": 1, "force_decision": True, "other_vehicles": 0}),
    ("lane-keeping-v0", {"state_noise": 0, "derivative_noise": 0.5, "simulation_frequency": 30}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "config"), CONFIGS, ids=str)
@pytest.mark.one_in(6)
def test_configs_are_highway_envs(task_id, config):
    assert_same_with(task_id, 8, config)


# One task of each class, with upstream's latest rules.
CLASSES = {registry.tasks[name].spec_cls: name for name in SINGLE}


def other_than(number: float | None) -> float:
    """Another value of an option, which all that are there take."""
    if number is None:
        return 0
    return number + 1 if isinstance(number, int) else 0.875 * number + 0.0625


@pytest.mark.parametrize("task_id", CLASSES.values())
@pytest.mark.one_in(2)
def test_configs_of_resets_are_highway_envs(task_id):
    """Which upstream then has in all later resets, and ours in this one."""
    spec = envpool.make_spec(task_id)
    values = {name: other_than(getattr(spec.config, name)) for name in spec.known.reset}
    spaces = [
        (each.observation_space, each.action_space) for each in (spec, spec.changed(**values))
    ]
    assert spaces[0] == spaces[1]
    pair = make_pair(task_id, 1, 3)
    usual = pair.ours.reset(seed=4)
    config = {}
    for name, value in values.items():
        config[name] = value
        pair.call("reset", seed=5, options={"config": config})
        for action in gentle_actions(pair, 2, len(config)):
            *_, terminated, truncated, _ = pair.call("step", action)
            if terminated[0] or truncated[0]:
                break
    assert_same_results(pair.ours.reset(seed=4), usual)


def test_options_of_resets_that_do_not_fit():
    pool = make("highway-fast-v0", 1)
    usual = pool.reset(seed=3)
    for options, message in (
        ({"lanes_count": 2.5}, "lanes_count is 2.5, expected an integer"),
        ({"config": {"initial_lane_id": 3}}, "initial_lane_id is 3, expected a lane from 0 to 2"),
    ):
        with pytest.raises(EnvironmentFailure, match=message):
            pool.reset(options=options)
    for options, message in (
        ({"lanes_count": 0}, "lanes_count is 0, expected 1 <= lanes_count"),
        ({"config": 3}, "config is 3, expected a dict"),
        ({"config": {"lane_count": 3}}, "unknown key 'lane_count'; did you mean 'lanes_count'"),
        ({"config": {"lanes_count": 3}, "lanes_count": 2}, "they are the same option"),
        ({"controlled_vehicles": 2}, "unknown key 'controlled_vehicles'"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            pool.reset(options=options)
    assert_same_results(pool.reset(seed=3), usual)


def test_options_are_the_same_as_config():
    by_config = make("highway-fast-v0", config={"observation": {"type": "OccupancyGrid"}})
    by_options = make("highway-fast-v0", observation_type="OccupancyGrid")
    assert_same_results(by_config.reset(), by_options.reset())


MULTI = "intersection-multi-agent-v0"
SEVERAL_ACT = {"type": "MultiAgentAction", "action_config": {"type": "DiscreteMetaAction"}}
WRONG = [
    ("highway-v0", {"vehicle_count": 3}, "did you mean 'vehicles_count'"),
    ("highway-v0", {"vehicles_count": 10**9}, "0 <= vehicles_count <= 1000"),
    ("highway-v0", {"lanes_count": 0}, "1 <= lanes_count"),
    ("highway-v0", {"initial_lane_id": 4}, "initial_lane_id is 4, expected a lane from 0 to 3"),
    ("highway-v0", {"initial_lane_id": 0.5}, "initial_lane_id is 0.5"),
    ("highway-v0", {"observation_vehicles_count": 1}, "2 <= observation_vehicles_count"),
    ("highway-v0", {"observation_features": ["z"]}, "observation_features has 'z', expected some"),
    ("highway-v0", {"observation_features": ["on_road"]}, "only with observation_type"),
    ("highway-v0", {"observation_type": "Lidar"}, "'Kinematics' or 'OccupancyGrid'"),
    ("highway-v0", {"reward_speed_range": [20, 20]}, "expected two different numbers"),
    ("highway-v0", {"reward_speed_range": [20]}, "reward_speed_range has 1 numbers, expected 2"),
    ("highway-v0", {"action_target_speeds": [20]}, "action_target_speeds are not at least two"),
    ("highway-v0", {"action_lateral": False, "action_longitudinal": False}, "one of them"),
    (
        "two-way-v0",
        {"observation_type": "OccupancyGrid", "observation_grid_step": [0, 1]},
        "expected at least 1 x 1",
    ),
    (
        "u-turn-v0",
        {"action_type": "ContinuousAction"},
        "expected 'DiscreteMetaAction' with observation_type 'TimeToCollision'",
    ),
    (
        "racetrack-v0",
        {"observation_absolute": True},
        "observation_absolute is True, expected False with observation_type 'OccupancyGrid'",
    ),
    ("racetrack-oval-v0", {"no_lanes": 0}, "1 <= no_lanes"),
    ("parking-v0", {"reward_weights": [1.0]}, "reward_weights has 1 numbers, expected 6"),
    ("roundabout-v0", {"incoming_vehicle_destination": 3}, "expected an exit from 0 to 2"),
    ("intersection-v0", {"simulation_frequency": 1}, "simulation_frequency is 1"),
    ("lane-keeping-v0", {"action_dynamical": False}, "action_dynamical is False"),
    ("highway-v0", {"config": 3}, "config is 3, expected a dict"),
    ("highway-v0", {"config": {"observation": {"type": "Kinematics", "orders": 1}}}, "'order'"),
    ("highway-v0", {"config": {"action": {"lateral": False}}}, "has no type"),
    ("highway-v0", {"config": {"duration": 3}, "duration": 4}, "they are the same option"),
    ("highway-v0", {"centering_position": [0.5]}, "centering_position has 1 numbers, expected 2"),
    ("highway-v0", {"config": {"action": SEVERAL_ACT}}, "begin with intersection-multi-agent"),
    (
        MULTI,
        {"config": {"action": SEVERAL_ACT | {"lateral": False}}},
        "'lateral': False.*, expected {",
    ),
    (MULTI, {"config": {"action": SEVERAL_ACT | {"type": "MultiAgentObservation"}}}, "expected {"),
    (
        "highway-v0",
        {"config": {"observation": _GRID | {"grid_size": [[1, 2], [3]]}}},
        r"config\['observation'\]\['grid_size'\] is .*, expected two pairs",
    ),
]


@pytest.mark.parametrize(("task_id", "options", "match"), WRONG, ids=str)
def test_wrong_options(task_id, options, match):
    with pytest.raises((ValueError, TypeError), match=match):
        make(task_id, **options).reset()


def test_many_target_speeds_and_lanes():
    options = {"simulation_frequency": 100, "policy_frequency": 100, "lanes_count": 100}
    options |= {"observation_type": "TimeToCollision", "observation_horizon": 1000}
    pool = make("highway-v0", 1, action_target_speeds=np.linspace(1, 30, 430).tolist(), **options)
    assert pool.reset()[0].shape == (1, 3, 3, 100_000)


def test_config_of_several_tasks():
    config = {"seed": 7, "batch_size": 1, "lanes_count": 2}
    pool = envpool.make_multi(["highway-v0", "highway-fast-v0"], "gymnasium", config=config)
    assert {name: pool.config[name] for name in config} == config
    assert pool.spec.changed(lanes_count=3).config.lanes_count == 3
    made, pool = (
        envpool.make_multi(["highway-v0", "highway-fast-v0"], "gymnasium", **options)
        for options in ({"lanes_count": 2}, {})
    )
    chosen = pool.reset(seed=7, options={"config": {"lanes_count": 2}})[0]
    assert_same_bytes(chosen, made.reset(seed=7)[0])


def test_a_list_for_all_environments_can_be_set():
    pool = begun(make("highway-fast-v0", 2))
    pool.set_attr("reward_speed_range", [10.0, 20.0])
    assert pool.get_attr("reward_speed_range") == ([10.0, 20.0],) * 2
    pool.set_attr("reward_speed_range", [[10.0, 20.0], [15.0, 20.0]])
    assert pool.get_attr("reward_speed_range") == ([10.0, 20.0], [15.0, 20.0])
    with pytest.raises(ValueError, match=r"observation_vehicles_count cannot be 9: .*spaces"):
        pool.set_attr("observation_vehicles_count", 9)


def test_pictures_have_one_size():
    with pytest.raises(ValueError, match=r"sizes \[\(300, 150\), \(600, 150\)\]"):
        make("highway-fast-v0", 2, screen_width=[600, 300], render_mode="rgb_array")


def test_checks_of_several_players():
    check_task(MULTI, only=["exceptions"], quick=True)


# --- goals, snapshots ----------------------------------------------------------------------------


def test_goals_have_upstreams_rewards():
    pool, theirs = make("parking-v0", 3), make_theirs("parking-v0").unwrapped
    pool.reset()
    obs, reward, *_ = pool.step(np.zeros((3, 2), np.float32))
    achieved, desired = obs["achieved_goal"], obs["desired_goal"]
    expected = theirs.compute_reward(achieved, desired, {})
    np.testing.assert_array_equal(pool.compute_reward(achieved, desired, {}), expected)
    for row in range(3):
        one = pool.spec.compute_reward(achieved[row], desired[row])
        assert one == theirs.compute_reward(achieved[row], desired[row], {})
        assert np.float32(one) == reward[row]
    with pytest.raises(envpool.ArgumentError, match=r"expected the same, \(..., 6\)"):
        pool.compute_reward(achieved[:, :3], desired[:, :3])


# --- pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("task_id", SEVERAL)
@pytest.mark.one_in(3)
def test_pictures_of_several_players_are_highway_envs(task_id):
    ours = envpool.make(task_id, "gymnasium", num_envs=1, seed=4, render_mode="rgb_array")
    theirs = make_theirs(task_id, render_mode="rgb_array")
    ours.reset(), theirs.reset(seed=4)
    for _ in range(3):
        np.testing.assert_array_equal(ours.render()[0], theirs.render())
        ours.step(np.array([2, 1])), theirs.step((2, 1))


def test_every_task_has_pictures():
    sizes = {"lane-keeping-v0": (250, 600, 3), "parking-parked-v0": (300, 600, 3)}
    for task_id, size in sizes.items():
        env = begun(gymnasium.make(f"envpool/{task_id}", render_mode="rgb_array"), seed=0)
        assert env.render().shape == size


# --- arithmetic ----------------------------------------------------------------------------------


def test_numpy_adds_products_as_it_is_told():
    from envpool.families.numerics import WAYS, numpy_pair_products

    products = numpy_pair_products()
    assert set(products) == {"dot", "gemv", "gemm"}
    rng = np.random.default_rng(0)
    for _ in range(100):
        (a, c), (b, d) = rng.normal(size=(2, 2))
        assert np.dot([a, c], [b, d]) == WAYS[products["dot"]]((a, b), (c, d))
