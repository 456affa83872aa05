"""MuJoCo's environments with ``from_pixels``: what they observe is what ``render()`` draws."""

from collections import deque
from functools import partial

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.flavours.strict import EnvPoolVectorEnv
from helpers import assert_same_bytes, assert_same_results, begun
from helpers import make as make_task
from mujoco_oracle import MARKS, mujoco, without_textures
from opengl import FAST

pytestmark = [*MARKS, pytest.mark.usefixtures("opengl")]

TASK = "Hopper-v5"
N = 3
WIDTH, HEIGHT = 20, 12
FLAVOURS = ("gymnasium", "gym", "dm")
DRAWN = {"from_pixels": True, "render_mode": "rgb_array"}
SMALL = FAST | {"render_width": WIDTH, "render_height": HEIGHT, "seed": 5, "max_episode_steps": 4}


def make(task_id=TASK, num_envs=N, env_type="gymnasium", **options):
    options = DRAWN | SMALL | without_textures(task_id) | options
    return make_task(task_id, num_envs, env_type, **options)


def make_vec(task_id=TASK, num_envs=N, **options):
    options = DRAWN | SMALL | without_textures(task_id) | options
    return gymnasium.make_vec(f"envpool/{task_id}", num_envs, **options)


def actions(pool, rng):
    space = pool.spec.action_space
    return rng.uniform(space.low, space.high, (pool.num_envs, *space.shape))


def play(pool, steps=10, seed=0):
    """The results of a reset and some steps; episodes end in between."""
    rng = np.random.default_rng(seed)
    yield pool.reset()
    for _ in range(steps):
        yield pool.step(actions(pool, rng))


def channels_first(pictures):
    return np.moveaxis(pictures, -1, 1)


def pixels_of(result):
    """The pictures in the results of any flavour."""
    return result.observation.pixels if hasattr(result, "observation") else result[0]


class Stack:
    """The last pictures of each environment, oldest first, from ``render()``."""

    def __init__(self, pool, size):
        self.size = size
        # Gymnasium's API always draws all of them.
        self.draw = partial(
            pool.render, *([] if isinstance(pool, EnvPoolVectorEnv) else [pool.all_env_ids])
        )
        self.pictures = [deque(maxlen=size) for _ in range(pool.num_envs)]

    def expect(self, is_first):
        """What is to be observed now; ``is_first`` tells whose episode has just begun."""
        drawn = channels_first(np.stack(self.draw()))
        for stack, picture, first in zip(self.pictures, drawn, is_first, strict=True):
            stack.extend([picture] * (self.size if first else 1))
        return np.stack([np.concatenate(stack) for stack in self.pictures])


# --- shapes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame_stack", [1, 3])
def test_spaces(frame_stack):
    spec = envpool.make_spec(TASK, from_pixels=True, frame_stack=frame_stack, width=20)
    shape = (3 * frame_stack, 84, 20)
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, shape, np.uint8)
    assert "obs" not in spec.state_array_spec
    field = spec.state_array_spec["obs:pixels"]
    assert (np.dtype(field.dtype), tuple(field.shape)) == (np.uint8, shape)
    assert spec.pictures.size == (20, 480)  # of render()
    dm = spec.observation_spec().pixels
    assert (dm.dtype, dm.shape) == (np.uint8, shape)
    assert (np.unique(dm.minimum), np.unique(dm.maximum)) == (0, 255)


def test_gymnasiums_api():
    env = make_vec(frame_stack=2)
    assert env.single_observation_space.shape == (6, HEIGHT, WIDTH)
    assert env.observation_space.shape == (N, 6, HEIGHT, WIDTH)
    obs, _ = env.reset(seed=1)
    assert obs in env.observation_space
    single = gymnasium.make(
        f"envpool/{TASK}",
        from_pixels=True,
        frame_stack=2,
        **FAST,
        **without_textures(TASK),
        width=WIDTH,
        height=HEIGHT,
    )
    first, _ = single.reset(seed=1)
    assert_same_bytes(first, obs[0])
    action = np.ones(3, np.float32)
    assert_same_bytes(single.step(action)[0], env.step(np.stack([action] * N))[0][0])


# --- pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("env_type", FLAVOURS)
@pytest.mark.parametrize("frame_stack", [1, 3])
@pytest.mark.one_in(6)
def test_what_render_draws(env_type, frame_stack):
    pool = make(env_type=env_type, frame_stack=frame_stack)
    stack = Stack(pool, frame_stack)
    for step, result in enumerate(play(pool)):
        # Episodes are of four steps, the next step resets.
        assert_same_bytes(pixels_of(result), stack.expect([step % 5 == 0] * N))


def test_partial_resets():
    pool = make(frame_stack=2, max_episode_steps=100)
    stack = Stack(pool, 2)
    rng = np.random.default_rng(0)
    assert_same_bytes(pool.reset()[0], stack.expect([True] * N))
    assert_same_bytes(pool.step(actions(pool, rng))[0], stack.expect([False] * N))
    obs, _ = pool.reset(np.array([1]))
    stack.pictures[1].extend([channels_first(pool.render(1))[0]] * 2)
    assert_same_bytes(obs[0], np.concatenate(stack.pictures[1]))
    assert_same_bytes(pool.step(actions(pool, rng))[0], stack.expect([False] * N))


@pytest.mark.parametrize("frame_stack", [1, 2])
@pytest.mark.one_in(2)
def test_same_step_resets(frame_stack):
    pool = make_vec(frame_stack=frame_stack, autoreset_mode="SameStep")
    # The same without auto-reset observes the last states of episodes.
    twin = make_vec(frame_stack=frame_stack, autoreset_mode="Disabled")
    stack = Stack(pool, frame_stack)
    rng = np.random.default_rng(0)
    results = pool.reset(seed=5)
    assert_same_results(results, twin.reset(seed=5))
    assert_same_bytes(results[0], stack.expect([True] * N))
    ends = 0
    for _ in range(9):
        action = rng.uniform(-1, 1, (N, 3)).astype(np.float32)
        results, expected = pool.step(action), twin.step(action)
        over = results[2] | results[3]
        if over.any():
            assert over.all()
            assert_same_bytes(np.stack(list(results[-1]["final_obs"])), expected[0])
            expected = twin.reset(options={"reset_mask": over})
            ends += 1
        assert_same_bytes(results[0], expected[0])
        assert_same_bytes(results[0], stack.expect(over))
    assert ends == 2


@pytest.mark.parametrize(
    "option",
    [
        {"default_camera_config": {"distance": 2.0}},
        {"visual_options": {mujoco.mjtVisFlag.mjVIS_TRANSPARENT: True}},
        {"max_geom": 3},
        {"render_camera_id": 0},
        {"camera_name": "track"},
        {"render_shadows": True, "render_shadow_size": 128},
        {"render_multisamples": 2},
    ],
)
@pytest.mark.one_in(4)
def test_options_of_pictures(option):
    model = {"xml_file": "hopper.xml"}  # whose textures show shadows
    pool, plain = make(**model, **option), make(**model)
    stack = Stack(pool, 1)
    for result, other in zip(play(pool, 2), play(plain, 2), strict=True):
        assert_same_bytes(pixels_of(result), stack.expect([False] * N))
        assert (pixels_of(result) != pixels_of(other)).any()


def test_without_a_render_mode():
    for result, other in zip(play(make(render_mode=None), 3), play(make(), 3), strict=True):
        assert_same_results(result, other)


# --- everything else ----------------------------------------------------------------------------


# --- snapshots ----------------------------------------------------------------------------------


@pytest.mark.parametrize("frame_stack", [1, 3])
@pytest.mark.parametrize("steps", [0, 2, 4])
@pytest.mark.one_in(4)
def test_snapshots(frame_stack, steps):
    pool = make("Swimmer-v5", frame_stack=frame_stack)
    rng = np.random.default_rng(0)
    pool.reset()
    for _ in range(steps):
        pool.step(actions(pool, rng))
    fresh, used = (make("Swimmer-v5", frame_stack=frame_stack, seed=seed) for seed in (8, 9))
    used.reset()
    used.step(actions(used, rng))
    for other in (fresh, used):
        other.set_state(pool.get_state())
    for _ in range(6):
        action = actions(pool, rng)
        results = pool.step(action)
        for other in (fresh, used):
            assert_same_results(other.step(action), results)


def test_snapshots_of_other_pictures():
    pool = begun(make())
    state = pool.get_state([0])
    for options in ({"frame_stack": 2}, {"render_width": 21}, {"from_pixels": False}):
        with pytest.raises(ValueError, match=next(iter(options))):
            make(**options).set_state(state, [0])
