"""envpool.evaluate: exactly so many episodes, the same whatever runs them."""

import csv
import itertools
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import envpool
from envpool.evaluation import compare, statistics

N = 15


def lean(observation):
    """A policy of CartPole that falls after some time."""
    return (observation[:, 2] + 0.3 * observation[:, 3] > 0).astype(np.int64)


def swing(observation):
    """One of Pendulum."""
    return -2 * np.sign(observation[:, 2:]).astype(np.float32)


def walk(observation):
    """One of FrozenLake."""
    return (observation * 7 + 1) % 4


TASKS = {"CartPole-v1": lean, "Pendulum-v1": swing, "FrozenLake-v1": walk}


def by_hand(task_id, policy, seeds):
    """The returns and lengths of Gymnasium's own environment."""
    env = gymnasium.make(task_id)
    played = []
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        total = 0.0
        for steps in itertools.count(1):
            action = policy(np.asarray(observation)[None])[0]
            observation, reward, terminated, truncated, _ = env.step(action)
            total += float(reward)
            if terminated or truncated:
                played.append((total, steps))
                break
    return np.array(played).T


@pytest.mark.parametrize("task_id", TASKS)
def test_the_same_as_a_loop_over_gymnasiums_environment(task_id):
    returns, lengths = by_hand(task_id, TASKS[task_id], range(3, 3 + N))
    for num_envs in (1, 7, 64):
        result = envpool.evaluate(TASKS[task_id], task_id, N, 3, num_envs=num_envs)
        np.testing.assert_array_equal(result.returns, returns)
        np.testing.assert_array_equal(result.lengths, lengths)
        np.testing.assert_array_equal(result.seeds, np.arange(3, 3 + N))
    assert (result.task, result.asked, result.failed.sum()) == (task_id, N, 0)


@pytest.mark.parametrize("num_workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_environments_in_python(num_workers):
    returns, _ = by_hand("CartPole-v1", lean, range(N))
    needed = {"record_episode_statistics": True}
    with envpool.make_python(
        "CartPole-v1", num_envs=4, num_workers=num_workers, env_type="gymnasium", **needed
    ) as pool:
        for _ in range(2):  # it can be used again
            np.testing.assert_array_equal(envpool.evaluate(lean, pool, N).returns, returns)
        assert not pool.closed


def test_who_has_played_all_its_episodes_is_not_stepped():
    needed = {"record_episode_statistics": True}
    with envpool.make("CartPole-v1", "gymnasium", num_envs=6, **needed) as pool:
        result = envpool.evaluate(lean, pool, 9)
        assert pool.stats().steps == result.lengths.sum()


def test_policies_get_all_rows_and_infos():
    seen = []

    def policy(observation, info):
        seen.append((observation.shape, info["elapsed_step"].shape))
        return lean(observation)

    envpool.evaluate(policy, "CartPole-v1", 7, num_envs=4)
    assert set(seen) == {((4, 4), (4,))}


class Model:
    """A recurrent one, as Stable-Baselines3 and sb3-contrib have them."""

    def predict(self, observation, state, episode_start, deterministic):
        steps = np.zeros(len(observation), int) if state is None else state
        steps = np.where(episode_start, 0, steps + 1)
        assert deterministic
        self.steps = steps
        return steps % 2, steps


def test_models_that_remember_do_so_for_each_episode():
    def alternate(observation, info):
        return info["elapsed_step"] % 2

    for num_envs in (1, 4):
        ours = envpool.evaluate(Model(), "CartPole-v1", N, num_envs=num_envs)
        theirs = envpool.evaluate(alternate, "CartPole-v1", N)
        np.testing.assert_array_equal(ours.returns, theirs.returns)


class Fragile(gymnasium.Env):
    """An episode has as many steps as its seed; some fail, once or always."""

    observation_space = gymnasium.spaces.Box(0, 99, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    once: ClassVar = {3}
    always: ClassVar = {5}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seed, self.steps = seed, 0
        return np.zeros(1, np.float32), {"is_success": False}

    def step(self, action):
        self.steps += 1
        if self.steps == 2 and self.seed in self.once | self.always:
            self.once.discard(self.seed)
            raise ValueError("worn out")
        is_over = self.steps >= self.seed
        return np.zeros(1, np.float32), 1.0, is_over, False, {"is_success": self.seed % 2 == 0}


@pytest.mark.parametrize("num_envs", [1, 3])
def test_who_fails_is_played_again_once(num_envs, monkeypatch):
    monkeypatch.setattr(Fragile, "once", {3})
    needed = {"record_episode_statistics": True}
    with envpool.make_python(Fragile, num_envs=num_envs, env_type="gymnasium", **needed) as pool:
        result = envpool.evaluate(lambda observation: np.zeros(num_envs, int), pool, 8, 1)
    np.testing.assert_array_equal(result.returns, [1, 2, 3, 4, np.nan, 6, 7, 8])
    np.testing.assert_array_equal(result.failed, result.seeds == 5)
    assert result.mean == pytest.approx(31 / 7)
    assert result.success_rate == pytest.approx(4 / 7)
    assert "failed              1, which" in str(result)


def test_ctrl_c_returns_what_is_finished():
    steps = itertools.count()

    def policy(observation):
        if next(steps) == 30:
            raise KeyboardInterrupt
        return np.zeros(2, np.int64)

    result = envpool.evaluate(policy, "CartPole-v1", 50, num_envs=2)
    assert 4 <= len(result.returns) < 10
    assert result.asked == 50
    assert "of 50" in str(result)


def test_statistics():
    sample = np.random.default_rng(1).normal(3.0, 2.0, 400)
    low, high = statistics.interval(sample)
    error = statistics.standard_error(sample)
    assert low == pytest.approx(sample.mean() - 1.96 * error, abs=0.1 * error * 4)
    assert high == pytest.approx(sample.mean() + 1.96 * error, abs=0.1 * error * 4)
    assert statistics.interval(sample) == (low, high)  # no chance in it
    assert statistics.interquartile_mean(np.array([9.0, 1, 2, 3, -50, 4, 5, 100])) == 3.5
    assert np.isnan(statistics.interval(np.ones(1))).all()


def test_tables_and_pictures(tmp_path):
    result = envpool.evaluate(lean, "CartPole-v1", 6)
    result.to_csv(tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").open(encoding="utf-8")))
    assert [float(row["return" + "s"]) for row in rows] == result.returns.tolist()
    assert [int(row["seeds"]) for row in rows] == list(range(6))
    assert "<table>" in result._repr_html_()
    pytest.importorskip("matplotlib")
    result.plot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_comparisons():
    a, b = (envpool.evaluate(lean, "CartPole-v1", 6, seed) for seed in (0, 100))
    both = compare({"one": a, "two": [a, b]})
    np.testing.assert_array_equal(both.scores["one"], a.returns)
    np.testing.assert_array_equal(both.scores["two"], [a.mean, b.mean])
    assert "6 episodes of one" in str(both)
    assert "2 trainings" in str(both)
    other = envpool.evaluate(walk, "FrozenLake-v1", 2)
    with pytest.raises(envpool.ArgumentError, match="expected one task"):
        compare({"one": a, "two": other})
    with pytest.raises(TypeError, match=r"runs\['one'\] has 3, expected evaluations"):
        compare({"one": [3]})
    with pytest.raises(envpool.ArgumentError, match="is empty"):
        compare({"one": []})


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((lean, "CartPole-v1", 0), {}, ValueError, "episodes is 0, expected"),
        ((lean, "CartPole-v1", 2.5), {}, TypeError, "episodes is 2.5, expected an integer"),
        ((lean, "CartPole-v1", 2, -1), {}, ValueError, "seed is -1"),
        ((lean, "CartPole-v1", 2, "x"), {}, TypeError, "seed is 'x'"),
        ((3, "CartPole-v1", 2), {}, TypeError, "policy is 3, expected a function"),
        ((lean, 3, 2), {}, TypeError, "task_or_pool is 3, expected a task's id or a pool"),
        ((lean, Fragile, 2), {"env_kwargs": {}}, TypeError, "Fragile'>, expected a task's id"),
        ((lean, "Cartpole-v1", 2), {}, KeyError, "did you mean 'CartPole-v1'"),
        ((lean, "CartPole-v1", 2), {"num_envs": 0}, ValueError, "num_envs is 0"),
        ((lean, "CartPole-v1", 2), {"gravty": 1}, TypeError, "no option 'gravty'"),
        ((lambda o: np.zeros(9, int), "CartPole-v1", 2), {}, ValueError, "action"),
        ((lambda o: o["x"], "CartPole-v1", 2), {}, RuntimeError, "the policy failed at step 1"),
    ],
)
def test_misuse(arguments, options, error, message):
    with pytest.raises(error, match=message):
        envpool.evaluate(*arguments, **options)


def test_pools_that_cannot_be_evaluated():
    needed = {"record_episode_statistics": True}
    for options, message in (
        (needed | {"autoreset_mode": "Disabled"}, "autoreset_mode is 'Disabled', expected 'Next"),
        (needed | {"batch_size": 1}, "batch_size is 1, expected 2"),
    ):
        with (
            envpool.make("CartPole-v1", "gymnasium", num_envs=2, **options) as pool,
            pytest.raises(ValueError, match=message),
        ):
            envpool.evaluate(lean, pool, 2)
    with (
        envpool.make("CartPole-v1", "gymnasium", num_envs=2, **needed) as pool,
        pytest.raises(TypeError, match=r"there are options \(num_envs\)"),
    ):
        envpool.evaluate(lean, pool, 2, num_envs=2)
