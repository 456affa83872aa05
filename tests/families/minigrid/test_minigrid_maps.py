"""Maps of one's own: minigrid computes the same of the same grid, and what is no map is refused."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Ball, Box, Door, Floor, Goal, Key, Lava, Wall
from minigrid.minigrid_env import MiniGridEnv

import envpool
from envpool.oracles.minigrid import Sorted
from helpers import Pair, assert_same_bytes, assert_same_results, begun, pair_with
from minigrid_oracle import play

TASK = "MiniGrid-Map-v0"
COLORS = {"R": "red", "G": "green", "B": "blue", "P": "purple", "Y": "yellow", "E": "grey"}
MAKERS: dict[str, Any] = {
    "D": Door,
    "L": lambda color: Door(color, is_locked=True),
    "O": lambda color: Door(color, is_open=True),
    "K": Key,
    "A": Ball,
    "B": Box,
    "F": Floor,
}
PLAIN: dict[str, Any] = {"##": Wall, "WG": Wall, "GG": Goal, "VR": Lava}
AGENTS = {">>": 0, "VV": 1, "<<": 2, "^^": 3}

# Everything in every colour, with the agent in the middle of it.
ROOMS = """
WGWGWGWGWGWGWGWGWGWG
WG..KRKGKB..ARAGABWG
WGKPKYKE  ..APAYAEWG
WG..BRBG..FRFGBBBPWG
##DR##DE..OG##LB####
##..>>..KB..FBFPFY##
##LY##OE..DP##OP####
##VR..BYBEFE......##
##..GGKYAY..VRFR..##
####################
"""
CORRIDOR = "##########\n##>>..GG##\n##########"


class Map(MiniGridEnv):
    """minigrid's level of a map."""

    def __init__(self, text: str, mission: str = "", **options: Any) -> None:
        self.rows = [
            [line[i : i + 2] for i in range(0, len(line), 2)] for line in text.split("\n") if line
        ]
        self.said = mission or "get to the green goal square"
        width, height = len(self.rows[0]), len(self.rows)
        options = {"max_steps": 4 * width * height} | options
        super().__init__(MissionSpace(lambda: self.said), width=width, height=height, **options)

    def _gen_grid(self, width: int, height: int) -> None:
        self.grid = Grid(width, height)
        for y, row in enumerate(self.rows):
            for x, pair in enumerate(row):
                if pair in AGENTS:
                    self.agent_pos, self.agent_dir = (x, y), AGENTS[pair]
                elif pair in PLAIN:
                    self.put_obj(PLAIN[pair](), x, y)
                elif pair not in ("..", "  "):
                    self.put_obj(MAKERS[pair[0]](COLORS[pair[1]]), x, y)
        self.mission = self.said


def make_pair(maps: list[str], mission: str = "", **options: Any) -> Pair:
    """Ours and minigrid's, an environment for each of the maps."""
    own = {"mission": mission} if mission else {}
    makers = [lambda m=m: Sorted(Map(m, mission, **options)) for m in maps]
    return pair_with(TASK, makers, map=maps, **own, **options)


def turned(text: str, agent: str) -> str:
    return text.replace(">>", agent)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mission": "Find 2 keys (or 3), quickly!", "max_steps": 30},
        {"see_through_walls": True, "agent_view_size": 5},
    ],
    ids=str,
)
@pytest.mark.one_in(3)
def test_a_map_is_minigrids_level(options):
    pair = make_pair([turned(ROOMS, agent) for agent in AGENTS], **options)
    pair.call("reset", seed=0)
    play(pair, 300)


def test_who_gets_to_the_goal_is_rewarded():
    pair = make_pair([CORRIDOR, CORRIDOR.replace("GG", "VR")])
    pair.call("reset", seed=0)
    actions = [2, 2] * np.ones((2, 1), int)
    pair.call("step", actions[0])
    _, reward, terminated, _, _ = pair.call("step", actions[1])
    assert reward[0] > 0.9
    assert reward[1] == 0
    assert terminated.all()


@pytest.mark.parametrize("style", [{}, {"highlight": False}, {"agent_pov": True}], ids=str)
def test_pictures_are_minigrids(style):
    theirs = Map(ROOMS, render_mode="rgb_array", tile_size=8, **style)
    ours = gymnasium.make(
        f"envpool/{TASK}", render_mode="rgb_array", map=ROOMS, tile_size=8, **style
    ).unwrapped
    for env in (ours, theirs):
        env.reset(seed=0)
    for action in (None, 2, 5, 3, 1, 2):
        if action is not None:
            ours.step(action)
            theirs.step(action)
        assert_same_bytes(ours.render(), theirs.render())


OTHER = "##########\n##<<LR..##\n##########"


@pytest.mark.parametrize("form", [OTHER, OTHER.split("\n"), np.array(OTHER.split("\n"))], ids=type)
def test_forms_of_a_map_of_a_reset(form):
    """That its episode is the one of a pool with this map, test_levels.py sees."""
    pool, made = (envpool.make_gymnasium(TASK, map=each) for each in (CORRIDOR, OTHER))
    for _ in range(2):
        assert_same_results(pool.reset(options={"map": form}), made.reset())
        for action in (5, 2, 0, 2, 1):
            assert_same_results(pool.step(np.array([action])), made.step(np.array([action])))
        pool.reset()


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        (CORRIDOR + "#", ValueError, "map has 11 characters in row 2 and 10 in row 0"),
        ("######\n##>>##\n######", RuntimeError, "map has 3 rows and 3 columns .*, expected 3"),
        (["##"] * 3, ValueError, "map has 1 columns, expected 3 to 200"),
        (OTHER.replace("<<", "??"), ValueError, r"map has '\?\?' in row 1, column 1"),
        (["#" * 50_000] * 2, ValueError, "map has 100000 characters, expected at most 80000"),
        ([OTHER.split("\n")] * 2, TypeError, "map is .*expected a list of strings"),
        (3, TypeError, "map is 3, expected a list of strings"),
    ],
    ids=str,
)
def test_what_is_no_map_of_a_reset_is_refused(other, error, message):
    pool = envpool.make_gymnasium(TASK, map=CORRIDOR)
    before = pool.reset()[0]["image"]
    with pytest.raises(error, match=message):
        pool.reset(options={"map": other})
    assert_same_bytes(pool.reset()[0]["image"], before)


def test_what_minigrid_prints_of_a_level_is_a_map():
    theirs = gymnasium.make("MiniGrid-LavaCrossingS9N3-v0").unwrapped
    observation, _ = theirs.reset(seed=3)
    ours = gymnasium.make(f"envpool/{TASK}", map=theirs.pprint_grid())
    copied, _ = ours.reset()
    assert copied["direction"] == observation["direction"]
    assert_same_bytes(copied["image"], observation["image"])


FORMS: list[Any] = [
    CORRIDOR,
    f"\n{CORRIDOR}\n",
    CORRIDOR.split("\n"),
    tuple(CORRIDOR.split("\n")),
    np.array(CORRIDOR.split("\n")),
    [CORRIDOR],
    [CORRIDOR.split("\n")],
    CORRIDOR.replace("..", "  ").replace("\n", "\r\n"),
]


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_forms_of_a_map(form):
    expected = envpool.make(TASK, "gymnasium", map=CORRIDOR, image="full").reset()[0]
    found = envpool.make(TASK, "gymnasium", map=form, image="full").reset()[0]
    assert_same_bytes(found["image"], expected["image"])


def test_maps_and_missions_of_each_environment():
    maps, missions = [CORRIDOR, turned(CORRIDOR, "<<")], ["go right", "turn and go right"]
    envs = gymnasium.make_vec(f"envpool/{TASK}", 2, map=maps, mission=missions)
    obs, _ = envs.reset(seed=0)
    assert obs["direction"].tolist() == [0, 2]
    assert obs["mission"] == tuple(missions)
    envs.set_attr("map", [turned(CORRIDOR, "VV"), turned(CORRIDOR, "^^")])
    assert envs.reset(seed=0)[0]["direction"].tolist() == [1, 3]


def test_wrappers_of_missions():
    words = envpool.make(TASK, "gymnasium", map=CORRIDOR, mission_words=True).reset()[0]
    assert words["mission"].shape == (1, 50)
    flat = envpool.make(TASK, "gymnasium", map=CORRIDOR, observation="flat").reset()[0]
    assert flat.shape == (1, 7 * 7 * 3 + 96 * 28)


def wrong(old: str, new: str) -> str:
    assert old in CORRIDOR
    return CORRIDOR.replace(old, new)


WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"map": wrong("GG", "XX")},
        r"map has 'XX' in row 1, column 3 \(both count from 0\), expected",
    ),
    ({"map": wrong("GG", "Kr")}, "map has 'Kr' in row 1, column 3 .* K a key"),
    ({"map": wrong("GG", "__")}, "O an open one"),
    ({"map": wrong("GG", "Ké")}, "a character in row 1, .* no printable ASCII"),
    ({"map": [f"{row}\n" for row in CORRIDOR.split("\n")]}, "no printable ASCII"),
    ({"map": wrong(">>", "..")}, "map has no agent, expected one cell with"),
    ({"map": wrong("..", "VV")}, "an agent in row 1, column 1 and another in row 1, column 2"),
    ({"map": wrong("..", "")}, "8 characters in row 1 and 10 in row 0"),
    ({"map": ["###"] * 3}, "rows of 3 characters, expected an even number"),
    ({"map": ""}, "map has 0 rows, expected 3 to 200"),
    ({"map": []}, "map has 0 rows, expected 3 to 200"),
    ({"map": ["######"] * 2}, "map has 2 rows, expected 3 to 200"),
    ({"map": ["####"] * 3}, "map has 2 columns, expected 3 to 200"),
    ({"map": ["##" * 201] * 3}, "map has 201 columns, expected 3 to 200"),
    ({"map": ["#" * 10**4] * 10**4}, "map has 100000000 characters, expected at most 80000"),
    ({"map": [CORRIDOR, CORRIDOR]}, "map has 2 values, expected one, or one for each"),
    ({"mission": "läuft"}, "mission is 'läuft', expected printable ASCII"),
    ({"mission": "x" * 97}, "mission_bytes is 96, expected 97"),
    ({"mission": "dance", "mission_words": True}, "'dance', which is not in the list of words"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_no_map_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        envpool.make(TASK, "gymnasium", **options)


@pytest.mark.parametrize("value", [5, None, [1, 2], {"a": 1}])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(TypeError, match=r"option map is .*, expected a list of strings"):
        envpool.make(TASK, "gymnasium", map=value)


WIDER = "\n".join(row + "####" for row in CORRIDOR.split("\n"))
HIGHER = f"{CORRIDOR}\n##########"


TRANSPOSED = "\n".join(["######", "##VV##", "##..##", "##GG##", "######"])


@pytest.mark.parametrize("other", [WIDER, HIGHER, TRANSPOSED], ids=["wider", "higher", "turned"])
def test_maps_of_several_sizes(other):
    pool = envpool.make(TASK, "gymnasium", num_envs=2, seed=3, map=[CORRIDOR, other])
    pair = [
        envpool.make(TASK, "gymnasium", num_envs=1, seed=3 + i, map=own)
        for i, own in enumerate([CORRIDOR, other])
    ]
    rows = [pool.reset()] + [pool.step(np.array([2, 2])) for _ in range(8)]
    for i, single in enumerate(pair):
        own_rows = [single.reset()] + [single.step(np.array([2])) for _ in range(8)]
        for row, own in zip(rows, own_rows, strict=True):
            for key, value in own[0].items():
                assert_same_bytes(row[0][key][i : i + 1], value)
            assert_same_bytes(row[-1]["agent_pos"][i : i + 1], own[-1]["agent_pos"])
    with pytest.raises(ValueError, match="options that give it other spaces"):
        envpool.make(TASK, "gymnasium", num_envs=2, map=[CORRIDOR, other], image="full")
    envs = begun(gymnasium.make_vec(f"envpool/{TASK}", 2, map=CORRIDOR), seed=0)
    with pytest.raises(ValueError, match="an episode under way does not fit these options"):
        envs.set_attr("map", other)
    assert envs.reset(seed=0)[0]["direction"].tolist() == [0, 0]


def test_levels_of_several_sizes():
    sizes = {"MiniGrid-DoorKey-6x6-v0": 6, "MiniGrid-DoorKey-8x8-v0": 8}
    multi = envpool.make_multi(dict.fromkeys(sizes, 1), seed=5)
    options = envpool.make("MiniGrid-DoorKey-8x8-v0", "gymnasium", size=[6, 8], num_envs=2, seed=5)
    first, second = multi.reset()[0], options.reset()[0]
    assert_same_bytes(first["image"], second["image"])
    for i, task_id in enumerate(sizes):
        single = envpool.make(task_id, "gymnasium", num_envs=1, seed=5 + i)
        assert_same_bytes(first["image"][i : i + 1], single.reset()[0]["image"])


def test_a_map_may_have_200_columns_and_rows():
    row = "##" + "AE" * 198 + "##"
    largest = ["##" * 200, *[row] * 198, "##" * 200]
    largest[100] = largest[100].replace("AE", "<<", 1)
    env = envpool.make(TASK, "gymnasium", map=largest, image="full", observation="image")
    assert env.reset()[0].shape == (1, 200, 200, 3)
