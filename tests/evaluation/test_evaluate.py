"""envpool.evaluate: exactly so many episodes, the same whatever runs them."""

import csv
import functools
import itertools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool.evaluation import compare, statistics
from workers.parallel_envs import NAMES, Herd

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
        (needed | {"episodes": np.zeros((2, 1), int)}, "the pool has a schedule of episodes"),
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


# --- several players, learned policies --------------------------------------------------------


def say_one(observation):
    return np.ones(len(observation), int)


def herds_by_hand(seeds):
    """Each player's returns, and the lengths."""
    table = []
    for seed in seeds:
        env = Herd()
        env.reset(seed=seed)
        totals = dict.fromkeys(NAMES, 0.0)
        while env.agents:
            _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, 1))
            for name, reward in rewards.items():
                totals[name] += reward
        table.append((*totals.values(), env.steps))
    return np.array(table)


@pytest.mark.parametrize("num_envs", [1, 3, 20])
def test_a_return_per_player(num_envs, tmp_path):
    needed = {"num_workers": 0, "record_episode_statistics": True}
    with envpool.make_python(Herd, "gymnasium", num_envs=num_envs, **needed) as pool:
        result = envpool.evaluate(say_one, pool, N, 3)
        steps = pool.stats().steps
    *returns, lengths = herds_by_hand(range(3, 3 + N)).T
    np.testing.assert_array_equal(result.returns.T, returns)
    np.testing.assert_array_equal(result.lengths, lengths)
    assert steps == lengths.sum()
    np.testing.assert_allclose(result.mean, np.mean(returns, axis=1))
    assert result.interval[0].shape == (4,)
    means = ", ".join(f"{each:.6g}" for each in result.mean)
    assert f"players             4, with a number for each\n  mean return         {means}\n" in str(
        result
    )
    result.to_csv(tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").open(encoding="utf-8")))
    assert [float(row["returns_3"]) for row in rows] == result.returns[:, 3].tolist()
    both = compare({"one": result, "two": [result, result]})
    assert both.scores["two"].shape == (2, 4)
    assert means in str(both)


def test_players_of_native_environments():
    results = []
    for num_envs in (1, 4):
        options = {"num_envs": num_envs, "players": 3, "actions": "dict"}
        results.append(envpool.evaluate(None, "testing/Masked-v0", 6, **options))
    for result in results:
        np.testing.assert_array_equal(result.returns, np.full((6, 3), 7.0))


def test_players_who_fail_are_played_again():
    class Weak(Herd):
        def reset(self, seed=None, options=None):
            self.seed = seed
            return super().reset(seed, options)

        def step(self, actions):
            if self.steps == 1 and self.seed == 5:
                raise ValueError("worn out")
            return super().step(actions)

    needed = {"num_workers": 0, "record_episode_statistics": True}
    with envpool.make_python(Weak, "gymnasium", num_envs=4, **needed) as pool:
        result = envpool.evaluate(say_one, pool, N, 3)
    *returns, _ = herds_by_hand(range(3, 3 + N)).T
    np.testing.assert_array_equal(result.failed, result.seeds == 5)
    np.testing.assert_array_equal(
        result.returns[~result.failed].T, np.array(returns)[:, ~result.failed]
    )
    assert np.isnan(result.returns[result.failed]).all()


@pytest.mark.filterwarnings("ignore:environment . failed")
@pytest.mark.parametrize("num_envs", [1, 3])
def test_who_fails_in_pools_that_go_on_is_played_again_once(num_envs, monkeypatch):
    monkeypatch.setattr(Fragile, "once", {3})
    options = {"num_workers": 0, "record_episode_statistics": True, "on_failure": "reset"}
    with envpool.make_python(Fragile, "gymnasium", num_envs=num_envs, **options) as pool:
        result = envpool.evaluate(lambda observation: np.zeros(num_envs, int), pool, 8, 1)
    np.testing.assert_array_equal(result.returns, [1, 2, 3, 4, np.nan, 6, 7, 8])
    np.testing.assert_array_equal(result.failed, result.seeds == 5)


@pytest.mark.filterwarnings("ignore:environment . failed")
@pytest.mark.parametrize("on_failure", ["raise", "reset"])
def test_what_always_fails_comes_to_an_end(on_failure):
    options = {"place": "step", "num_envs": 3, "on_failure": on_failure}
    result = envpool.evaluate(lambda o: np.zeros(3, int), "testing/Failing-v0", 5, **options)
    assert result.failed.all()
    assert np.isnan(result.mean)
    assert "failed              5" in str(result)
    assert "mean return         -\n" in str(result)
    with pytest.raises(ValueError, match="All-NaN"):
        print(result.best)


def test_torch_modules():
    torch = pytest.importorskip("torch")

    class Lean(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(
                torch.tensor([[0.0, 0.0], [0.0, 0.0], [-1, 1], [-0.3, 0.3]])
            )
            self.drop = torch.nn.Dropout(0.9)
            self.frozen = torch.nn.BatchNorm1d(4).eval()

        def forward(self, observation):
            assert not torch.is_grad_enabled()
            assert observation.dtype == self.weight.dtype
            return self.drop(observation) @ self.weight

    module = Lean()
    expected = envpool.evaluate(lean, "CartPole-v1", N).returns
    for each in (module, module.double()):
        np.testing.assert_array_equal(envpool.evaluate(each, "CartPole-v1", N).returns, expected)
    assert module.training and module.drop.training and not module.frozen.training

    class Swing(torch.nn.Module):
        def forward(self, observation):
            return -2 * torch.sign(observation[:, 2:])

    np.testing.assert_array_equal(
        envpool.evaluate(Swing(), "Pendulum-v1", N).returns,
        envpool.evaluate(swing, "Pendulum-v1", N).returns,
    )
    with pytest.raises(
        RuntimeError, match=r"returned torch.Size.*, expected .* rows of shape \(2,"
    ):
        envpool.evaluate(torch.nn.Linear(4, 3), "CartPole-v1", 2)
    with pytest.raises(RuntimeError, match=r"returned .*, expected a tensor with rows"):
        envpool.evaluate(torch.nn.LSTM(4, 2), "CartPole-v1", 2)
    with pytest.raises(TypeError, match="policy is a module, and actions are Multi"):
        envpool.evaluate(Swing(), "testing/Masked-v0", 2, actions="multi_discrete")


def test_actions_that_masks_allow():
    for num_envs in (1, 3):
        result = envpool.evaluate(None, "testing/Masked-v0", 7, num_envs=num_envs)
        assert result.returns.tolist() == [7.0] * 7


def test_games_of_several_lives_are_played_to_their_ends():
    """What ends with a life is no episode."""
    seeds = set()

    def policy(observation):
        seeds.update(observation[:, 4].tolist())
        return np.zeros(len(observation), int)

    needed = {"num_envs": 2, "record_episode_statistics": True}
    with envpool.make("testing/Lives-v0", "gymnasium", **needed) as pool:
        result = envpool.evaluate(policy, pool, 4, 10)
    assert result.lengths.tolist() == [6] * 4  # three lives of two steps
    assert seeds == {10, 11, 12, 13}
    with pytest.raises(envpool.ArgumentError, match="games that go on"):
        envpool.evaluate(policy, "testing/Lives-v0", 4)


# --- what docs/evaluate.md shows of other packages ----------------------------------------------


def snippet(beginning, names):
    """Runs the page's code that begins so."""
    page = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text()
    (code,) = re.findall(rf"```text\n({re.escape(beginning)}.*?)```", page, re.S)
    exec(compile(code, "evaluate.md", "exec"), names)
    return names


def test_a_recurrent_module_of_ones_own():
    torch = pytest.importorskip("torch")
    module = snippet("class Recurrent", {"torch": torch})["Recurrent"]()
    alone, together = (envpool.evaluate(module, "CartPole-v1", 8, num_envs=n) for n in (1, 8))
    np.testing.assert_array_equal(alone.returns, together.returns)


@pytest.mark.slow
def test_a_callback_of_stable_baselines3():
    sb3 = pytest.importorskip("stable_baselines3")
    vec_env = pytest.importorskip("envpool.sb3").VecEnv
    evaluations = []

    class Shorter(sb3.PPO):
        def learn(self, steps, callback):
            super().learn(steps // 80, callback)

    def evaluate(*arguments):
        evaluations.append(envpool.evaluate(*arguments))
        return evaluations[-1]

    snippet(
        "class Evaluate",
        {
            "BaseCallback": sb3.common.callbacks.BaseCallback,
            "PPO": functools.partial(Shorter, n_steps=500, batch_size=500, device="cpu"),
            "VecEnv": lambda task, num_envs: vec_env(task, num_envs=num_envs // 8),
            "envpool": SimpleNamespace(evaluate=evaluate),
        },
    )
    assert [len(each.returns) for each in evaluations] == [100]


def test_the_film_of_the_best_episode(scratch_directory):
    pytest.importorskip("imageio_ffmpeg")
    pytest.importorskip("pygame")
    result = envpool.evaluate(lean, "CartPole-v1", 9)
    snippet("seed = int(", {"envpool": envpool, "policy": lean, "result": result})
    assert (scratch_directory / "best.mp4").stat().st_size > 1000
