"""Pools of Meta-World's benchmarks are upstream's vector environments."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool
import metaworld_oracle  # noqa: F401 - skips without upstream
from envpool.families.metaworld.benchmarks import BENCHMARKS, benchmark, goals
from envpool.families.metaworld.registration import BY_NAME

# isort: split
import metaworld
from metaworld import env_dict


def theirs_of(name: str, seed: int, **kwargs: Any) -> Any:
    return gymnasium.make_vec(f"Meta-World/{name}", seed=seed, max_episode_steps=5, **kwargs)


def compare(theirs: Any, arguments: dict[str, Any], steps: int, asks: bool = False) -> None:
    """Plays both with upstream's resets at the ends of episodes."""
    ours = envpool.make_multi(
        env_type="gymnasium", max_episode_steps=5, autoreset_mode="SameStep", **arguments
    )

    def assert_equal(mine: np.ndarray, other: np.ndarray) -> None:
        # With one-hot numbers, upstream's vector environments make observations float32; and our
        # rewards are, in this API.
        common = min(mine.dtype, other.dtype)
        assert np.array_equal(mine.astype(common), other.astype(common))

    def sampled() -> np.ndarray:
        return np.array([observation for observation, _ in theirs.call("sample_tasks")])

    assert_equal(ours.reset()[0], sampled() if asks else theirs.reset()[0])
    rng = np.random.default_rng(0)
    for step in range(steps):
        action = rng.uniform(-1, 1, (ours.num_envs, 4)).astype(np.float32)
        for mine, other in zip(ours.step(action)[:4], theirs.step(action)[:4], strict=True):
            assert_equal(mine, other)
        if asks and step % 3 == 2:
            assert_equal(ours.reset(options={"sample_task": True})[0], sampled())
    theirs.close()


def test_tasks_are_theirs():
    for name, (train, test) in BENCHMARKS.items():
        known = getattr(env_dict, f"{name}_V3")
        known = known if name.startswith("ML") else {"train": known, "test": {}}
        assert [f"{task}-v3" for task in train] == list(known["train"])
        assert [f"{task}-v3" for task in test] == list(known["test"])


@pytest.mark.parametrize(
    "name", ["reach-v3", pytest.param("sweep-into-v3", marks=pytest.mark.long)]
)
def test_goals_are_theirs(name):
    theirs = metaworld.MT1(name, seed=7)
    assert goals([name], 7) == [[list(vector_of(task)) for task in theirs.train_tasks]]


@pytest.mark.long
def test_all_goals_are_theirs():
    theirs = metaworld.MT50(seed=3)
    expected = [
        [list(vector_of(task)) for task in theirs.train_tasks if task.env_name == name]
        for name in BY_NAME
    ]
    assert goals(list(BY_NAME), 3) == expected


def test_a_reset_takes_the_goal_of_this_number():
    theirs = metaworld.MT1("reach-v3", seed=7)
    env = theirs.train_classes["reach-v3"]()
    ours = envpool.make_multi(**benchmark("MT1:reach-v3", 7), env_type="gymnasium")
    rng = np.random.default_rng(0)
    for goal in (3, 0, 49):
        env.set_task(theirs.train_tasks[goal])
        assert np.array_equal(ours.reset(options={"goal": goal})[0][0], env.reset()[0])
        for _ in range(5):
            action = rng.uniform(-1, 1, 4).astype(np.float32)
            assert np.array_equal(ours.step(action[None])[0][0], env.step(action)[0])


def vector_of(task: Any) -> Any:
    return pickle.loads(task.data)["rand_vec"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "use_one_hot"), [("MT10", False), ("MT10", True), ("MT25", True), ("MT50", True)]
)
def test_multi_task(name, use_one_hot):
    theirs = theirs_of(name, 5, use_one_hot=use_one_hot)
    compare(theirs, benchmark(name, 5, use_one_hot=use_one_hot), 12)


def test_one_task_of_several_goals(monkeypatch):
    monkeypatch.setattr(metaworld, "_N_GOALS", 50)  # which num_goals changes for good
    theirs = gymnasium.vector.SyncVectorEnv(
        [
            lambda: gymnasium.make(
                "Meta-World/MT1", env_name="reach-v3", seed=5, num_goals=3, max_episode_steps=5
            )
        ],
        autoreset_mode="SameStep",
    )
    compare(theirs, benchmark("MT1:reach-v3", 5, num_goals=3), 16)


@pytest.mark.long
@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize(
    ("name", "size"), [("ML1:push-v3", 2), ("ML10", 20), ("ML25", 25), ("ML45", 45)]
)
def test_meta_learning(name, split, size):
    size = size if split == "train" or name.startswith("ML1:") else 10
    # Not by their ids: upstream's Meta-World/ML1-train has the tasks to test with.
    make = getattr(metaworld, f"make_ml_envs_{split}")
    theirs = make(name.removeprefix("ML1:"), 5, size, max_episode_steps=5)
    compare(theirs, benchmark(name, 5, split=split, meta_batch_size=size), 12, asks=True)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("MT11", {}, "there is no benchmark 'MT11'"),
        ("MT1:reach-v2", {}, "there is no benchmark 'MT1:reach-v2'"),
        (None, {}, "name is None, expected a benchmark's"),
        ("ML10", {"split": "Train"}, "split is 'Train', expected 'train' or 'test'"),
        ("MT10", {"split": "test"}, "MT10 has tasks to train with only"),
        ("MT10", {"use_one_hot": "x"}, "use_one_hot is 'x', expected a bool"),
        ("MT10", {"seed": None}, "seed is None, expected an integer"),
        ("MT10", {"seed": -1}, "expected 0 <= seed"),
        ("ML10", {"num_goals": 0}, "expected 1 <= num_goals"),
        ("ML10", {"total_tasks_per_cls": 51}, "total_tasks_per_cls <= 50"),
        ("ML10", {"meta_batch_size": 15}, "meta_batch_size is 15, expected the product of 10"),
    ],
)
def test_wrong_arguments_are_told(name, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        benchmark(name, **arguments)


@pytest.mark.parametrize(
    ("name", "split", "environments"),
    [
        ("ML1:reach-v3", "train", 1),
        ("ML10", "train", 20),
        ("ML10", "test", 5),
        ("ML45", "train", 45),
    ],
)
def test_environments_for_meta_learning(name, split, environments):
    assert len(benchmark(name, split=split)["tasks"]) == environments


@pytest.mark.parametrize("names", ["reach-v3", ["reach-v3", "foo"]])
def test_goals_of_unknown_tasks(names):
    with pytest.raises(ValueError, match="expected tasks' names"):
        goals(names, 1)
