"""AsyncRollout: rows by environment, whoever is ready first, and what is ahead for the next one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.spec.fields import map_leaves, row_of
from helpers import assert_identical, make, needs_ale

STEPS = 12
CASES: dict[str, Any] = {
    "CartPole": lambda **options: make("CartPole-v1", seed=3, **options),
    "same step": lambda **options: make(
        "CartPole-v1", seed=3, autoreset_mode="SameStep", max_episode_steps=5, **options
    ),
    "MiniGrid": lambda **options: make(
        "MiniGrid-DoorKey-5x5-v0", seed=3, max_episode_steps=5, **options
    ),
    "several actions": lambda **options: make("testing/Structured-v0", seed=3, **options),
    "Pong": lambda **options: make("Pong-v5", seed=3, **options),
    "Python, forked": lambda **options: envpool.make_python(
        "CartPole-v1", num_envs=4, seed=3, num_workers=2, start_method="fork", **options
    ),
    "Python, this process": lambda **options: envpool.make_python(
        "CartPole-v1", num_envs=4, seed=3, num_workers=0, **options
    ),
}
each_case = pytest.mark.parametrize(
    "case", [pytest.param(case, marks=needs_ale if case == "Pong" else ()) for case in CASES]
)


def at(batches: Any, *index: Any) -> Any:
    return map_leaves(lambda array: array[index], batches)


def action_of(pool: Any, env: int, step: int) -> Any:
    """What an environment is given in its step of this number, whoever asks."""
    pool.action_space.seed(int(100 * env + step))
    return pool.action_space.sample()


def stacked(samples: list[Any]) -> Any:
    if isinstance(samples[0], dict):
        return {key: stacked([each[key] for each in samples]) for key in samples[0]}
    return np.stack(samples)


def fill(rollout: Any, begun: int, batch_size: int) -> None:
    """Steps until the rollout is full, `begun` steps after the reset."""
    while not rollout.is_full:
        env_id, _ = rollout.recv()
        assert len(env_id) == batch_size
        steps = begun + rollout.step_counts[env_id]
        actions = [
            action_of(rollout.pool, *each) for each in zip(env_id.tolist(), steps, strict=True)
        ]
        rollout.send(stacked(actions), env_id)


@each_case
def test_rows_are_those_of_a_synchronous_pool(case: str) -> None:
    stepped = CASES[case]()
    batch_size = 2 if case != "Python, this process" else 4
    rollout = envpool.AsyncRollout(CASES[case](batch_size=batch_size), STEPS)
    rollout.reset()
    observation, _ = stepped.reset()
    for begun in (0, STEPS, 2 * STEPS):
        fill(rollout, begun, batch_size)
        assert_identical(at(rollout.observation, 0), observation)
        for step in range(STEPS):
            action = stacked([action_of(stepped, env, begun + step) for env in range(4)])
            observation, reward, terminated, truncated, info = stepped.step(action)
            assert_identical(at(rollout.observation, step + 1), observation)
            assert_identical(rollout.reward[step], reward)
            assert_identical(rollout.terminated[step], terminated)
            assert_identical(rollout.truncated[step], truncated)
            assert_identical(rollout.info["elapsed_step"][step + 1], info["elapsed_step"])
            if case == "several actions":
                np.testing.assert_array_equal(rollout.action["dials"][step], action["dials"])
            else:
                np.testing.assert_array_equal(rollout.action[step], action)
            for env in np.flatnonzero(terminated | truncated) if "final_obs" in info else ():
                assert_identical(row_of(at(rollout.final_obs, step), env), info["final_obs"][env])
        rollout.begin()


def test_arrays_are_contiguous_by_step_and_minibatches_copies() -> None:
    rollout = envpool.AsyncRollout(make("CartPole-v1", batch_size=2), 6)
    rollout.reset()
    fill(rollout, 0, 2)
    assert rollout.observation.flags.c_contiguous and rollout.action.flags.c_contiguous
    batch = rollout.minibatch([0, 5, 23])
    assert_identical(batch.observation[1], rollout.observation[1, 1])
    assert batch.reward[2] == rollout.reward[5, 3]


def test_environments_far_ahead_have_several_rollouts() -> None:
    stepped = make("CartPole-v1", seed=3)
    expected = [stepped.reset()[0]]
    expected += [stepped.step(np.full(4, step % 2))[0] for step in range(9)]
    rollout = envpool.AsyncRollout(make("CartPole-v1", seed=3, batch_size=1), 3)
    rollout.reset()

    def send(env_id: Any, begun: int) -> None:
        rollout.send((begun + rollout.step_counts[env_id]) % 2, env_id)

    waiting = []
    while rollout.step_counts[0] < 8:
        env_id, _ = rollout.recv()
        if env_id[0] == 0:
            send(env_id, 0)
        else:
            waiting.append(env_id)
    with pytest.raises(RuntimeError, match=r"environment \d has 0 of 3 steps: recv\(\) until"):
        rollout.begin()
    while len(waiting) < 3:
        env_id, _ = rollout.recv()
        if env_id[0]:
            waiting.append(env_id)
    for env_id in waiting:
        send(env_id, 0)
    for begun in (0, 3):
        while not rollout.is_full:
            env_id, _ = rollout.recv()
            send(env_id, begun)
        assert_identical(rollout.observation, np.stack(expected[begun : begun + 4]))
        np.testing.assert_array_equal(rollout.action[:, 0], [(begun + t) % 2 for t in range(3)])
        rollout.begin()


# What is refused


def test_a_failure_leaves_rows_out() -> None:
    pool = make("testing/Failing-v0", 2, place=["never", "step"], fail_at=1, batch_size=1)
    rollout = envpool.AsyncRollout(pool, 3)
    rollout.reset()
    with pytest.raises(envpool.EnvironmentFailure):
        while True:
            env_id, _ = rollout.recv()
            rollout.send(np.zeros(1, int), env_id)
    for call in (rollout.recv, rollout.begin, lambda: rollout.send(np.zeros(1, int), [0])):
        with pytest.raises(RuntimeError, match=r"rows are missing: reset\(\) it"):
            call()
    with pytest.raises(RuntimeError, match="is already running"):
        rollout.reset()
    pool.recv()
    rollout.reset()
    rollout.recv()


def test_arguments() -> None:
    rollout = envpool.AsyncRollout(make("CartPole-v1", batch_size=2), 3)
    rollout.reset()
    env_id, _ = rollout.recv()
    for action, ids in ((np.zeros(3, int), env_id), (np.zeros(2, int), [7, 8]), ("left", env_id)):
        with pytest.raises((TypeError, ValueError)):
            rollout.send(action, ids)
    rollout.send(np.zeros(2, int), env_id)
    with pytest.raises(envpool.ArgumentError, match="a rollout resets all"):
        rollout.reset(options={"reset_mask": np.ones(4, bool)})
    with pytest.raises(ValueError, match="timeout"):
        rollout.recv(timeout=-1)


POOLS: dict[str, tuple[Any, str]] = {
    "several players": (lambda: make("testing/Players-v0"), "several players"),
    "no auto-reset": (lambda: make("CartPole-v1", autoreset_mode="Disabled"), "'Disabled'"),
    "Python, same step": (
        lambda: envpool.make_python(
            "CartPole-v1", num_envs=2, num_workers=0, autoreset_mode="SameStep"
        ),
        "last observations of environments written in Python",
    ),
}


@pytest.mark.parametrize("name", POOLS)
def test_pools_whose_rows_cannot_be_kept(name: str) -> None:
    make_pool, reason = POOLS[name]
    with pytest.raises(envpool.ArgumentError, match=f"cannot be kept in a rollout: .*{reason}"):
        envpool.AsyncRollout(make_pool(), 4)


def test_dm_envs_pools() -> None:
    pytest.importorskip("dm_env")
    with pytest.raises(envpool.ArgumentError, match="it speaks dm_env's API"):
        envpool.AsyncRollout(make("CartPole-v1", env_type="dm", batch_size=2), 4)


def test_what_is_no_pool() -> None:
    with pytest.raises(TypeError, match=r"expected a pool of envpool.make\(\)"):
        envpool.AsyncRollout("CartPole-v1", 4)  # type: ignore[arg-type]


def test_memory() -> None:
    with pytest.raises(MemoryError, match=r"needs .*: lower num_steps"):
        envpool.AsyncRollout(make("CartPole-v1"), 2**31 - 1)
