"""Pools of Atari's games: their specs, flavours, seeds, threads and pictures."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from atari_oracle import (
    MAX_EPISODE_STEPS,
    OPTIONS,
    TASKS,
    Reference,
    Upstream,
    ale_py,
    assert_same,
    cv2,
    defaults,
    roms,
    rows,
)
from helpers import assert_same_bytes, leaves

# How many actions EnvPool 1.2.5 has for a game; for all others, those of the console.
ALL_ACTIONS = 18
ACTIONS = {
    game: count
    for count, games in {
        3: "backgammon freeway skiing",
        4: "atlantis atlantis2 blackjack breakout casino kaboom",
        5: "frogger pacman surround tetris video_checkers",
        6: "air_raid basic_math bowling carnival demon_attack galaxian king_kong name_this_game "
        "pong pooyan qbert sir_lancelot space_invaders up_n_down",
        7: "assault",
        8: "gopher phoenix tutankham",
        9: "asterix beam_rider crazy_climber enduro koolaid lost_luggage ms_pacman video_pinball",
        10: "amidar mr_do othello tic_tac_toe_3d time_pilot video_chess wizard_of_wor",
        12: "turmoil",
        14: "asteroids keystone_kapers kung_fu_master",
        16: "journey_escape",
    }.items()
    for game in games.split()
}


@pytest.fixture
def no_roms(tmp_path, monkeypatch):
    monkeypatch.setenv("ALE_ROMS_DIR", str(tmp_path))


# --- specs --------------------------------------------------------------------------------------


def test_options_are_envpools():
    spec = envpool.make_spec("Pong-v5")
    config = spec.config._asdict()
    shared = {name: value for name, value in config.items() if name in OPTIONS}
    assert list(shared.items()) == list(OPTIONS.items())
    assert [type(value) for value in shared.values()] == [type(value) for value in OPTIONS.values()]
    names = list(config)
    assert names.index("img_width") < names.index("task") < names.index("mode")
    assert config["max_episode_steps"] == MAX_EPISODE_STEPS


@pytest.mark.usefixtures("no_roms")
@pytest.mark.parametrize("task_id", TASKS)
def test_specs_need_no_roms(task_id):
    game = TASKS[task_id]
    spec = envpool.make_spec(task_id)
    assert spec.config.task == game
    assert spec.config.max_episode_steps == MAX_EPISODE_STEPS
    assert spec.action_space == spaces.Discrete(ACTIONS.get(game, ALL_ACTIONS))
    assert spec.observation_space == spaces.Box(0, 255, (4, 84, 84), np.uint8)
    full = envpool.make_spec(task_id, full_action_space=True)
    assert full.action_space == spaces.Discrete(ALL_ACTIONS)


@pytest.mark.usefixtures("no_roms")
def test_arrays_are_envpools():
    spec = envpool.make_spec("Pong-v5", stack_num=2, img_height=30, img_width=40, gray_scale=False)
    arrays = spec.state_array_spec
    assert {name: (arrays[name].dtype, arrays[name].shape) for name in list(arrays)[8:]} == {
        "obs": (np.uint8, (6, 30, 40)),
        "info:lives": (np.int32, (-1,)),
        "info:reward": (np.float32, (-1,)),
        "info:terminated": (np.int32, (-1,)),
        "info:ram": (np.uint8, (128,)),
    }
    for name, most in {"obs": 255, "info:terminated": 1, "info:ram": 255}.items():
        assert (arrays[name].minimum, arrays[name].maximum) == (0, most)
    fields = spec.observation_spec()._fields
    assert fields == ("env_id", "players", "obs", "lives", "reward", "terminated", "ram")
    action = spec.action_spec()
    assert (action.num_values, action.dtype) == (6, np.int32)
