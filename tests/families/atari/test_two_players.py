"""Two players at one console, beside what multi_agent_ale_py was recorded to do."""

import json

import numpy as np
import pytest

import envpool
from envpool.cli.keyboard import keyboard_of
from helpers import assert_goes_on_from_snapshots, assert_same_results, begun, skip_without_upstream
from record_two_players import CASES, GAMES, PATH, Record, actions, make_ours, numbers

skip_without_upstream("atari")

RECORDS = json.loads(PATH.read_text())


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", CASES)
def test_as_recorded(case):
    record = Record()
    env, _, _, start = make_ours(case)
    assert start == RECORDS[case]["start"], "record again: how the console starts has changed"
    for frame, pair in enumerate(actions(), 1):
        obs, rewards, terminated, _, info = env.step(pair)
        lives, is_over = info["lives"].tolist(), bool(terminated[0])
        record.add(frame, info["ram"], obs, rewards, lives, is_over)
        if is_over:
            break
    for name in ("events", "memory", "screen"):
        assert getattr(record, name) == RECORDS[case][name]


def test_rewards_and_ends_were_recorded():
    events = {case: RECORDS[case]["events"] for case in CASES}
    assert sum(any(event[1:3]) for case in CASES for event in events[case]) > 50
    assert sum(event[-1] for case in CASES for event in events[case]) >= 2


def make(task_id="Boxing-v5", num_envs=3, **options):
    return envpool.make_gymnasium(task_id, num_envs=num_envs, players=2, seed=7, **options)


def test_players_have_actions_rewards_and_lives():
    env = make(num_threads=2)
    obs, info = env.reset()
    assert obs.shape == (3, 4, 84, 84) and env.spec.config.max_num_players == 2
    assert info["players"]["env_id"].tolist() == [0, 0, 1, 1, 2, 2]
    obs, reward, terminated, _, info = env.step(np.arange(6))
    assert reward.shape == info["lives"].shape == info["terminated"].shape == (6,)
    assert terminated.shape == (3,) and info["ram"].shape == (3, 128)


@pytest.mark.parametrize("options", [{}, {"continuous": True}], ids=str)
def test_a_snapshot(options):
    env = begun(make("Pong-v5", **options))
    space = env.action_space
    space.seed(0)
    steps = [np.stack([space.sample() for _ in range(6)]) for _ in range(40)]
    assert_goes_on_from_snapshots(env, steps, before=20)


def test_each_player_repeats_actions():
    frames = {"frame_skip": 1, "noop_max": 0, "use_fire_reset": False, "num_envs": 1}
    sticky, plain = begun(make(repeat_action_probability=0.25, **frames)), begun(make(**frames))
    seed = int(np.random.SeedSequence(7).generate_state(1, np.uint64)[0] >> np.uint64(32))
    draws = numbers(seed, 400).reshape(-1, 2) / 2**32
    held = np.zeros(2, np.int32)
    for draw, action in zip(
        draws, np.random.default_rng(0).integers(18, size=(200, 2)), strict=True
    ):
        held = np.where(draw >= 0.25, action, held)
        assert_same_results(sticky.step(action), plain.step(held))


@pytest.mark.parametrize(
    ("task_id", "options", "match"),
    [
        ("Breakout-v5", {}, "players is 2, expected 1 for breakout: two can play backgammon, "),
        ("Pong-v5", {"mode": 0}, "mode is 0, expected for pong one of -1 .*, 3, 4, 9"),
        ("Pong-v5", {"episodic_life": True}, "episodic_life is True, expected False for two"),
        ("Pong-v5", {"terminal_on_life_loss": True}, "terminal_on_life_loss is True"),
        ("Pong-v5", {"zero_discount_on_life_loss": True}, "zero_discount_on_life_loss is True"),
    ],
)
def test_what_two_cannot_do(task_id, options, match):
    with pytest.raises(envpool.ArgumentError, match=match):
        make(task_id, **options)


@pytest.mark.parametrize("options", [{"players": 2}, {"continuous": True}], ids=str)
def test_there_are_no_keys_for_two_or_for_sticks(options):
    with pytest.raises(ValueError, match="there are no keys for Boxing-v5"):
        keyboard_of(envpool.make_spec("Boxing-v5", **options))


def test_all_games_are_recorded():
    with pytest.raises(envpool.ArgumentError) as error:
        make("Breakout-v5")
    assert str(error.value).split("can play ")[1].split(", ") == list(GAMES)
