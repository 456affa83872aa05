"""Grid worlds compute the same bits as minigrid, from the same seeds and actions."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.families.minigrid import decode_mission
from helpers import begun
from minigrid_oracle import compare

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")

N = 5


# --- options -----------------------------------------------------------------------------------

OPTIONS = [
    ("MiniGrid-Empty-8x8-v0", {"size": 4, "agent_start_pos": (2, 1), "agent_start_dir": 3}),
    ("MiniGrid-Empty-Random-6x6-v0", {"agent_start_pos": (2, 1), "agent_start_dir": 1}),
    ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": None, "agent_view_size": 3}),
    ("MiniGrid-DoorKey-8x8-v0", {"size": 11, "agent_view_size": 9}),
    ("MiniGrid-DoorKey-8x8-v0", {"see_through_walls": True, "max_steps": 17}),
    ("MiniGrid-GoToDoor-5x5-v0", {"size": 12, "agent_view_size": 5}),
    ("MiniGrid-GoToObject-6x6-N2-v0", {"size": 9, "numObjs": 7}),
    ("MiniGrid-Fetch-8x8-N3-v0", {"size": 7, "numObjs": 9}),
    ("MiniGrid-PutNear-8x8-N3-v0", {"size": 10, "numObjs": 5}),
    ("MiniGrid-LavaCrossingS9N1-v0", {"size": 15, "num_crossings": 9, "obstacle_type": "wall"}),
    ("MiniGrid-LavaGapS5-v0", {"size": 9}),
    ("MiniGrid-DistShift1-v0", {"width": 12, "height": 8, "strip2_row": 4}),
    ("MiniGrid-DistShift1-v0", {"agent_start_pos": None}),
    ("MiniGrid-Dynamic-Obstacles-8x8-v0", {"size": 7, "n_obstacles": 40}),
    ("MiniGrid-FourRooms-v0", {"agent_pos": (3, 4), "goal_pos": (9, 9), "max_steps": 30}),
    ("MiniGrid-KeyCorridorS3R1-v0", {"room_size": 7, "num_rows": 2, "obj_type": "box"}),
    ("MiniGrid-LockedRoom-v0", {"size": 22, "agent_view_size": 11}),
    ("MiniGrid-MemoryS7-v0", {"size": 15, "random_length": True}),
    ("MiniGrid-MultiRoom-N6-v0", {"minNumRooms": 2, "maxNumRooms": 5, "width": 30, "height": 20}),
    ("MiniGrid-RedBlueDoors-6x6-v0", {"size": 5, "see_through_walls": True}),
    ("MiniGrid-ObstructedMaze-1Q-v1", {"agent_room": (0, 1), "num_quarters": 3, "blocked": False}),
    ("MiniGrid-ObstructedMaze-1Dl-v0", {"agent_view_size": 13}),
]


@pytest.mark.parametrize(("task_id", "options"), OPTIONS, ids=str)
@pytest.mark.one_in(3)
def test_options_are_minigrids(task_id, options):
    compare(task_id, N, 8, 40, **options)


def test_a_large_view_has_minigrids_bits():
    compare("MiniGrid-MultiRoom-N6-v0", 2, 1, 20, agent_view_size=61)


WRONG = [
    ("MiniGrid-Empty-8x8-v0", {"size": 3}, "4 <= size"),
    ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 4}, "agent_view_size is 4, expected an odd"),
    ("MiniGrid-Empty-8x8-v0", {"agent_view_size": 1}, "3 <= agent_view_size"),
    ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (0, 1)}, r"agent_start_pos is \(0, 1\)"),
    ("MiniGrid-Empty-8x8-v0", {"agent_start_pos": (1,)}, r"agent_start_pos is \(1\)"),
    ("MiniGrid-Empty-8x8-v0", {"agent_start_dir": -1}, "expected 0 to 3"),
    ("MiniGrid-Empty-8x8-v0", {"mission_bytes": 20}, "96 <= mission_bytes"),
    ("MiniGrid-MemoryS7-v0", {"size": 8}, "size is 8, expected an odd number"),
    ("MiniGrid-LavaCrossingS9N1-v0", {"size": 10}, "size is 10, expected an odd number"),
    ("MiniGrid-LavaCrossingS9N1-v0", {"obstacle_type": "fire"}, "'lava' or 'wall'"),
    ("MiniGrid-DistShift1-v0", {"strip2_row": 6}, "strip2_row is 6"),
    ("MiniGrid-FourRooms-v0", {"goal_pos": (18, 3)}, "goal_pos"),
    ("MiniGrid-MultiRoom-N6-v0", {"max_num_rooms": 2}, "expected at least min_num_rooms"),
    ("MiniGrid-MultiRoom-N6-v0", {"width": 6}, "these options make no level"),
    ("MiniGrid-Fetch-8x8-N3-v0", {"num_objs": 36}, "these options make no level"),
    ("MiniGrid-PutNear-6x6-N2-v0", {"num_objs": 18}, "these options make no level"),
    ("MiniGrid-ObstructedMaze-Full-v1", {"agent_room": (1, 3)}, "agent_room"),
]


@pytest.mark.parametrize(("task_id", "options", "message"), WRONG, ids=str)
def test_wrong_options_are_refused(task_id, options, message):
    with pytest.raises(ValueError, match=message):
        envpool.make(task_id, "gymnasium", **options)


def test_a_level_that_cannot_be_drawn_is_told_with_its_name_and_seed():
    """Six objects have room if they are well placed, which they are not from all seeds."""
    options = {"size": 7, "num_objs": 6, "num_envs": 8}
    pool = envpool.make("MiniGrid-PutNear-6x6-N2-v0", "gymnasium", seed=3, **options)
    with pytest.raises(envpool.EnvironmentFailure) as failure:
        pool.reset()
    assert failure.value.env_ids == [3, 7]
    for env_id, message in zip(failure.value.env_ids, failure.value.messages, strict=True):
        assert f"MiniGridPutNear has no level for reset 1 after seed {3 + env_id}: " in message
        assert "no cell left for another object" in message


def test_the_seed_of_a_level_that_cannot_be_drawn_is_part_of_snapshots():
    options = {"size": 7, "num_objs": 6, "num_envs": 1}
    pool, other = (
        begun(envpool.make("MiniGrid-PutNear-6x6-N2-v0", "gymnasium", seed=seed, **options))
        for seed in (5, 1)
    )
    other.set_state(pool.get_state())
    with pytest.raises(envpool.EnvironmentFailure, match=r"no level for reset \d+ after seed 5: "):
        for _ in range(1000):
            other.reset()


def test_two_names_of_an_option_must_agree():
    with pytest.raises(TypeError, match="numObjs is 2 and num_objs is 3"):
        envpool.make_spec("MiniGrid-Fetch-8x8-N3-v0", numObjs=2, num_objs=3)


# --- EnvPool's dialect ---------------------------------------------------------------------------


def test_missions_of_envpools_dialect_are_bytes():
    pool = envpool.make("MiniGrid-Fetch-8x8-N3-v0", "gymnasium", num_envs=N, mission_bytes=100)
    obs, info = pool.reset()
    assert obs["mission"].shape == (N, 100)
    assert obs["mission"].dtype == np.uint8
    assert obs["direction"].dtype == np.int32
    missions = decode_mission(obs["mission"])
    assert all(" a " in mission for mission in missions)
    assert decode_mission(obs["mission"][2]) == missions[2]
    assert info["agent_pos"].shape == (N, 2)
    assert len(set(info["mission_id"].tolist())) == len(set(missions))


# What EnvPool 1.2.5 was seen to give.
@pytest.mark.parametrize(
    ("task_id", "mission", "number"),
    [
        ("MiniGrid-GoToDoor-8x8-v0", "go to the purple door", 3),
        ("MiniGrid-Fetch-8x8-N3-v0", "fetch a green ball", 27),
        ("MiniGrid-GoToObject-8x8-N2-v0", "go to the yellow ball", 13),
        ("MiniGrid-PutNear-8x8-N3-v0", "put the green key near the yellow ball", 67),
        ("MiniGrid-UnlockPickup-v0", "pick up the yellow box", 4),
        ("MiniGrid-KeyCorridorS3R1-v0", "pick up the blue ball", 0),
    ],
)
def test_missions_have_envpools_numbers(task_id, mission, number):
    pool = envpool.make(task_id, "gymnasium", num_envs=2000)
    obs, info = pool.reset()
    numbers = dict(zip(decode_mission(obs["mission"]), info["mission_id"].tolist(), strict=True))
    assert numbers[mission] == number


# --- snapshots -----------------------------------------------------------------------------------


def test_a_carried_box_keeps_what_is_in_it():
    """An agent picks up a box with a key; a copy of it puts the box down and opens it."""
    env = gymnasium.make("envpool/MiniGrid-ObstructedMaze-1Dlh-v0").unwrapped
    box = [7, 5, 0]
    seen = (env.reset(seed=seed)[0]["image"] for seed in range(100))
    assert any(image[3, 4].tolist() == box for image in seen)  # two steps away
    env.step(2)
    obs, *_ = env.step(3)
    assert obs["image"][3, 6].tolist() == box
    twin = copy.deepcopy(env)
    for action in (4, 5):
        obs, *_ = twin.step(action)
    assert obs["image"][3, 5, 0] == 5
