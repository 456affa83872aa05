"""Compares the pictures of ours with those that Gymnasium's own environments render."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from helpers import OneByOne, Policy, make, random_actions


def upstream_of(task_id: str, **options: Any) -> Callable[[int], gymnasium.Env]:
    """Makes Gymnasium's environment with these options, whatever its index."""
    return lambda _: gymnasium.make(task_id, render_mode="rgb_array", **options)


def assert_draws_as_upstream(
    task_id: str,
    upstream: str | Callable[[int], gymnasium.Env],
    steps: int,
    *,
    policy: Policy | None = None,
    every: int = 1,
    num_envs: int = 3,
    seed: int = 7,
    options: dict[str, Any] | None = None,
    reset_options: dict[str, Any] | None = None,
) -> int:
    """Steps both, and compares their pictures pixel for pixel.

    Args:
        task_id: Ours.
        upstream: The id of Gymnasium's, or a function that makes the one of this index, with
            ``render_mode="rgb_array"``.
        steps: How many steps, auto-resets included.
        policy: Random actions unless given.
        every: Of how many steps one is drawn; resets and ends of episodes always are.
        num_envs: How many environments.
        seed: The first one's; the others' follow.
        options: Options of ours.
        reset_options: Options of the first reset, for both.

    Returns:
        How many episodes ended.
    """
    pytest.importorskip("pygame")
    if isinstance(upstream, str):
        envs = [gymnasium.make(upstream, render_mode="rgb_array") for _ in range(num_envs)]
    else:
        envs = [upstream(i) for i in range(num_envs)]
    oracle = OneByOne(envs)
    pool = make(task_id, num_envs, render_mode="rgb_array", **(options or {}))
    rng = np.random.default_rng(seed)
    seeds = [seed + i for i in range(num_envs)]
    obs, _ = pool.reset(seed=seeds, options=reset_options)
    oracle.reset(seeds, reset_options)
    assert_same_pictures(pool, envs, "after the reset")
    ended = 0
    for step in range(steps):
        actions = policy(obs, rng) if policy else random_actions(pool, rng)
        obs = pool.step(actions)[0]
        was_over = oracle.over.any()
        oracle.step(actions)
        ended += int(oracle.over.sum())
        if step % every == 0 or was_over or oracle.over.any():
            assert_same_pictures(pool, envs, f"after step {step}")
    pool.close()
    return ended


def assert_same_pictures(pool: Any, envs: list[gymnasium.Env], when: str) -> None:
    """All pictures of the pool are those that these environments render."""
    frames = pool.render(pool.all_env_ids)
    expected = np.stack([env.render() for env in envs])
    assert (frames.dtype, frames.shape) == (np.uint8, expected.shape)
    for i, (frame, picture) in enumerate(zip(frames, expected, strict=True)):
        different = int((frame != picture).any(-1).sum())
        assert different == 0, f"{different} pixels of environment {i} differ {when}"
