"""Snapshots that somebody has made up, with a checksum that fits: refused or taken, and no harm."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from forged_states import mend, start_of_state
from helpers import (
    HANG_S,
    NO_ALE,
    NO_MUJOCO,
    NO_ROBOTICS,
    assert_same_results,
    make,
    run_python,
    skipping_without_engine,
)

# One task of each environment's class, and what only options show. With how many forgeries.
FAMILIES = {
    "classic_control": (
        80,
        ["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"],
    ),
    "toy_text": (
        80,
        ["FrozenLake-v1", "Taxi-v3", "CliffWalking-v1", "Blackjack-v1", "Catch-v0", "NChain-v0"],
    ),
    "testing": (40, ["testing/Counting-v0", "testing/Lives-v0", "testing/Picture-v0"]),
    # Few, because they go through whole episodes.
    "box2d": (10, ["LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3"]),
    "car_racing": (10, ["CarRacing-v3"]),
    "mujoco": (
        12,
        [
            *("Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5"),
            *("InvertedDoublePendulum-v5", "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5"),
            *("Swimmer-v5", "Walker2d-v5"),
        ],
    ),
    "atari": (12, ["Pong-v5", "MontezumaRevenge-v5"]),
}
MISSING = {"mujoco": NO_MUJOCO, "atari": NO_ALE}
ATTACK = """
import sys
sys.path.insert(0, {folder!r})
from forged_states import attack
for task_id in {task_ids!r}:
    attack(task_id, {count}, seed={seed}, **{options!r})
"""


def assert_harmless(task_ids, count, seed=0, timeout=HANG_S, **options):
    folder = str(Path(__file__).parent)
    program = ATTACK.format(
        folder=folder, task_ids=task_ids, count=count, seed=seed, options=options
    )
    done = run_python(program, timeout=timeout)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.returncode}\n{done.stderr[-3000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_forgeries(family):
    if MISSING.get(family):
        pytest.skip(MISSING[family])
    count, task_ids = FAMILIES[family]
    assert_harmless(task_ids, count)


# Where the executor's part of a state has what.
ELAPSED, OVER, CONTINUES, RESET_REQUESTED, INCREMENT = 0, 12, 13, 14, 31


def forged(state, **bytes_at):
    """The snapshot with other bytes at these places of its state."""
    data = bytearray(state)
    for name, value in bytes_at.items():
        place = start_of_state(state) + globals()[name]
        data[place : place + len(value)] = value
    return mend(bytes(data))


@pytest.mark.parametrize(
    ("task_id", "changes", "why"),
    [
        ("LunarLander-v3", {"RESET_REQUESTED": b"\0"}, "an episode without a beginning"),
        (
            "CartPole-v1",
            {"ELAPSED": (500).to_bytes(4, "little"), "OVER": b"\0"},
            "an episode beyond its end",
        ),
        ("CartPole-v1", {"CONTINUES": b"\1"}, "an episode that cannot be continued"),
        ("CartPole-v1", {"OVER": b"\7"}, "a field whose value is 7"),
        ("CartPole-v1", {"INCREMENT": b"\0"}, "no random generator"),
    ],
)
def test_what_the_executor_refuses(task_id, changes, why):
    pool = make(task_id, 2)
    first, second = pool.get_state()
    with pytest.raises(
        RuntimeError, match=f"environment 0 has failed to read .*the state has {why}"
    ):
        pool.set_state([forged(first, **changes), second])
    pool.reset()
    pool.step([0, 0])


def with_changed_numbers(state, old, new):
    """The snapshot with other numbers in the place of these, which are in it once or more."""
    assert state.count(old) > 0
    return mend(state.replace(old, new))


@pytest.mark.parametrize(
    ("task_id", "action", "forged_action"),
    [
        ("BipedalWalker-v3", [0.11, 0.22, 0.33, 0.44], [0.11, math.nan, 0.33, 0.44]),
        ("LunarLanderContinuous-v3", [0.11, 0.22], [math.nan, 0.22]),
        ("CarRacing-v3", [0.11, 0.22, 0.33], [0.11, 0.22, math.nan]),
        ("LunarLander-v3", [2.0], [3e38]),
    ],
)
def test_actions_that_no_pool_takes(task_id, action, forged_action):
    """They would leave NaN in the engine's world for ever, and then a step takes seconds."""
    pool = make(task_id, 1)
    pool.reset()
    pool.step(np.array([action], np.float32) if len(action) > 1 else np.array(action, int))
    old, new = np.float32(action).tobytes(), np.float32(forged_action).tobytes()
    states = pool.get_state()
    with pytest.raises(RuntimeError, match="the state has a field whose value is"):
        pool.set_state([with_changed_numbers(states[0], old, new)])
    pool.set_state(states)


def test_winds_that_no_option_has():
    pool = make("LunarLander-v3", 1, enable_wind=True, wind_power=17.25)
    pool.reset()
    old, new = struct.pack("<d", 17.25), struct.pack("<d", 1e308)
    states = pool.get_state()
    with pytest.raises(RuntimeError, match="the state has a field whose value is 1000"):
        pool.set_state([with_changed_numbers(states[0], old, new)])


def cut_off(state, count):
    """The snapshot without the last bytes of its state."""
    start = start_of_state(state)
    length = struct.pack("<Q", len(state) - count - start)
    return mend(state[: start - 8] + length + state[start:-count])


@pytest.mark.skipif(bool(NO_ROBOTICS), reason=NO_ROBOTICS)
def test_a_hand_forgets_what_it_has_read_of_a_state_that_is_cut_off():
    """Its episodes begin with forces and controls as they are, but not with these."""
    pool, other = (make("HandManipulateEgg-v1", 1) for _ in range(2))
    pool.reset(seed=5)
    state = pool.get_state()[0]
    forces = b"\x40" * 800  # each number is 32.5
    forged_state = state.replace(bytes(len(forces)), forces)
    assert forged_state != state
    with pytest.raises(RuntimeError, match="the state's bytes end too early"):
        pool.set_state([cut_off(forged_state, 10_000)])
    assert_same_results(pool.reset(seed=1), other.reset(seed=1))


@pytest.mark.long  # .ci/long has all tasks
@pytest.mark.parametrize(
    "task_id", skipping_without_engine(each for _, tasks in FAMILIES.values() for each in tasks)
)
def test_many_forgeries(task_id):
    assert_harmless([task_id], 200, seed=1, timeout=20 * HANG_S)


@pytest.mark.long
@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("Catch-v0", {"height": 2, "width": 1}),
        ("FrozenLake-v1", {"desc": ["SG"]}),
        ("Taxi-v3", {"is_rainy": True, "fickle_passenger": True}),
        ("CarRacing-v3", {"domain_randomize": True, "continuous": False}),
        ("LunarLander-v3", {"enable_wind": True}),
        *(
            pytest.param(*case, marks=pytest.mark.skipif(bool(NO_MUJOCO), reason=NO_MUJOCO))
            for case in [("Hopper-v5", {"frame_stack": 3}), ("Ant-v4", {"frame_skip": 1})]
        ),
        *(
            pytest.param(
                "Breakout-v5", options, marks=pytest.mark.skipif(bool(NO_ALE), reason=NO_ALE)
            )
            for options in [
                {"repeat_action_probability": 0.25},
                {"episodic_life": True, "noop_max": 3},
                {"stack_num": 1, "frame_skip": 1, "gray_scale": False},
            ]
        ),
    ],
)
def test_many_forgeries_with_options(task_id, options):
    assert_harmless([task_id], 200, seed=2, timeout=20 * HANG_S, **options)
