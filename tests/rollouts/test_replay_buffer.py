"""ReplayBuffer: the transitions of steps by hand, and those that must not be sampled."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.spec.fields import map_leaves, nest
from helpers import assert_identical, leaves, make, needs_ale

CASES: dict[str, Any] = {
    "CartPole": lambda **options: make("CartPole-v1", max_episode_steps=5, **options),
    "several arrays": lambda **options: make(
        "testing/Structured-v0", max_episode_steps=3, **options
    ),
    "Pong": lambda **options: make("Pong-v5", max_episode_steps=6, **options),
    "episodes shorter than a stack": lambda **options: make(
        "Pong-v5", max_episode_steps=2, frame_skip=1, **options
    ),
    "lives": lambda **options: make(
        "Breakout-v5", episodic_life=True, frame_skip=40, noop_max=3, **options
    ),
    "an old gym": lambda **options: make("CartPole-v1", env_type="gym", **options),
    "Python": lambda **options: envpool.make_python(
        "CartPole-v1", num_envs=4, num_workers=0, max_episode_steps=5, **options
    ),
}
OF_ATARI = ("Pong", "episodes shorter than a stack", "lives")
MODES = ("NextStep", "SameStep")
each_mode = pytest.mark.parametrize("mode", MODES)
each_case_and_mode = pytest.mark.parametrize(
    ("case", "mode"),
    [
        pytest.param(case, mode, marks=needs_ale if case in OF_ATARI else ())
        for case in CASES
        for mode in MODES
        if (case, mode) != ("Python", "SameStep")  # which is refused
    ],
)


def key(*parts: Any) -> bytes:
    """The bytes of a transition."""
    return b"|".join(np.asarray(leaf).tobytes() for part in parts for _, leaf in leaves(part))


def at(batches: Any, row: int) -> Any:
    return map_leaves(lambda array: array[row], batches)


def sampled(buffer: envpool.ReplayBuffer, n: int = 3000) -> set[bytes]:
    """All transitions that there are, with a certainty that depends on the number."""
    batch = buffer.sample(n, np.random.default_rng(1))
    return {key(*(at(part, row) for part in batch)) for row in range(n)}


def random_actions(pool: Any, steps: int) -> Iterator[Any]:
    pool.action_space.seed(5)
    for _ in range(steps):
        yield stacked([pool.action_space.sample() for _ in range(pool.num_envs)])


def stacked(samples: list[Any]) -> Any:
    if isinstance(samples[0], dict):
        return {name: stacked([each[name] for each in samples]) for name in samples[0]}
    return np.stack(samples)


class ByHand:
    """A list of transitions: what a buffer is to have."""

    def __init__(self, pool: Any) -> None:
        self.pool = pool
        self.in_step = pool.config["autoreset_mode"] == "SameStep"
        self.observation = map_leaves(
            np.copy, pool._pool.reset(*pool._check_reset(None, None, None), False)[0]
        )
        self.ended = np.zeros(pool.num_envs, bool)
        self.steps: list[set[bytes]] = []

    def step(self, action: Any) -> Any:
        is_dict = isinstance(action, dict)
        given = self.pool._split_action(action)[0] if is_dict else action
        parts = zip(
            self.pool._spec.spaces.action_fields, given if is_dict else [given], strict=True
        )
        actions = {field["name"]: np.asarray(part, field["dtype"]) for field, part in parts}
        kept = nest(actions) if is_dict else actions["action"]
        observation, reward, terminated, truncated, _, *finals = self.pool._pool.step(given, None)
        after = map_leaves(np.copy, observation)
        ended = terminated | truncated
        found = set()
        for env in range(self.pool.num_envs):
            if self.ended[env] and not self.in_step:
                continue  # it only resets
            following = at(after, env)
            if self.in_step and ended[env]:
                following = at(finals[0][0], env)
            found.add(
                key(
                    at(self.observation, env),
                    at(kept, env),
                    reward[env],
                    following,
                    terminated[env],
                    truncated[env],
                )
            )
        self.steps.append(found)
        self.observation, self.ended = after, ended
        return observation

    def last(self, steps: int) -> set[bytes]:
        return set().union(*self.steps[-steps:])


@each_case_and_mode
def test_samples_are_the_transitions_of_steps_by_hand(case: str, mode: str) -> None:
    by_hand = ByHand(CASES[case](seed=3, autoreset_mode=mode))
    buffer = envpool.ReplayBuffer(CASES[case](seed=3, autoreset_mode=mode), 4 * 17 + 3)
    assert buffer.capacity == 68
    assert_identical(buffer.reset(), by_hand.observation)
    assert len(buffer) == 0
    for step, action in enumerate(random_actions(by_hand.pool, 60)):
        assert_identical(buffer.step(action), by_hand.step(action))
        if step in (0, 10, 16, 17, 35, 59):
            assert sampled(buffer) == by_hand.last(17)
    assert buffer.sample(9, np.random.default_rng(1)).reward.shape == (9,)


@each_mode
@needs_ale
def test_files_have_all(mode: str, tmp_path: Path) -> None:
    def make_buffer() -> envpool.ReplayBuffer:
        return envpool.ReplayBuffer(CASES["Pong"](seed=3, autoreset_mode=mode), 80)

    for steps in (9, 50):  # a part of it, and more than there is room for
        buffer, other = make_buffer(), make_buffer()
        buffer.reset()
        for action in random_actions(buffer.pool, steps):
            buffer.step(action)
        buffer.save(tmp_path / "saved")
        other.load(tmp_path / "saved")
        assert len(other) == len(buffer)
        samples = [each.sample(200, np.random.default_rng(2)) for each in (buffer, other)]
        for part, expected in zip(*samples, strict=True):
            assert_identical(part, expected)
        with pytest.raises(RuntimeError, match=r"reset\(\) it"):
            other.step(np.zeros(4, int))
        kept = sampled(other)
        by_hand = ByHand(CASES["Pong"](seed=3, autoreset_mode=mode))
        other.reset()
        for action in random_actions(other.pool, 30):
            other.step(action)
            by_hand.step(action)
        assert sampled(other) - kept <= by_hand.last(20)
        assert sampled(other) >= by_hand.last(20)
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def filled(capacity: int = 40, steps: int = 20, **options: Any) -> envpool.ReplayBuffer:
    buffer = envpool.ReplayBuffer(make("CartPole-v1", seed=1, **options), capacity)
    buffer.reset()
    for _ in range(steps):
        buffer.step(np.zeros(4, int))
    return buffer


def test_resets_are_no_transitions() -> None:
    buffer = filled(steps=3)
    before = sampled(buffer)
    buffer.reset()
    assert sampled(buffer) == before
    assert len(buffer) == 12


@each_mode
def test_steps_after_other_states_are_no_transitions(mode: str) -> None:
    buffer = filled(steps=2, capacity=400, autoreset_mode=mode)
    buffer.pool.set_state(buffer.pool.get_state())
    buffer.step(np.zeros(4, int))
    assert len(buffer) == 8
    buffer.step(np.zeros(4, int))
    assert len(buffer) == 12


@pytest.mark.filterwarnings("ignore:environment 1 failed")
@each_mode
def test_failures_that_are_survived_are_no_transitions(mode: str) -> None:
    pool = make(
        "testing/Failing-v0", 2, place=["never", "step"], fail_at=3, on_failure="reset",
        autoreset_mode=mode,
    )  # fmt: skip
    buffer = envpool.ReplayBuffer(pool, 100)
    buffer.reset()
    for _ in range(3):
        buffer.step(np.zeros(2, int))
    assert pool.stats().failures == 1 and len(buffer) == 5
    assert not buffer.sample(100, np.random.default_rng(1)).truncated.any()


def test_a_failure_leaves_a_step_out() -> None:
    pool = make("testing/Failing-v0", 2, place=["never", "step"], fail_at=2)
    buffer = envpool.ReplayBuffer(pool, 100)
    buffer.reset()
    buffer.step(np.zeros(2, int))
    with pytest.raises(envpool.EnvironmentFailure):
        buffer.step(np.zeros(2, int))
    with pytest.raises(RuntimeError, match=r"a step is missing: reset\(\) it"):
        buffer.step(np.zeros(2, int))
    buffer.reset()
    buffer.step(np.zeros(2, int))
    assert len(buffer) == 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_memory_is_taken_as_it_is_filled() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    pool = make("CartPole-v1", num_envs=64)
    before = resident()
    # Each array is larger than what glibc takes from memory that the process has freed before.
    buffer = envpool.ReplayBuffer(pool, 40_000_000)
    buffer.reset()
    buffer.step(np.zeros(64, int))
    assert len(buffer) == 64 and resident() - before < 40e6


# What is refused


def test_arguments_of_samples() -> None:
    buffer, generator = filled(), np.random.default_rng(1)
    with pytest.raises(envpool.ArgumentError, match="n is 0, expected 1 <= n"):
        buffer.sample(0, generator)
    with pytest.raises(TypeError, match=r"n is 2.5, expected an integer"):
        buffer.sample(2.5, generator)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"generator is 3, expected a numpy.random.Generator"):
        buffer.sample(2, 3)  # type: ignore[arg-type]
    empty = envpool.ReplayBuffer(make("CartPole-v1"), 40)
    with pytest.raises(RuntimeError, match="no transition yet"):
        empty.sample(1, generator)
    with pytest.raises(RuntimeError, match="was not reset"):
        empty.step(np.zeros(4, int))


def test_what_is_wrong_with_actions_changes_nothing() -> None:
    buffer = filled(steps=2, capacity=400)
    for wrong in (np.zeros(3, int), np.full(4, 2), "left"):
        with pytest.raises((TypeError, ValueError)):
            buffer.step(wrong)
    with pytest.raises(envpool.ArgumentError, match="a rollout resets all"):
        buffer.reset(options={"reset_mask": np.ones(4, bool)})
    buffer.step(np.zeros(4, int))
    assert len(buffer) == 12


def test_pools_and_capacities() -> None:
    with pytest.raises(envpool.ArgumentError, match="capacity is 3, expected 4 <= capacity"):
        envpool.ReplayBuffer(make("CartPole-v1"), 3)
    with pytest.raises(envpool.ArgumentError, match="batch_size is 2, expected num_envs, 4"):
        envpool.ReplayBuffer(make("CartPole-v1", batch_size=2), 100)
    with pytest.raises(
        envpool.ArgumentError, match=r"cannot be kept in a replay buffer: .*players"
    ):
        envpool.ReplayBuffer(make("testing/Players-v0"), 100)
    with pytest.raises(TypeError, match=r"expected a pool of envpool.make\(\)"):
        envpool.ReplayBuffer("CartPole-v1", 100)  # type: ignore[arg-type]
    with pytest.raises(MemoryError, match=r"a replay buffer with capacity = \d+ needs .*capacity"):
        envpool.ReplayBuffer(make("CartPole-v1"), 2**31 - 1)


def test_files_of_other_kinds(tmp_path: Path) -> None:
    buffer = filled()
    buffer.save(tmp_path / "saved")
    content = (tmp_path / "saved").read_bytes()
    np.save(tmp_path / "array", np.zeros(3))
    np.savez(tmp_path / "arrays", rows=np.zeros(3))
    (tmp_path / "cut").write_bytes(content[:-100])
    for name in ("array.npy", "arrays.npz", "cut"):
        with pytest.raises(envpool.ArgumentError, match=name):
            buffer.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        buffer.load(tmp_path / "nothing")
    others = {
        "capacity 40, expected 80": filled(capacity=80),
        "num_envs 4, expected 2": envpool.ReplayBuffer(make("CartPole-v1", 2), 40),
        "autoreset_mode NextStep": filled(autoreset_mode="SameStep"),
        "arrays .*float32": envpool.ReplayBuffer(make("Pendulum-v1"), 40),
    }
    for difference, other in others.items():
        with pytest.raises(envpool.ArgumentError, match=f"a buffer with {difference}"):
            other.load(tmp_path / "saved")
    assert len(buffer) > 0
    buffer.step(np.zeros(4, int))
    middle = content.index(b"obs.obs.newest") + 300
    (tmp_path / "damaged").write_bytes(content[:middle] + b"\xff" * 9 + content[middle + 9 :])
    with pytest.raises(envpool.ArgumentError, match="damaged"):
        buffer.load(tmp_path / "damaged")
    assert len(buffer) == 0
    shutil.rmtree(tmp_path / "saved", ignore_errors=True)
