"""Atari's games compute the same bytes as Gymnasium's stack and ALE's vector environment."""

import functools
import itertools

import gymnasium
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import envpool
from atari_oracle import (
    VARIANTS,
    Reference,
    Upstream,
    assert_same,
    compare,
    compare_with,
    compare_with_vector_env,
    cv2,
    defaults,
    rows,
)
from envpool.errors import EnvironmentFailure
from envpool.oracles.atari import NO_NOOP, TASKS
from helpers import assert_same_bytes, random_actions

SCREENS = {"Breakout-v5": (210, 160), "AirRaid-v5": (250, 160)}
WITH_LIVES = ["Breakout-v5", "MsPacman-v5", "Seaquest-v5"]


# --- the same as Gymnasium ----------------------------------------------------------------------


# Not with all games, since it takes ALE long to load one; the command does.
OTHER_VARIANTS = [*zip(list(TASKS)[::3], itertools.cycle(list(VARIANTS)[1:]))]


@pytest.mark.parametrize(("task_id", "variant"), OTHER_VARIANTS)
@pytest.mark.one_in(16)
def test_variants(task_id, variant):
    compare(task_id, 60, seed=2, max_episode_steps=41, **VARIANTS[variant])


@pytest.mark.parametrize("task_id", WITH_LIVES)
@pytest.mark.one_in(3)
def test_a_lost_life_ends_the_game(task_id):
    ended = compare(task_id, 350, seed=1, terminal_on_life_loss=True)
    assert ended.terminated > ended.games


of_several_modes = pytest.mark.parametrize(
    "task_id",
    ["Adventure-v5", "AirRaid-v5", "Asteroids-v5", "Breakout-v5", "Casino-v5", "Freeway-v5",
     "IceHockey-v5", "Othello-v5", "Pong-v5", "SpaceInvaders-v5", "VideoCheckers-v5"],
)  # fmt: skip


@of_several_modes
@pytest.mark.one_in(5)
def test_modes_and_difficulties_of_resets(task_id):
    """One reset has what ALE is told before it is reset, and the next one has the usual again."""
    ale = Reference(task_id, 0).ale
    modes, difficulties = ale.getAvailableModes(), ale.getAvailableDifficulties()
    usual = {"mode": modes[len(modes) // 2], "difficulty": difficulties[0]}
    options = defaults(task_id) | usual
    theirs = Upstream(task_id, 3, **options)
    pool = envpool.make(task_id, "gymnasium", seed=3, **options)
    policy = np.random.default_rng(0)
    chosen = [
        *({"mode": mode} for mode in (modes[0], modes[-1])),
        {},
        *({"difficulty": difficulty} for difficulty in difficulties),
        {"mode": modes[0], "difficulty": difficulties[-1]},
        {},
    ]
    for reset_options in ({}, *chosen):
        told = usual | reset_options
        theirs.ale.setMode(told["mode"])
        theirs.ale.setDifficulty(told["difficulty"])
        result, expected = pool.reset(options=reset_options), theirs.reset()
        for step in range(12):
            assert_same(next(rows(result)), expected, f"{reset_options}, step {step}")
            action = random_actions(pool, policy)
            result, expected = pool.step(action), theirs.step(int(action[0]))
    with pytest.raises(EnvironmentFailure, match=r"mode is 999, expected for .* \(the default\), "):
        pool.reset(options={"mode": 999})
    with pytest.raises(EnvironmentFailure, match=r"difficulty is 9, expected for .* one of"):
        pool.reset(options={"difficulty": 9})
    pool.reset()


@of_several_modes
@pytest.mark.one_in(5)
def test_modes_and_difficulties(task_id):
    ale = Reference(task_id, 0).ale
    modes, difficulties = ale.getAvailableModes(), ale.getAvailableDifficulties()
    mode, difficulty = modes[-1], difficulties[-1]
    assert (mode, difficulty) != (0, 0)
    for name, known in {"mode": modes, "difficulty": difficulties}.items():
        expected = rf"\(the default\), {', '.join(map(str, known))}$"
        with pytest.raises(ValueError, match=f"{name} is 999, expected for .*{expected}"):
            envpool.make_spec(task_id, **{name: 999})
    options = {"mode": mode, "difficulty": difficulty, "max_episode_steps": 15}
    assert compare(task_id, 40, **options).truncated == 2


@pytest.mark.parametrize(
    "options",
    [
        *({"frame_skip": skip} for skip in (1, 2, 3, 5)),
        {"stack_num": 1},
        {"stack_num": 2, "gray_scale": False},
        {"stack_num": 7, "img_height": 42},
        {"noop_max": 0},
        {"noop_max": 1},
        {"noop_max": 7},
        {"img_height": 210, "img_width": 160},
        {"img_height": 96, "img_width": 64, "gray_scale": False},
        {"repeat_action_probability": 1.0},
        {"repeat_action_probability": 0.6, "frame_skip": 1},
    ],
    ids=str,
)
@pytest.mark.one_in(6)
def test_options(options):
    ended = compare("Breakout-v5", 40, seed=2, num_envs=2, max_episode_steps=12, **options)
    assert ended.truncated == 6


@pytest.mark.parametrize("task_id", ["Pong-v5", "UpNDown-v5"])
@pytest.mark.one_in(2)
def test_seeds(task_id):
    for seed in (0, 12345, 2**31, 2**63):
        compare(task_id, 20, seed=seed, max_episode_steps=8, repeat_action_probability=0.25)


# With paddles, with joysticks, without a button.
@pytest.mark.parametrize("task_id", ["Breakout-v5", "Pong-v5", "MontezumaRevenge-v5", "Skiing-v5"])
@pytest.mark.parametrize("threshold", [0.5, 0.1])
@pytest.mark.one_in(3)
def test_continuous_actions(task_id, threshold):
    options = {"continuous": True, "continuous_action_threshold": threshold, "noop_max": 0}
    sticky = {"repeat_action_probability": 0.25}
    ended = compare(task_id, 400, seed=3, max_episode_steps=150, **options, **sticky)
    assert ended.terminated + ended.truncated >= 2


def test_continuous_actions_at_the_threshold():
    """Rounded as NumPy does, which is what decides there."""
    policy = np.random.default_rng(0)
    angles = policy.uniform(-np.pi, np.pi, 300).astype(np.float32)
    options = {"continuous": True, "repeat_action_probability": 0.0, "noop_max": 0}
    options |= {"frame_skip": 1}
    theirs = Upstream("MontezumaRevenge-v5", 0, **defaults("MontezumaRevenge-v5", **options))
    with envpool.make(
        "MontezumaRevenge-v5", "gymnasium", seed=0, use_fire_reset=False, **options
    ) as pool:
        assert_same(next(rows(pool.reset())), theirs.reset(), "reset")
        for step, angle in enumerate(angles):
            radius = np.float32(0.5) / np.cos(angle)
            action = np.array([radius, angle, step % 2], np.float32)
            (row,) = rows(pool.step(action[None]))
            assert_same(row, theirs.step(action), f"step {step}")


def test_noops_that_end_the_game():
    """The next one starts from the same seed. Assault takes 642 frames if nobody does anything."""
    np_seed, _ = np.random.SeedSequence(3).generate_state(2)
    assert np.random.default_rng(int(np_seed)).integers(1, 1001) > 700
    compare("Assault-v5", 2, seed=3, noop_max=1000)


# --- what Gymnasium has no option for -----------------------------------------------------------


@pytest.mark.parametrize("fire", [False, True])
@pytest.mark.parametrize("task_id", NO_NOOP)
@pytest.mark.one_in(5)
def test_noops_where_they_are_no_action(task_id, fire):
    options = {"use_fire_reset": fire, "max_episode_steps": 12}
    assert compare_with(Reference, task_id, 40, num_envs=2, **options).truncated == 6


@functools.cache
def newest_frame(task_id, grey, **options):
    """Its planes."""
    with envpool.make(task_id, "gymnasium", stack_num=1, gray_scale=grey, **options) as pool:
        pool.reset()
        return pool.step(np.array([3]))[0][0]


@settings(deadline=None, max_examples=40)
@given(
    task_id=st.sampled_from(list(SCREENS)),
    height=st.integers(1, 300),
    width=st.integers(1, 300),
    area=st.booleans(),
    grey=st.booleans(),
)
@example("Breakout-v5", 105, 80, True, True)  # boxes of 2 x 2
@example("Breakout-v5", 105, 80, False, False)
@example("Breakout-v5", 70, 32, True, False)  # of 3 x 5
@example("AirRaid-v5", 50, 16, False, False)
@example("Breakout-v5", 420, 320, True, True)  # twice as large
@example("Breakout-v5", 105, 320, True, True)  # lower and wider
@example("Breakout-v5", 1, 1, True, True)
@example("Breakout-v5", 1, 1, False, True)
@example("Breakout-v5", 211, 161, True, True)
def test_sizes(task_id, height, width, area, grey):
    """OpenCV's pictures of that of the screen's own size, which is Gymnasium's by test_options."""
    screen_height, screen_width = SCREENS[task_id]
    screen = newest_frame(task_id, grey, img_height=screen_height, img_width=screen_width)
    how = cv2.INTER_AREA if area else cv2.INTER_LINEAR
    expected = np.stack([cv2.resize(plane, (width, height), interpolation=how) for plane in screen])
    size = {"img_height": height, "img_width": width}
    ours = newest_frame.__wrapped__(task_id, grey, use_inter_area_resize=area, **size)
    assert_same_bytes(ours, expected)


@pytest.mark.parametrize("options", [{}, {"gray_scale": False, "frame_skip": 1}], ids=str)
def test_linear_resizing(options):
    ended = compare_with(
        Reference, "MsPacman-v5", 100, use_inter_area_resize=False, max_episode_steps=30, **options
    )
    assert ended.truncated == 3


@pytest.mark.parametrize("task_id", WITH_LIVES)
@pytest.mark.one_in(3)
def test_episodes_of_a_life(task_id):
    ended = compare_with(Reference, task_id, 750, 3, episodic_life=True, reward_clip=True)
    assert ended.terminated > ended.games >= 1


def test_the_last_life_ends_with_the_game():
    """Which in this one is some steps later."""
    compare_with(Reference, "WizardOfWor-v5", 300, 8, episodic_life=True)


def test_episodes_of_a_life_and_a_time_limit():
    """At the limit the game ends, also if a life was lost in the same step."""
    ended = compare_with(
        Reference, "Breakout-v5", 300, num_envs=2, episodic_life=True, max_episode_steps=24
    )
    assert min(ended.terminated, ended.truncated) >= 5


# --- the same as ALE's vector environment -------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "steps", "ends", "ours", "theirs"),
    [
        ("Breakout-v5", 500, 1, {}, {}),
        ("Seaquest-v5", 100, 0, {"gray_scale": False}, {"grayscale": False}),
        ("Seaquest-v5", 100, 0, {"use_fire_reset": False}, {"use_fire_reset": False}),
        # It has no button to press.
        ("MsPacman-v5", 200, 0, {"reward_clip": True}, {"reward_clipping": True}),
        ("Breakout-v5", 200, 2, {"terminal_on_life_loss": True}, {"episodic_life": True}),
        ("Seaquest-v5", 300, 2, {"terminal_on_life_loss": True}, {"episodic_life": True}),
    ],
    ids=str,
)
@pytest.mark.one_in(6)
def test_vector_env(task_id, steps, ends, ours, theirs):
    sticky = {"repeat_action_probability": 0.25}
    ended = compare_with_vector_env(task_id, steps, ours, theirs, **sticky)
    assert ended.terminated >= ends


@pytest.mark.parametrize("options", [{}, {"full_action_space": True}, {"continuous": True}])
def test_meanings_of_actions_are_ales(options):
    ale_py = pytest.importorskip("ale_py")
    gymnasium.register_envs(ale_py)
    theirs = gymnasium.make("ALE/Breakout-v5", **options).unwrapped.get_action_meanings()
    env = gymnasium.make("envpool/Breakout-v5", **options)
    assert env.unwrapped.get_action_meanings() == theirs
    envs = gymnasium.make_vec("envpool/Breakout-v5", 2, **options)
    assert envs.call("get_action_meanings") == (theirs, theirs)
    assert envs.get_action_meanings() == theirs


def test_environments_with_different_actions_have_their_own_meanings():
    pytest.importorskip("ale_py")
    spec = envpool.make_spec("Pong-v5")
    own = [
        {"task": game, "full_action_space": False, "continuous": False}
        for game in ("pong", "breakout")
    ]
    assert len(spec.pool_method("get_action_meanings", own[:1])()) == spec.action_space.n
    with pytest.raises(envpool.ArgumentError, match=r'call\("get_action_meanings"\)'):
        spec.pool_method("get_action_meanings", own)()
