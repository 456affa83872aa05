"""Rollouts that store each frame once: the bytes of those that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.rollouts.frame_store import FrameStore
from envpool.spec.fields import map_leaves
from helpers import NO_MUJOCO, assert_identical, make, needs_ale

STEPS = 20
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "Pong": ("Pong-v5", {"max_episode_steps": 7}),
    "episodes shorter than a stack": ("Pong-v5", {"max_episode_steps": 2, "frame_skip": 1}),
    "a stack of two": ("Pong-v5", {"max_episode_steps": 5, "stack_num": 2}),
    "colours": ("Pong-v5", {"max_episode_steps": 7, "gray_scale": False}),
    "screen and memory": ("Pong-v5", {"max_episode_steps": 7, "obs_type": "both"}),
    "lives": ("Breakout-v5", {"episodic_life": True, "frame_skip": 30, "noop_max": 3}),
    "MuJoCo": ("Ant-v5", {"max_episode_steps": 6, "frame_stack": 3}),
}
needs_mujoco = pytest.mark.skipif(bool(NO_MUJOCO), reason=NO_MUJOCO)
each_case = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=needs_mujoco if case == "MuJoCo" else needs_ale) for case in CASES],
)
each_mode = pytest.mark.parametrize("mode", ["NextStep", "SameStep"])


def both(case: str, **options: Any) -> tuple[envpool.Rollout, envpool.Rollout]:
    """Rollouts that were reset: one with arrays of stacks, and one that has each frame once."""
    task, own = CASES[case]
    pools = [make(task, **{"seed": 3} | own | options) for _ in range(2)]
    whole, lazy = (
        envpool.Rollout(pool, STEPS, lazy_frames=is_lazy)
        for pool, is_lazy in zip(pools, (False, True), strict=True)
    )
    assert_identical(lazy.reset(), whole.reset())
    return whole, lazy


def step_both(whole: envpool.Rollout, lazy: envpool.Rollout, steps: int = STEPS) -> None:
    for _ in range(steps):
        space = whole.pool.action_space
        action = np.stack([space.sample() for _ in range(whole.num_envs)])
        assert_identical(lazy.step(action), whole.step(action))


def assert_same(lazy: Any, whole: Any, steps: int = STEPS) -> None:
    """Compares what there is of so many steps."""

    def first(name: str, count: int) -> list[Any]:
        parts = [getattr(rollout, name) for rollout in (lazy, whole)]
        return [map_leaves(lambda array: np.asarray(array)[:count], part) for part in parts]

    for name in ("observation", "info"):
        assert_identical(*first(name, steps + 1))
    for name in ("action", "reward", "terminated", "truncated"):
        assert_identical(*first(name, steps))


@each_mode
@each_case
def test_stacks_have_the_bytes_of_arrays_of_stacks(case: str, mode: str) -> None:
    whole, lazy = both(case, autoreset_mode=mode)
    whole.pool.action_space.seed(1)
    ends = 0
    for _ in range(3):  # so episodes go on where rollouts begin
        step_both(whole, lazy)
        assert_same(lazy, whole)
        ended = whole.terminated | whole.truncated
        ends += ended.sum()
        if mode == "SameStep":
            finals = [each.final_obs for each in (lazy, whole)]
            if isinstance(finals[0], dict):
                finals = [each["screen"] for each in finals]
            assert_identical(finals[0][ended], finals[1][ended])
            lengths = [each.final_info["elapsed_step"][ended] for each in (lazy, whole)]
            assert_identical(*lengths)
        assert_identical(lazy.begin(), whole.begin())
    assert ends > 3


@needs_ale
def test_indices_minibatches_and_shapes() -> None:
    whole, lazy = both("Pong")
    step_both(whole, lazy)
    observation = lazy.observation
    assert observation.shape == whole.observation.shape and len(observation) == STEPS + 1
    assert observation.dtype == np.uint8
    for index in (3, -1, (2, 1), (slice(4, 9), 0), (slice(None), 2), ([1, 5], [0, 3])):
        assert_identical(observation[index], whole.observation[index])
    for wrong in (STEPS + 1, (0, 4), (0, 0, 0)):
        with pytest.raises(IndexError):
            observation[wrong]
    with pytest.raises(ValueError, match="copy is False"):
        np.asarray(observation, copy=False)
    indices = np.random.default_rng(1).permutation(STEPS * 4)[:30]
    parts = zip(lazy.minibatch(indices), whole.minibatch(indices), strict=True)
    for part, expected in parts:
        assert expected is None or assert_identical(part, expected) is None


@needs_ale
def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    whole, lazy = both("Pong")
    on_cpu = lazy.to()
    for _ in range(2):
        step_both(whole, lazy)
        assert_identical(on_cpu.observation[5].numpy(), whole.observation[5])
        assert_identical(
            on_cpu.minibatch([0, 7, 70]).observation.numpy(),
            whole.minibatch([0, 7, 70]).observation,
        )
        lazy.begin()
        whole.begin()
    assert on_cpu.reward.dtype == torch.float32
    lazy.reward[2, 1] = 7
    assert on_cpu.reward[2, 1] == 7
    moved = lazy.observation.map(torch.from_numpy)  # as for a GPU
    assert torch.equal(moved[3, :2], torch.from_numpy(lazy.observation[3, :2]))
    assert moved.shape == lazy.observation.shape


@needs_ale
def test_states_that_are_set_and_episodes_that_begin_from_them() -> None:
    whole, lazy = both("Pong", max_episode_steps=1000)
    step_both(whole, lazy, 6)
    states = whole.pool.get_state()
    step_both(whole, lazy, 6)
    for rollout in (whole, lazy):
        rollout.pool.set_state(states[1:3], [3, 0])
        rollout.pool.next_episode([2], state=states[1])
    step_both(whole, lazy, 3)
    assert_same(lazy, whole, 15)
    whole, lazy = both("Pong")
    states = whole.pool.get_state()
    for rollout in (whole, lazy):
        rollout.pool.next_episode([2], state=states[1])
    step_both(whole, lazy)
    assert_same(lazy, whole)


@needs_ale
def test_a_quarter_of_the_memory() -> None:
    whole, lazy = both("Pong", num_envs=16)
    step_both(whole, lazy)
    store = lazy.observation._store
    taken = store.newest.nbytes + store.others.nbytes + store.references.nbytes
    assert taken < whole.observation.nbytes / 2.5  # a rollout of 128 steps has fewer beginnings


@needs_ale
def test_what_stands_between_steps_is_refused_as_elsewhere() -> None:
    _, lazy = both("Pong")
    while not lazy.is_full:
        lazy.step(np.zeros(4, int))
    with pytest.raises(RuntimeError, match=r"full, with 20 steps: begin\(\) the next one"):
        lazy.step(np.zeros(4, int))
    lazy.begin()
    lazy.pool.step(np.zeros(4, int))
    with pytest.raises(RuntimeError, match="stepped, reset or closed without it"):
        lazy.step(np.zeros(4, int))


def test_pools_without_stacks() -> None:
    with pytest.raises(envpool.ArgumentError, match=r"lazy_frames is True, but .* no stacks"):
        envpool.Rollout(make("CartPole-v1"), 4, lazy_frames=True)


def test_observations_that_only_look_like_stacks() -> None:
    """Such as those of a plugin whose newest frame is the first one."""
    store = FrameStore(3, 1, (2, 3), np.float64, 2)
    store.keep(0, np.array([[[1.0, 1, 1], [0, 0, 0]]]), np.array([True]))
    with pytest.raises(envpool.ArgumentError, match="no stacks that drop their oldest frame"):
        store.keep(1, np.array([[[2.0, 2, 2], [1, 1, 1]]]), np.array([False]))
