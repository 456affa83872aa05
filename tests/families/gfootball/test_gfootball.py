"""Football's scenarios, which must equal upstream's Python package on the same engine."""

import numpy as np
import pytest

import envpool
from envpool.families.gfootball.registration import SCENARIOS
from gfootball_oracle import play_together
from helpers import OraclePair, assert_same_results, run_python

SHORT = "gfootball/academy_empty_goal_close-v1"  # whose episodes are
BOTH = {"number_of_left_players_agent_controls": 2, "number_of_right_players_agent_controls": 2}


# --- the same bytes -----------------------------------------------------------------------------


def test_time_limit():
    """EnvPool's ids cut a game short by one step."""
    pair = OraclePair("gfootball/academy_empty_goal-v1", max_episode_steps=6)
    assert pair.play_as_oracle(14) == 2


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        ("academy_empty_goal_close", {"rewards": "scoring,checkpoints"}),
        ("academy_empty_goal_close", {"stacked": True, "channel_dimensions": [40, 30]}),
        ("academy_run_to_score", {"representation": "simple115"}),
        ("academy_3_vs_1_with_keeper", {"representation": "simple115v2", "action_set": "v2"}),
        ("academy_pass_and_shoot_with_keeper", {"representation": "raw", "action_set": "full"}),
        ("1_vs_1_easy", {"game_engine_random_seed": 77, "physics_steps_per_frame": 5}),
        ("5_vs_5", BOTH | {"rewards": "scoring,checkpoints"}),
        ("5_vs_5", BOTH | {"representation": "raw"}),
        ("academy_run_to_score", BOTH | {"representation": "raw"}),
        ("5_vs_5", {"number_of_left_players_agent_controls": 0} | dict([[*BOTH.items()][1]])),
        ("academy_corner", BOTH | {"representation": "simple115v2"}),
    ],
    ids=lambda each: each if isinstance(each, str) else next(iter(each)),
)
def test_options(scenario, options):
    play_together(scenario, 30, **options)


@pytest.mark.long
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_all_players(scenario):
    """With raw observations, so that everything is compared that there is."""
    spec = envpool.make_spec(f"gfootball/{scenario}-v1", representation="raw")
    controllable = 4 if scenario == "5_vs_5" else None
    left, right = (
        controllable or len(spec.observation_space[f"{team}_team"].low)
        for team in ("left", "right")
    )
    options = {
        "number_of_left_players_agent_controls": left,
        "number_of_right_players_agent_controls": right,
        "representation": "raw",
        "rewards": "scoring,checkpoints",
    }
    for seed in (0, 1):
        play_together(scenario, 700, seed, **options)


# --- pools --------------------------------------------------------------------------------------


def test_rows_of_players():
    pool = envpool.make("gfootball/5_vs_5-v1", num_envs=2, **BOTH)
    obs, info = pool.reset()
    assert obs.shape == (8, 72, 96, 4)
    assert info["players"]["env_id"].tolist() == [0] * 4 + [1] * 4
    _, reward, terminated, _, info = pool.step(np.zeros(8, int))
    assert reward.shape == (8,)
    assert terminated.shape == (2,)
    assert info["score"].shape == (2, 2)


def test_infos_of_the_second_half():
    """The sides change with every episode."""
    pool = envpool.make("gfootball/11_vs_11_stochastic-v1", seed=1)
    _, first = pool.reset()
    _, second = pool.reset()
    assert (first["episode_number"][0], second["episode_number"][0]) == (2, 3)
    assert first["engine_seed"] != second["engine_seed"]
    assert first["steps_left"][0] == 3001


# --- snapshots and pictures ---------------------------------------------------------------------


def test_pictures():
    """The pitch from above: both teams, the ball, and who is controlled."""
    pool = envpool.make("gfootball/11_vs_11_stochastic-v1", render_mode="rgb_array")
    twin = envpool.make("gfootball/11_vs_11_stochastic-v1")
    pool.reset()
    twin.reset()
    picture = pool.render()[0]
    assert picture.shape == (400, 600, 3)
    colours = {tuple(pixel) for pixel in picture.reshape(-1, 3).tolist()}
    assert {(214, 52, 52), (48, 92, 210), (250, 220, 70), (255, 255, 255)} <= colours
    action = np.array([5])
    assert_same_results(pool.step(action), twin.step(action))
    assert (pool.render()[0] != picture).any()


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"env_name": "academy_penalty"}, "env_name is 'academy_penalty', expected '11_vs_11_comp"),
        (
            {"number_of_left_players_agent_controls": 5},
            "is 5, but in 5_vs_5 at most 4 players of that team can be controlled",
        ),
        ({"number_of_right_players_agent_controls": -1}, "number_of_right_players_agent_controls"),
        ({"number_of_left_players_agent_controls": 0}, "both 0, expected at least one player"),
        ({"stacked": True, "representation": "raw"}, "stacked is True, expected False with"),
        ({"channel_dimensions": [96]}, "channel_dimensions are a width and a height"),
        ({"representation": "pixels"}, "representation is 'pixels', expected 'extracted' or"),
        ({"rewards": "checkpoints"}, "rewards is 'checkpoints', expected 'scoring' or"),
        ({"physics_steps_per_frame": 0}, "physics_steps_per_frame is 0"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else None,
)
def test_options_that_do_not_fit(options, match):
    for make_it in (envpool.make_spec, envpool.make):
        with pytest.raises(envpool.ArgumentError, match=match):
            make_it("gfootball/5_vs_5-v1", **options)


def test_missing_data(monkeypatch, tmp_path):
    done = run_python(
        f"""
from pathlib import Path
import envpool
import envpool.families.gfootball as family
family.__file__ = {str(tmp_path / "__init__.py")!r}
try:
    envpool.make({SHORT!r})
except RuntimeError as error:
    print(error)
"""
    )
    assert f"are not in {tmp_path}/data, where envpool was installed" in done.stdout, done.stderr


@pytest.mark.slow
def test_the_process_keeps_what_is_its_own():
    """The handler of SIGSEGV, the C library's random numbers, and standard output."""
    done = run_python(
        f"""
import ctypes, faulthandler
import envpool
libc = ctypes.CDLL(None)
libc.srand(5)
first = libc.rand()
libc.srand(5)
pool = envpool.make({SHORT!r})
pool.reset()
assert libc.rand() == first
libc.signal.restype = ctypes.c_void_p
assert not libc.signal(11, None)
pool.close()
"""
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
