"""Rollout: what steps by hand return, in slots that the pool's threads write, without copies."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.spec.fields import map_leaves, row_of
from helpers import assert_identical, make, needs_ale

STEPS = 30
TASKS: dict[str, dict[str, Any]] = {
    "CartPole-v1": {},
    "Pendulum-v1": {"max_episode_steps": 7},
    "FrozenLake-v1": {"record_episode_statistics": True},
    "MiniGrid-DoorKey-5x5-v0": {"max_episode_steps": 9},
    "testing/Picture-v0": {},  # nested infos
    "testing/Structured-v0": {"max_episode_steps": 5},  # actions and observations of many arrays
    "Pong-v5": {"max_episode_steps": 11, "frame_skip": 1},
}
each_task = pytest.mark.parametrize(
    "task", [pytest.param(task, marks=needs_ale if task == "Pong-v5" else ()) for task in TASKS]
)
each_mode = pytest.mark.parametrize("mode", ["NextStep", "SameStep"])


def rows(batches: Any, step: int) -> Any:
    return map_leaves(lambda array: array[step], batches)


def actions(pool: Any) -> list[Any]:
    """An action per step for all environments, as the pool takes them."""
    space = pool.action_space
    space.seed(5)
    samples = [[space.sample() for _ in range(pool.num_envs)] for _ in range(STEPS)]
    return [stacked(step) for step in samples]


def stacked(samples: list[Any]) -> Any:
    if isinstance(samples[0], dict):
        return {key: stacked([each[key] for each in samples]) for key in samples[0]}
    return np.stack(samples)


def filled(num_steps: int = 4, **options: Any) -> envpool.Rollout:
    rollout = envpool.Rollout(make("CartPole-v1", seed=1, **options), num_steps)
    rollout.reset()
    while not rollout.is_full:
        rollout.step(np.zeros(rollout.num_envs, int))
    return rollout


@each_mode
@each_task
def test_slots_have_what_steps_return(task: str, mode: str) -> None:
    options = TASKS[task] | {"seed": 3, "autoreset_mode": mode}
    stepped = make(task, **options)
    rollout = envpool.Rollout(make(task, **options), STEPS)
    observation, info = stepped.reset()
    assert_identical(rollout.reset(), observation)
    assert_identical(rows(rollout.info, 0), info)
    ends = 0
    for step, action in enumerate(actions(stepped)):
        shown = rollout.step(action)
        observation, reward, terminated, truncated, info = stepped.step(action)
        ended = terminated | truncated
        ends += ended.sum()
        finals = {key: info.pop(key) for key in list(info) if "final" in key}
        assert rollout.step_count == step + 1
        assert_identical(shown, observation)
        assert_identical(rows(rollout.info, step + 1), info)
        assert_identical(rows(rollout.observation, step + 1), observation)
        assert_identical(rollout.reward[step], reward)
        assert_identical(rollout.terminated[step], terminated)
        assert_identical(rollout.truncated[step], truncated)
        for row in np.flatnonzero(ended) if finals else ():
            last = row_of(rows(rollout.final_obs, step), row)
            assert_identical(last, finals["final_obs"][row])
            length = finals["final_info"]["elapsed_step"][row]
            assert rollout.final_info["elapsed_step"][step, row] == length
    assert ends > 0 or task == "testing/Picture-v0"
    assert rollout.is_full and (rollout.final_obs is None) == (mode == "NextStep")


@each_task
def test_actions_are_kept(task: str) -> None:
    pool = make(task, **TASKS[task])
    rollout = envpool.Rollout(pool, STEPS)
    rollout.reset()
    for step, action in enumerate(actions(pool)):
        rollout.step(action)
        names = pool.spec.spaces.action_names
        if len(names) == 1:
            np.testing.assert_array_equal(rollout.action[step], action)
        else:
            map_leaves(lambda array: array, rollout.action)
            assert str(rows(rollout.action, step)["dials"]) == str(action["dials"])


def test_the_next_rollout_goes_on() -> None:
    stepped, rollout = make("CartPole-v1", seed=1), filled(10)
    stepped.reset()
    push = np.ones(4, int)
    for _ in range(10):
        stepped.step(np.zeros(4, int))
    for _ in range(3):
        last = rollout.observation[-1].copy()
        assert_identical(rollout.begin(), last)
        assert rollout.step_count == 0
        for _ in range(10):
            assert_identical(rollout.step(push), stepped.step(push)[0])
    assert_identical(rollout.reset(seed=7), stepped.reset(seed=7)[0])


def test_dm_envs_pools() -> None:
    pytest.importorskip("dm_env")
    stepped = make("CartPole-v1", env_type="dm", seed=1)
    rollout = envpool.Rollout(make("CartPole-v1", env_type="dm", seed=1), STEPS)
    assert_identical(rollout.reset(), stepped.reset().observation.obs)
    for step in range(STEPS):
        rollout.step(np.zeros(4, int))
        expected = stepped.step(np.zeros(4, int))
        assert_identical(rollout.observation[step + 1], expected.observation.obs)
        assert_identical(rollout.info["discount"][step + 1], expected.discount)
        assert_identical(rollout.info["step_type"][step + 1], expected.step_type)
        assert_identical(rollout.terminated[step], expected.last() & (expected.discount == 0))


def test_several_tasks_in_one_pool() -> None:
    def pool() -> Any:
        return envpool.make_multi(["MiniGrid-Empty-5x5-v0", "MiniGrid-Fetch-5x5-N2-v0"], seed=2)

    stepped, rollout = pool(), envpool.Rollout(pool(), 9)
    stepped.reset()
    rollout.reset()
    for step in range(9):
        action = np.full(stepped.num_envs, 2)
        rollout.step(action)
        observation, *_, info = stepped.step(action)
        assert_identical(rows(rollout.observation, step + 1), observation)
        assert_identical(rows(rollout.info, step + 1), info)


def test_a_step_makes_and_copies_nothing() -> None:
    rollout = filled(50, num_threads=1)
    action, step = np.zeros(4, int), rollout.step

    def roll() -> list[Any]:
        return [rollout.begin(), *(step(action) for _ in range(50))]

    shown = roll()
    assert all(np.shares_memory(array, rollout.observation) for array in shown)
    assert all(array is same for array, same in zip(shown, roll(), strict=True))
    rollout.begin()
    gc.disable()
    try:
        before = sys.getallocatedblocks()
        for _ in range(50):
            step(action)
        made = sys.getallocatedblocks() - before
    finally:
        gc.enable()
    assert made < 10, "no object stays of a step"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_memory_that_nobody_writes_is_not_taken() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    pool = make("CartPole-v1", num_envs=4096)
    pool.reset()
    before = resident()
    # Each array is larger than what glibc takes from memory that the process has freed before.
    rollout = envpool.Rollout(pool, 10_000)
    assert rollout.observation.strides[0] * 10_001 > 1e9
    assert resident() - before < 20e6


def test_arrays_outlive_rollout_and_pool() -> None:
    rollout = filled()
    observation, reward = rollout.observation, rollout.reward
    expected = observation.copy()
    rollout.pool.close()
    del rollout
    gc.collect()
    assert_identical(observation.copy(), expected)
    assert reward.sum() == 16


def test_minibatches() -> None:
    rollout = filled(6)
    indices = np.random.default_rng(1).permutation(24)[:10]
    batch = rollout.minibatch(indices)
    for row, index in enumerate(indices):
        at = index // 4, index % 4
        assert_identical(batch.observation[row], rollout.observation[at])
        assert batch.reward[row] == rollout.reward[at]
        assert batch.info["env_id"][row] == index % 4
    assert batch.final_obs is None


def test_tensors_are_over_the_same_memory() -> None:
    torch = pytest.importorskip("torch")
    rollout = filled()
    tensors = rollout.to("cpu")
    assert tensors.observation.shape == (5, 4, 4) and tensors.terminated.dtype == torch.bool
    assert_identical(tensors.observation.numpy(), rollout.observation)
    tensors.observation[1, 2, 3] = 7
    tensors.action[0, 1] = 1
    assert rollout.observation[1, 2, 3] == 7 and rollout.action[0, 1] == 1


# What is refused


def test_a_full_rollout() -> None:
    rollout = filled()
    with pytest.raises(RuntimeError, match=r"full, with 4 steps: begin\(\) the next one"):
        rollout.step(np.zeros(4, int))
    assert rollout.step_count == 4
    rollout.begin()
    rollout.step(np.zeros(4, int))


def test_a_rollout_that_was_not_reset() -> None:
    rollout = envpool.Rollout(make("CartPole-v1"), 4)
    with pytest.raises(RuntimeError, match=r"nothing in the rollout: reset\(\) it"):
        rollout.begin()
    with pytest.raises(RuntimeError, match=r"nothing in the rollout: reset\(\) it"):
        rollout.step(np.zeros(4, int))


def test_what_is_wrong_with_arguments_changes_nothing() -> None:
    pool, rollout = make("CartPole-v1", seed=1), envpool.Rollout(make("CartPole-v1", seed=1), 3)
    pool.reset()
    rollout.reset()
    for wrong in (np.zeros(3, int), np.full(4, 2), "left", {"actions": np.zeros(4, int)}):
        with pytest.raises((TypeError, ValueError)):
            rollout.step(wrong)
    with pytest.raises(TypeError, match="seed"):
        rollout.reset(seed="one")
    with pytest.raises(envpool.ArgumentError, match="a rollout resets all"):
        rollout.reset(options={"reset_mask": np.ones(4, bool)})
    assert rollout.step_count == 0
    assert_identical(rollout.step(np.zeros(4, int)), pool.step(np.zeros(4, int))[0])


def test_steps_of_others_in_between() -> None:
    rollout = filled()
    pool = rollout.pool
    other = envpool.Rollout(pool, 4)
    message = r"stepped, reset or closed without it: reset\(\) it"
    for call in (
        lambda: pool.step(np.zeros(4, int)),
        lambda: pool.reset(np.array([2])),
        other.reset,
        pool.close,
    ):
        rollout.reset()
        call()
        with pytest.raises(RuntimeError, match=message):
            rollout.step(np.zeros(4, int))
    rollout.reset()
    rollout.step(np.zeros(4, int))


def test_results_of_an_earlier_send() -> None:
    rollout = filled()
    rollout.begin()
    rollout.pool.send(np.zeros(4, int))
    with pytest.raises(RuntimeError, match=r"results of an earlier send: recv\(\) them first"):
        rollout.step(np.zeros(4, int))
    rollout.reset()  # drops them
    rollout.step(np.zeros(4, int))


def test_a_failure_leaves_a_step_out() -> None:
    pool = make("testing/Failing-v0", 3, place=["never", "step", "never"], fail_at=2)
    rollout = envpool.Rollout(pool, 5)
    rollout.reset()
    zeros = np.zeros(3, int)
    rollout.step(zeros)
    with pytest.raises(envpool.EnvironmentFailure) as caught:
        rollout.step(zeros)
    assert list(caught.value.results[4]["env_id"]) == [0, 2]
    assert rollout.step_count == 1
    for call in (rollout.begin, lambda: rollout.step(zeros)):
        with pytest.raises(RuntimeError, match=r"a step is missing|has failed"):
            call()
    rollout.reset()
    rollout.step(zeros)


def test_failures_that_are_survived_end_episodes() -> None:
    pool = make("testing/Failing-v0", 2, place=["never", "step"], fail_at=2, on_failure="reset")
    rollout = envpool.Rollout(pool, 3)
    rollout.reset()
    rollout.step(np.zeros(2, int))
    with pytest.warns(RuntimeWarning, match="environment 1 failed"):
        rollout.step(np.zeros(2, int))
    assert list(rollout.truncated[1]) == [False, True]
    assert pool.stats().failures == 1


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_leaves_a_step_out() -> None:
    pool = make("testing/Failing-v0", 2, place=["never", "step"], fail_at=1, on_failure="reset")
    rollout = envpool.Rollout(pool, 3)
    rollout.reset()
    with pytest.raises(RuntimeWarning, match="environment 1 failed"):
        rollout.step(np.zeros(2, int))
    with pytest.raises(RuntimeError, match="a step is missing"):
        rollout.step(np.zeros(2, int))
    rollout.reset()
    rollout.step(np.zeros(2, int))


def test_recordings_and_schedules(tmp_path: Path) -> None:
    """What is recorded of steps into a rollout is what is recorded of others."""
    recordings = []
    for name in ("rolled", "stepped"):
        options = {"record": tmp_path / name, "seed": 5, "episodes": np.arange(40).reshape(4, 10)}
        pool = make("CartPole-v1", **options)
        if name == "rolled":
            rollout = envpool.Rollout(pool, STEPS)
            rollout.reset()
            for _ in range(STEPS):
                rollout.step(np.ones(4, int))
        else:
            pool.reset()
            for _ in range(STEPS):
                pool.step(np.ones(4, int))
        pool.close()
        episodes = envpool.replay(tmp_path / name).episodes
        recordings.append(episodes[["env", "return", "length", "seed"]].tolist())
    assert recordings[0] == recordings[1] and len(recordings[0]) > 4


POOLS: dict[str, tuple[Any, str]] = {
    "asynchronous": (
        lambda: make("CartPole-v1", batch_size=2),
        "its batch_size is 2 and num_envs 4",
    ),
    "several players": (lambda: make("testing/Players-v0"), "several players"),
    "no auto-reset": (
        lambda: make("CartPole-v1", autoreset_mode="Disabled"),
        "autoreset_mode is 'Disabled'",
    ),
    "Python": (
        lambda: envpool.make_python("CartPole-v1", num_envs=2, num_workers=0),
        "processes of Python",
    ),
}


@pytest.mark.parametrize("name", POOLS)
def test_pools_that_cannot_write_into_one(name: str) -> None:
    make_pool, reason = POOLS[name]
    with pytest.raises(envpool.ArgumentError, match=f"cannot write into a rollout: .*{reason}"):
        envpool.Rollout(make_pool(), 4)


def test_what_is_no_pool() -> None:
    with pytest.raises(TypeError, match=r"expected a pool of envpool.make\(\)"):
        envpool.Rollout("CartPole-v1", 4)  # type: ignore[arg-type]


def test_pools_of_tensors() -> None:
    pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"give pool.bare \(a Rollout makes tensors by to"):
        envpool.Rollout(envpool.torch(make("CartPole-v1")), 4)


def test_numbers_of_steps() -> None:
    pool = make("CartPole-v1")
    with pytest.raises(envpool.ArgumentError, match="num_steps is 0, expected 1 <= num_steps"):
        envpool.Rollout(pool, 0)
    with pytest.raises(TypeError, match=r"num_steps is 2.5, expected an integer"):
        envpool.Rollout(pool, 2.5)  # type: ignore[arg-type]
    with pytest.raises(MemoryError, match=r"with num_steps = 2147483647 needs .*: lower num_steps"):
        envpool.Rollout(pool, 2**31 - 1)
