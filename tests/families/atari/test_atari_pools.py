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
    assert_same,
    cv2,
    defaults,
    rows,
)
from helpers import assert_same_bytes, assert_same_results, begun


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
@pytest.mark.one_in(8)
def test_specs_need_no_roms(task_id):
    game = TASKS[task_id]
    spec = envpool.make_spec(task_id)
    assert spec.config.task == game
    assert spec.config.max_episode_steps == MAX_EPISODE_STEPS
    assert spec.action_space.n >= 3  # test_originals.py and the lockstep have all of them
    assert spec.observation_space == spaces.Box(0, 255, (4, 84, 84), np.uint8)
    full = envpool.make_spec(task_id, full_action_space=True)
    assert full.action_space.n == (9 if game in ("lost_luggage", "skiing") else 18)  # no button


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


def test_what_is_observed():
    screen, ram, both = (make("Pong-v5", obs_type=kind) for kind in ("screen", "ram", "both"))
    with screen, ram, both:
        assert ram.observation_space == spaces.Box(0, 255, (128,), np.uint8)
        assert both.observation_space == spaces.Dict(
            screen=screen.observation_space, memory=ram.observation_space
        )
        results = [pool.reset() for pool in (screen, ram, both)]
        for actions in held_actions(screen, 20):
            (pictures, *_), (memory, *_, info), (observed, *_) = results
            assert_same_bytes(memory, info["ram"])
            assert_same_bytes(observed["screen"], pictures)
            assert_same_bytes(observed["memory"], memory)
            results = [pool.step(actions) for pool in (screen, ram, both)]


def test_who_observes_memory_alone_sees_the_same_pictures():
    """Which are painted only when they are asked for."""
    options = {"render_mode": "rgb_array", "terminal_on_life_loss": True}
    pools = [make("Breakout-v5", obs_type=kind, **options) for kind in ("ram", "both")]
    for pool in pools:
        pool.reset()
    for step, actions in enumerate(held_actions(pools[0], 60)):
        (memory, *rest, _), (observed, *expected, _) = (pool.step(actions) for pool in pools)
        assert_same_bytes(memory, observed["memory"])
        np.testing.assert_array_equal(rest, expected)
        if step % 7 == 0:
            assert_same_bytes(*(pool.render() for pool in pools))
    assert_same_bytes(*(pool.render() for pool in pools))


# --- EnvPool's dialect --------------------------------------------------------------------------


def make(task_id="Breakout-v5", num_envs=3, env_type="gymnasium", **options):
    options = {"num_threads": 2, "seed": 5, "noop_max": 7} | options
    return envpool.make(task_id, env_type, num_envs=num_envs, **options)


def held_actions(pool, steps, seed=0):
    """``[step, env]``; each is held for some steps, so that something happens."""
    shape = (-(-steps // 4), pool.num_envs)
    count = pool.spec.action_space.n
    actions = np.random.default_rng(seed).integers(count, size=shape, dtype=np.int32)
    return actions.repeat(4, axis=0)[:steps]


def test_dm():
    """A lost life is no end, but zero_discount_on_life_loss tells of it."""
    options = {"zero_discount_on_life_loss": True, "use_fire_reset": True, "noop_max": 7}
    pool = make("MsPacman-v5", 2, "dm", reward_clip=True, **options)
    theirs = [Reference("MsPacman-v5", 5 + i, reward_clip=True, **options) for i in range(2)]
    step, expected = pool.reset(), [env.reset() for env in theirs]
    lost = 0
    for actions in held_actions(pool, 400):
        seen = step.observation
        assert step.discount.dtype == np.float32
        for i, (env, row) in enumerate(zip(theirs, expected, strict=True)):
            infos = (seen.lives[i], seen.reward[i], seen.terminated[i])
            assert infos == (row.lives, row.score, row.game_over)
            assert_same_bytes(seen.obs[i], row.obs)
            assert_same_bytes(seen.ram[i], row.ram)
            kind = 2 if row.terminated else 0 if row.elapsed_step == 0 else 1
            assert (step.step_type[i], step.discount[i]) == (kind, env.discount)
            assert step.reward[i] == row.reward
            lost += env.discount == 0 and kind == 1
        step = pool.step(actions)
        expected = [env.step(int(a)) for env, a in zip(theirs, actions, strict=True)]
    assert lost >= 2


def test_seeds_begin_new_games_whatever_was_before():
    options = {"episodic_life": True, "repeat_action_probability": 0.25}
    pool, other = make(**options), make(seed=99, **options)
    other.reset()
    actions = held_actions(pool, 60)
    for batch in actions:
        other.step(batch)
    assert_same_results(pool.reset(), other.reset(seed=5))
    for batch in actions:
        assert_same_results(pool.step(batch), other.step(batch))


def test_partial_resets():
    options = defaults("Breakout-v5", noop_max=7, repeat_action_probability=0.25)
    pool = make(**options)
    theirs = [Upstream("Breakout-v5", 5 + i, **options) for i in range(3)]
    pool.reset()
    for env in theirs:
        env.reset()
    for step, actions in enumerate(held_actions(pool, 24)):
        if step in (3, 4, 16):
            (row,) = rows(pool.reset(np.array([1])))
            assert_same(row, theirs[1].reset(), f"reset before step {step}")
        if step == 8:
            theirs[2].seed = 77
            (row,) = rows(pool.reset(np.array([2]), seed=[77]))
            assert_same(row, theirs[2].reset(), "reset with a seed")
        for row, env, action in zip(rows(pool.step(actions)), theirs, actions, strict=True):
            assert_same(row, env.step(int(action)), f"step {step}")


# --- pictures -----------------------------------------------------------------------------------
# That all games draw ALE's pictures, test_atari.py sees.


@pytest.mark.parametrize("size", [(160, 210), (80, 105), (320, 420), (84, 84), (1, 1), (500, 33)])
@pytest.mark.one_in(6)
def test_sizes_of_pictures(size):
    """OpenCV's, of several environments at once."""
    width, height = size
    pool = make(render_mode="rgb_array", render_width=width, render_height=height)
    theirs = [Reference("Breakout-v5", 5 + i, noop_max=7) for i in range(3)]
    pool.reset()
    for env in theirs:
        env.reset()
    for actions in held_actions(pool, 6):
        pool.step(actions)
        for env, action in zip(theirs, actions, strict=True):
            env.step(int(action))
    pictures = pool.render([2, 0, 1])
    for picture, i in zip(pictures, [2, 0, 1], strict=True):
        screen = theirs[i].ale.getScreenRGB()
        assert_same_bytes(picture, cv2.resize(screen, size, interpolation=cv2.INTER_AREA))


def test_pictures_of_vector_environments():
    env = begun(gymnasium.make_vec("envpool/AirRaid-v5", 2, render_mode="rgb_array"), seed=0)
    assert [picture.shape for picture in env.render()] == [(250, 160, 3)] * 2
    assert env.metadata["render_fps"] == 15


def test_pictures_that_cannot_be_drawn():
    pool = make(render_mode="rgb_array")
    with pytest.raises(RuntimeError, match="reset"):
        pool.render()
    pool.reset()
    with pytest.raises(ValueError, match="only one view"):
        pool.render(camera_id=1)
    assert_same_bytes(pool.render(camera_id=0), pool.render(camera_id=-1))
