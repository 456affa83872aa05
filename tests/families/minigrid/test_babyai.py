"""Levels of BabyAI compute the same bits as minigrid, and succeed and fail when minigrid's do."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from envpool.minigrid import decode_mission

import envpool
from babyai_oracle import Solvers
from minigrid_oracle import make_pair, play

TASKS = sorted(name for name in gymnasium.registry if name.startswith("BabyAI-"))


@pytest.mark.one_in(40)
@pytest.mark.parametrize("task_id", TASKS[5:] + TASKS[:5])
def test_success_is_minigrids(task_id):
    pair = make_pair(task_id, 3, 1)
    solvers = Solvers(pair)
    ended, won = solvers.play(60 if won_soon(task_id) else 300)
    assert won >= 1
    assert ended >= won
    pair.assert_same_generators()


def won_soon(task_id: str) -> bool:
    """Are there few rooms, and few steps to success?"""
    few = ("Local", "GoToObj-", "GoToRed", "Dist", "Door", "OneRoomS8", "PutNext")
    return any(name in task_id for name in few)


@pytest.mark.long
@pytest.mark.parametrize("noise", [0.0, 0.15])
@pytest.mark.parametrize("task_id", TASKS)
def test_long_success_is_minigrids(task_id, noise):
    pair = make_pair(task_id, 10, 100)
    assert Solvers(pair, noise).play(300)[1] >= 5
    pair.assert_same_generators()


@pytest.mark.one_in(24)
@pytest.mark.parametrize("task_id", TASKS[::-1])
def test_snapshots(task_id):
    """A level goes on from a snapshot in another pool, and what is done of its mission stays so."""
    pair = make_pair(task_id, 3, 5)
    for _ in range(3):
        Solvers(pair, noise=0.1).play(13)
        states = pair.ours.get_state()
        pair.ours = make_pair(task_id, 3, 77).ours
        pair.ours.set_state(states)
    Solvers(pair).play(20)
    pair.assert_same_generators()


def test_level_that_minigrid_never_ends_to_draw():
    """In the second level there is a room with a free cell, but nowhere to look from it."""
    pair = make_pair("BabyAI-SynthS5R2-v0", 1, 3)
    pair.call("reset")
    play(pair, 5)
    pair.assert_same_generators()


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        (
            "BabyAI-BossLevel-v0",
            {"room_size": 6, "num_rows": 2, "num_dists": 9, "action_kinds": ("open", "putnext")},
        ),
        ("BabyAI-BossLevel-v0", {"instr_kinds": ["seq"], "locked_room_prob": 1.0}),
        ("BabyAI-PickupLoc-v0", {"room_size": 6}),
        ("BabyAI-OpenDoorColor-v0", {"select_by": None, "debug": True}),
        ("BabyAI-OpenRedBlueDoors-v0", {"first_color": None, "strict": True}),
        ("BabyAI-GoToLocal-v0", {"agent_view_size": 5, "max_steps": 10}),
        ("BabyAI-FindObjS5-v0", {"max_steps": None, "agent_view_size": 3}),
    ],
)
@pytest.mark.one_in(3)
def test_options(task_id, options):
    pair = make_pair(task_id, 3, 8, **options)
    Solvers(pair, noise=0.1).play(40)


def test_missions_of_envpools_dialect():
    envs = envpool.make_gymnasium("BabyAI-BossLevel-v0", num_envs=4, seed=3)
    texts = gymnasium.make_vec("envpool/BabyAI-BossLevel-v0", 4).reset(seed=3)[0]["mission"]
    observation, info = envs.reset()
    assert observation["mission"].shape == (4, 512)
    assert decode_mission(observation["mission"]) == list(texts)
    np.testing.assert_array_equal(info["mission_id"], [-1] * 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action_kinds": "goto,fly"}, "action_kinds has 'fly', expected some of 'goto, pickup"),
        ({"instr_kinds": ""}, "instr_kinds has '', expected some of 'action, and, seq'"),
        ({"instr_kinds": []}, "instr_kinds is empty, expected some of 'action, and, seq'"),
        ({"num_rows": 1, "num_cols": 1}, "locked_room_prob is 0.5, expected 0"),
        ({"room_size": 3}, "room_size is 3"),
        ({"room_size": 4, "num_dists": 1000}, "no cell left"),
        ({"num_dists": 0, "locked_room_prob": 0.0, "action_kinds": "pickup"}, "no object fits"),
    ],
)
def test_options_that_no_level_has(options, message):
    with pytest.raises(ValueError, match=message):
        envpool.make_gymnasium("BabyAI-BossLevel-v0", num_envs=1, **options)
