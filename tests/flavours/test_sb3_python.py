"""envpool.sb3.VecEnv of environments written in Python: the rows of DummyVecEnv, too."""

import functools
import re

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv

import envpool
from envpool.errors import EnvironmentFailure
from envpool.tasks.registry import registry
from helpers import assert_identical
from sb3_envs import Deadly, Depot, DepotOfTheirs, Doors, Drawn, Fragile, Loose

pytest.importorskip("stable_baselines3", reason="needs Stable-Baselines3")

from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from envpool.sb3 import VecEnv
from sb3_pair import N, Pair, assert_learns_the_same, assert_refused, assert_rows_are_equal

FORKED = {"num_workers": 2, "start_method": "fork"}
HERE = {"num_workers": 0}
pytestmark = pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning")


# --- rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "theirs", "workers", "options", "ends", "is_limited"),
    [
        (CartPoleEnv, CartPoleEnv, FORKED, {}, True, False),
        ("gymnasium:CartPole-v1", "CartPole-v1", HERE, {"max_episode_steps": 12}, True, True),
        ("gymnasium:Pendulum-v1", "Pendulum-v1", FORKED, {"max_episode_steps": 9}, False, True),
        ("gymnasium:Taxi-v4", "Taxi-v4", FORKED, {"max_episode_steps": 9}, False, True),
        (Depot, Depot, {"num_workers": 1}, {}, True, True),
        (Depot, Depot, HERE, {}, True, True),
        (functools.partial(Depot, "info"), functools.partial(Depot, "info"), HERE, {}, True, True),
        (Doors, Doors, FORKED, {}, True, False),
        (Loose, Loose, HERE, {}, False, False),
    ],
)
def test_rows_are_equal(source, theirs, workers, options, ends, is_limited):
    assert_rows_are_equal(Pair(source, theirs, workers=workers, **options), 60, ends, is_limited)


def test_what_makes_them(monkeypatch):
    monkeypatch.setattr(registry, "python_tasks", {})
    envpool.register_python("mine/Depot-v0", Depot, num_workers=0, num_envs=2)
    expected = VecEnv(Depot, 2, seed=3, **HERE).reset()
    for env in (
        VecEnv("mine/Depot-v0", seed=3),
        VecEnv("mine/Depot-v0", 2, seed=np.array([3, 4])),
        VecEnv([Depot, Depot], seed=3, **HERE),
        VecEnv(Depot, 2, seed=3, env_kwargs={"where": "observation"}, **HERE),
    ):
        assert_identical(env.reset(), expected)
    assert VecEnv(Depot, **HERE).num_envs == 1
    env = VecEnv(gymnasium.spec("CartPole-v1"), 2, **HERE)
    assert env.spec.id == "CartPole-v1"
    assert VecEnv(Depot, **HERE).spec is None


# --- attributes and methods -------------------------------------------------------------------


@pytest.mark.parametrize("workers", [HERE, FORKED])
def test_attributes_and_methods(workers):
    pair = Pair("gymnasium:CartPole-v1", "CartPole-v1", monitor=False, workers=workers)
    pair.begin()
    for indices in (None, 2, [0, 3], range(1, 3), []):
        assert pair.both(lambda env, i=indices: env.get_attr("length", i)) is not None
    pair.ours.set_attr("length", 1.5, [1, 4])
    for env_id in (1, 4):
        pair.theirs.envs[env_id].unwrapped.length = 1.5
    pair.both(lambda env: env.get_attr("length"))
    pair.both(lambda env: env.has_attr("gravity"))
    pair.both(lambda env: env.has_attr("gravty"))
    pair.both(lambda env: env.env_method("has_wrapper_attr", "length", indices=[0, 2]))
    for kind in (gymnasium.wrappers.TimeLimit, gymnasium.Wrapper, gymnasium.wrappers.ClipAction):
        pair.both(lambda env, kind=kind: env.env_is_wrapped(kind))
    pair.both(lambda env: env.env_is_wrapped(Monitor, [0]))
    pair.both(lambda env: env.env_method("reset", seed=9, indices=2))
    pair.play(20)
    pair.ours.close()


def test_methods_of_their_own():
    env = VecEnv(DepotOfTheirs, 2, **FORKED)
    env.reset()
    with pytest.raises(AttributeError, match="'step' is not a method that env_method"):
        env.env_method("step", 1)
    with pytest.raises(AttributeError, match="demand"):
        env.env_method("demand")
    with pytest.raises(AttributeError, match="demand"):
        env.get_attr("demand")
    with pytest.raises(TypeError, match="positional argument"):
        env.env_method("_mask", 1)  # the environment's own exception
    with pytest.raises(IndexError):
        env.get_attr("stock", [2])
    assert env.env_is_wrapped(Monitor) == [True, True]
    env.close()
    env.close()
    with pytest.raises(RuntimeError, match="the pool is closed"):
        env.reset()


def test_environments_can_be_reset_one_by_one_at_first():
    pair = Pair(Depot, Depot, workers=HERE)
    pair.both(lambda env: env.env_method("reset", seed=3, indices=[1]))
    assert pair.ours.env_method("action_masks", indices=[1])[0].all()
    with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
        pair.ours.step(np.zeros(N, int))
    pair.both(lambda env: env.env_method("reset", seed=3))
    pair.play(20)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda env: env.step(np.zeros(N - 1, int)), ValueError, "action"),
        (lambda env: env.step(np.full(N, 9)), ValueError, "action"),
        (lambda env: env.set_attr("stock", 1, [N]), IndexError, "range"),
        (lambda env: env.env_method("close"), AttributeError, "'close' is not a method"),
    ],
)
def test_wrong_calls(call, error, message):
    assert_refused(Pair(Depot, Depot, workers=HERE), call, error, message)


class Nested(Depot):
    """Observes a dict in a dict."""

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Dict(a=self.observation_space)


class Two:
    """An environment of two agents."""

    possible_agents = ("a", "b")
    observation_space = action_space = reset = step = lambda self, *_, **__: spaces.Discrete(2)


@pytest.mark.parametrize(
    ("source", "options", "error", "message"),
    [
        (Depot, {"num_envs": 0}, ValueError, "num_envs is 0"),
        (
            Depot,
            {"num_envs": 2, "batch_size": 1, **HERE},
            ValueError,
            "batch_size is 1, expected num_envs",
        ),
        (Depot, {"autoreset_mode": "NextStep"}, TypeError, "one of its own"),
        (Depot, {"num_wrokers": 1}, TypeError, "did you mean 'num_workers'"),
        ([Depot], {"num_envs": 2}, ValueError, "there are 1 functions"),
        (Depot(), {}, TypeError, "source of environments is .*expected a function"),
        (None, {}, TypeError, "source of environments is None"),
        ("gymnasium:CartPoll-v1", {}, gymnasium.error.Error, "CartPoll"),
        (Two, HERE, ValueError, "a vector environment has one player"),
        (Nested, HERE, NotImplementedError, "Nested observation spaces"),
        (functools.partial(Depot, space=1), HERE, EnvironmentFailure, "space"),
    ],
)
def test_wrong_arguments(source, options, error, message):
    with pytest.raises(error, match=message):
        VecEnv(source, **options)


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [HERE, FORKED])
def test_a_failure_is_raised_and_a_reset_goes_on(workers):
    env = VecEnv(Fragile, 3, **workers)
    env.seed(2)
    env.reset()
    for _ in range(2):
        env.step(np.argmax(env.action_masks(), 1))
    with pytest.raises(EnvironmentFailure, match="environment 1: KeyError") as failure:
        env.step(np.argmax(env.action_masks(), 1))
    assert failure.value.env_ids == [1]
    assert isinstance(failure.value.__cause__, KeyError)
    rows = failure.value.results
    assert rows[1].shape == (2,)
    assert [set(info) for info in rows[4]] == [{"site", "last"}] * 2
    env.reset()
    env.step(np.argmax(env.action_masks(), 1))
    env.close()


@pytest.mark.parametrize(
    ("env_class", "workers", "failure"),
    [
        (Fragile, HERE, "KeyError: 'broken'"),
        (Fragile, FORKED, "KeyError: 'broken'"),
        (Deadly, FORKED | {"num_workers": 3}, "worker 1 .* was killed by SIGKILL.*"),
    ],
)
def test_a_failure_can_end_an_episode(env_class, workers, failure):
    env = VecEnv(env_class, 3, on_failure="reset", max_failures=1, **workers)
    env.seed(2)
    env.reset()
    with pytest.warns(RuntimeWarning, match=f"environment 1 failed.*{failure}"):
        for _ in range(3):
            _, rewards, dones, infos = env.step(np.argmax(env.action_masks(), 1))
    assert dones.tolist() == [False, True, False]
    assert rewards[1] == 0.0
    ended = infos[1]
    assert re.fullmatch(failure, ended["failure"])
    assert ended["TimeLimit.truncated"]
    assert "episode" not in ended
    assert "terminal_observation" in ended
    assert not any("failure" in info for info in (infos[0], infos[2]))
    env.seed(2)
    env.reset()
    with pytest.raises(EnvironmentFailure, match=f"environment 1: {failure}") as caught:
        for _ in range(3):
            env.step(np.argmax(env.action_masks(), 1))
    assert caught.value.__notes__[-1].endswith("max_failures is 1")
    env.close()


class FirstAllowed:
    """A policy."""

    def __init__(self, env):
        self.env = env

    def predict(self, *observations, **kwargs):
        return np.argmax(self.env.action_masks(), 1), None


class Modest(gymnasium.Env):
    """Says of each step that it is no failure."""

    observation_space, action_space = spaces.Discrete(2), spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 1, 1.0, True, False, {"failure": False}


@pytest.mark.filterwarnings("ignore:the environments' info 'failure' is left out:UserWarning")
@pytest.mark.parametrize("on_failure", ["raise", "reset"])
def test_an_own_info_named_failure_is_none(on_failure):
    env = VecEnv(Modest, 2, on_failure=on_failure, **HERE)
    env.reset()
    *_, infos = env.step(np.zeros(2, int))
    assert [info["episode"]["l"] for info in infos] == [1, 1]
    assert all(("failure" in info) == (on_failure == "raise") for info in infos)
    env.close()


@pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")
@pytest.mark.parametrize("env_class", [Fragile, Deadly])
def test_evaluations_count_whole_episodes_only(env_class):
    env = VecEnv(env_class, 3, on_failure="reset", num_workers=3, start_method="fork")
    env.seed(2)  # so that environment 1 fails in its third step
    _, lengths = evaluate_policy(FirstAllowed(env), env, 6, return_episode_rewards=True)
    assert min(lengths) > 3
    assert env.stats().failures == 1
    assert env.stats().episodes >= len(lengths) == 6
    env.close()


@pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")
def test_who_had_finished_when_another_ended_the_worker():
    """Its step stays what it was, and its next one ends its episode."""
    env = VecEnv(Deadly, 2, on_failure="reset", num_workers=1, start_method="fork")
    env.seed(2)  # so that environment 1 ends the worker in its third step
    env.reset()
    rows = [env.step(np.argmax(env.action_masks(), 1)) for _ in range(4)]
    np.testing.assert_array_equal(np.stack([row[2] for row in rows])[2:], [[0, 1], [1, 0]])
    assert "SIGKILL" in rows[2][3][1]["failure"] and "SIGKILL" in rows[3][3][0]["failure"]
    assert "failure" not in rows[2][3][0]
    assert "episode" not in rows[2][3][1] and "episode" not in rows[3][3][0]
    alone = Deadly()
    obs, _ = alone.reset(seed=2)
    for row in rows[:3]:
        obs, reward, *_ = alone.step(int(np.argmax(alone._mask())))
        for key, part in obs.items():
            np.testing.assert_array_equal(row[0][key][0], part)
        assert row[1][0] == np.float32(reward)
    env.close()


# --- pictures, recordings ---------------------------------------------------------------------


def test_pictures():
    pair = Pair(Drawn, Drawn, workers={"env_kwargs": {"render_mode": "rgb_array"}, **HERE})
    pair.theirs = DummyVecEnv([functools.partial(Drawn, "rgb_array")] * N)
    pair.begin()
    assert pair.ours.render_mode == "rgb_array"
    pair.both(lambda env: list(env.get_images()))
    pair.both(lambda env: env.render())
    pair.both(lambda env: env.env_method("render", indices=2))
    assert pair.ours.metadata["render_fps"] == 7


def test_recordings(tmp_path):
    env = VecEnv(CartPoleEnv, 2, record=str(tmp_path / "r"), **HERE)
    obs = [env.reset()]
    for _ in range(30):
        obs.append(env.step(np.ones(2, int))[0])
    env.close()
    recording = envpool.replay(tmp_path / "r")
    first = int(np.flatnonzero(recording.episodes["env"] == 0)[0])
    rollout = recording[first].rollout()
    assert rollout.rewards.dtype == np.float64
    np.testing.assert_array_equal(rollout.observations[0], obs[0][0])


# --- masks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["observation", "info", "method"])
@pytest.mark.parametrize("workers", [HERE, FORKED])
def test_masks(where, workers):
    env = VecEnv(functools.partial(Depot, where), 3, seed=3, **workers)
    env.reset()
    assert env.has_attr("action_masks")
    seen_ends = 0
    for _ in range(40):
        stock = np.array(env.get_attr("stock"))
        masks = env.action_masks()
        np.testing.assert_array_equal(masks, stock > 0)
        assert masks.dtype == bool or where == "method"
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[2])[0], masks[2])
        _, _, dones, _ = env.step(np.argmax(masks, 1))
        seen_ends += dones.sum()
    assert seen_ends
    env.close()


def test_masks_of_native_tasks():
    env = VecEnv("Taxi-v4", 3, seed=3)
    assert env.has_attr("action_masks")  # before the first reset, too: evaluations ask then
    with pytest.raises(AttributeError, match="before the first reset"):
        env.action_masks()
    env.reset()
    for _ in range(20):
        env.step(np.array([np.flatnonzero(mask)[-1] for mask in env.action_masks()]))
        assert env.action_masks().shape == (3, 6)
    assert not VecEnv("CartPole-v1").has_attr("action_masks")
    assert not VecEnv("Pendulum-v1").has_attr("action_masks")


def test_no_masks():
    env = VecEnv(CartPoleEnv, **HERE)
    env.reset()
    assert not env.has_attr("action_masks")
    for call in (env.action_masks, lambda: env.get_attr("action_masks")):
        with pytest.raises(AttributeError, match="action_masks"):
            call()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.ones(3, np.int8), r"has the shape \(3,\), expected \(4,\)"),
        (np.zeros(4, np.int8), "allows none of the 4 actions"),
        (np.array([0, 2, 1, 1]), "has 2 at 1, expected 0 or 1"),
        ([0.5, 1.0, 1.0, 1.0], "has 0.5 at 0, expected 0 or 1"),
        ("all", r"has the shape \(\), expected \(4,\)"),
    ],
)
def test_wrong_masks(wrong, message):
    env = VecEnv(
        [Depot, functools.partial(Depot, wrong=wrong)], env_kwargs={"where": "info"}, **HERE
    )
    env.seed(3)
    env.reset()
    for _ in range(3):
        env.step(np.argmax(env.action_masks(), 1))
    where = r"action_mask of environment 1 after step 3 of its episode "
    with pytest.raises(envpool.ArgumentError, match=where + ".*" + message):
        env.action_masks()


def test_masks_of_parts():
    env = VecEnv(Doors, 1, **HERE)
    env.reset()
    assert env.action_masks().tolist() == [[False, True, False, True, True]]


# --- training ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_maskable_ppo_learns_the_same():
    contrib = pytest.importorskip("sb3_contrib")
    masks = pytest.importorskip("sb3_contrib.common.maskable.utils")
    evaluation = pytest.importorskip("sb3_contrib.common.maskable.evaluation")
    envs = VecEnv(Depot, N, **FORKED), make_vec_env(DepotOfTheirs, N)
    assert all(map(masks.is_masking_supported, envs))
    # A closed site would raise.
    how = contrib.MaskablePPO, "MultiInputPolicy", evaluation.evaluate_policy
    assert_learns_the_same(*envs, *how)
    without = VecEnv("CartPole-v1")
    without.reset()
    assert not masks.is_masking_supported(without)
