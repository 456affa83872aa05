"""LidarObservation and GrayscaleObservation of driving tasks have the bits of highway-env's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
from helpers import make, skip_without_upstream

skip_without_upstream("highway")

from envpool.oracles.highway import make_theirs  # noqa: E402
from highway_oracle import (  # noqa: E402
    SEVERAL,
    SINGLE,
    assert_same,
    assert_same_with,
    play_several,
)

LIDAR = {"type": "LidarObservation"}
GRAY = {
    "type": "GrayscaleObservation",
    "observation_shape": (128, 64),
    "stack_size": 4,
    "weights": [0.2989, 0.5870, 0.1140],
    "scaling": 1.75,
}
IDS = [name for name in SINGLE if not name.startswith(("parking", "lane-keeping"))]
BOTH = pytest.mark.parametrize("observation", [LIDAR, GRAY], ids=["lidar", "gray"])
EVERYDAY = {"highway-v0": 2, "intersection-v1": 3}
LONG = {"highway-v0": 20, "intersection-v1": 60}  # an episode of the first has 40 steps


@BOTH
@pytest.mark.parametrize("task_id", IDS)
@pytest.mark.one_in(16)
def test_observations_are_highway_envs(task_id, observation):
    assert_same(task_id, EVERYDAY.get(task_id, 6), 0, observation=observation)


@pytest.mark.long
@BOTH
@pytest.mark.parametrize("seed", [3, 2**40])
@pytest.mark.parametrize("task_id", IDS)
def test_long_play_is_highway_envs(task_id, observation, seed):
    ends = assert_same(task_id, LONG.get(task_id, 130), seed, observation=observation)
    assert ends or task_id == "highway-v0"


_LINEAR = "highway_env.vehicle.behavior.LinearVehicle"
_BLOCKED = {"block_lane": True, "force_decision": True, "length": 150}
CONFIGS: list[tuple[str, dict[str, Any]]] = [
    ("highway-v0", {"observation": LIDAR | {"cells": 7, "normalize": False}}),
    ("highway-v0", {"observation": LIDAR | {"cells": 1, "maximum_range": 25.5}}),
    ("highway-v0", {"observation": LIDAR | {"cells": 360, "maximum_range": 200}}),
    ("highway-v0", {"controlled_vehicles": 3, "observation": LIDAR}),
    ("highway-v0", {"observation": LIDAR, "action": {"type": "ContinuousAction"}}),
    ("intersection-v0", {"observation": LIDAR | {"cells": 33, "maximum_range": 90.25}}),
    ("racetrack-oval-v0", {**_BLOCKED, "observation": LIDAR | {"cells": 64}}),
    ("highway-v0", {"observation": GRAY | {"scaling": None, "stack_size": 1}}),
    ("highway-v0", {"observation": GRAY | {"weights": [1, -2.5, 3]}, "scaling": 3}),
    ("highway-v0", {"observation": GRAY, "action": {"type": "ContinuousAction"}}),
    ("highway-v0", {"observation": GRAY | {"scaling": 0.4}}),
    ("highway-v0", {"observation": GRAY, "other_vehicles_type": _LINEAR}),
    ("intersection-v0", {"observation": GRAY | {"centering_position": [0.3, 0.6], "scaling": 5}}),
    ("racetrack-oval-v0", {**_BLOCKED, "observation": GRAY | {"observation_shape": (84, 85)}}),
    ("racetrack-v0", {"observation": GRAY | {"scaling": 11.5}}),
    ("roundabout-v0", {"observation": GRAY | {"observation_shape": (300, 200), "scaling": 4.2}}),
    ("merge-v0", {"observation": GRAY | {"scaling": 21.0}}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("task_id", "config"), CONFIGS, ids=str)
def test_configs_are_highway_envs(task_id, config):
    assert_same_with(task_id, 12, config)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("task_id", SEVERAL)
def test_several_players_see_what_they_see_upstream(task_id, observation):
    config = {"observation": {"type": "MultiAgentObservation", "observation_config": observation}}
    play_several(task_id, ends=2, config=config)


def test_specs_know_the_arrays():
    assert len(IDS) == 24
    spec = envpool.make_spec("merge-v0", observation_type="GrayscaleObservation")
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, (4, 128, 64), np.uint8)
    spec = envpool.make_spec("merge-v0", config={"observation": LIDAR | {"cells": 5}})
    assert spec.observation_space == gymnasium.spaces.Box(-1, 1, (5, 2), np.float32)


def test_pictures_show_what_lidar_sees():
    config = {"observation": LIDAR, "vehicles_count": 20}
    ours = gymnasium.make("envpool/highway-fast-v0", render_mode="rgb_array", config=config)
    theirs = make_theirs("highway-fast-v0", render_mode="rgb_array", config=config)
    ours.reset(seed=4), theirs.reset(seed=4)
    for action in (0, 3):
        np.testing.assert_array_equal(ours.render(), theirs.render())
        ours.step(action), theirs.step(action)


_GRAYSCALE = {"observation_type": "GrayscaleObservation"}
WRONG = [
    ({"observation_cells": 0}, "1 <= observation_cells <= 10000"),
    ({"observation_cells": 10**9}, "1 <= observation_cells <= 10000"),
    ({"observation_maximum_range": -1.0}, "0.001 <= observation_maximum_range"),
    ({"config": {"observation": LIDAR | {"cell": 3}}}, "did you mean 'cells'"),
    ({"config": {"observation": LIDAR | {"cells": "many"}}}, "observation_cells is 'many'"),
    (
        {**_GRAYSCALE, "observation_observation_shape": [0, 64]},
        r"observation_observation_shape is \[0, 64\], expected a width and a height from 1",
    ),
    ({**_GRAYSCALE, "observation_observation_shape": [64]}, r"is \[64\], expected a width"),
    ({**_GRAYSCALE, "observation_observation_shape": [10**9, 1]}, "from 1 to 10000"),
    (
        {**_GRAYSCALE, "observation_observation_shape": [9999, 9999], "observation_stack_size": 9},
        r"observation_stack_size is 9 and observation_observation_shape \[9999, 9999\], expected",
    ),
    ({**_GRAYSCALE, "observation_stack_size": 0}, "1 <= observation_stack_size"),
    ({**_GRAYSCALE, "observation_weights": [1.0]}, "observation_weights has 1 numbers, expected 3"),
    ({**_GRAYSCALE, "observation_scaling": -1.0}, "0 <= observation_scaling"),
    ({**_GRAYSCALE, "observation_scaling": 1e-300}, "is 1e-300, expected 0 or at least 0.01"),
    (
        {**_GRAYSCALE, "centering_position": [1e30, 0.5]},
        r"centering_position is \[1e\+30, 0.5\], expected two numbers from -100 to 100",
    ),
    (
        {**_GRAYSCALE, "observation_centering_position": [1.0]},
        "observation_centering_position has 1 numbers, expected 2 or none",
    ),
]


@pytest.mark.parametrize(("options", "match"), WRONG, ids=str)
def test_wrong_options(options, match):
    with pytest.raises((ValueError, TypeError), match=match):
        make("highway-v0", **options).reset()
