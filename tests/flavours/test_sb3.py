"""envpool.sb3.VecEnv has the rows of Stable-Baselines3's DummyVecEnv over single environments."""

import functools
import itertools
import pickle
import re
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from envpool.errors import UnknownTaskError
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.tasks.gymnasium_makers import make_single_env, make_vector_env
from envpool.tasks.registry import registry
from helpers import (
    assert_identical,
    assert_same_bytes,
    needs_ale,
    needs_dm_control,
    needs_mujoco,
    run_python,
)

pytest.importorskip("stable_baselines3", reason="needs Stable-Baselines3")

from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from envpool.sb3 import VecEnv
from sb3_pair import (
    N,
    Pair,
    assert_learns_the_same,
    assert_refused,
    assert_rows_are_equal,
    assert_shown,
    without_times,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:this process has made"),
]


class Own(gymnasium.Env):
    """An environment written in Python."""

    def __init__(self, space):
        self.observation_space = self.action_space = space


def make_from_spec(task_id):
    return EnvPoolVectorEnv(envpool.make_spec(task_id))


# Ours, the original, options, and whether episodes end by themselves and by their limit.
TASKS = [
    ("CartPole-v1", "CartPole-v1", {}, True, False),
    ("CartPole-v1", "CartPole-v1", {"max_episode_steps": 12}, True, True),
    ("Pendulum-v1", "Pendulum-v1", {}, False, True),
    (
        "MountainCarContinuous-v0",
        "MountainCarContinuous-v0",
        {"max_episode_steps": 50},
        False,
        True,
    ),
    ("FrozenLake-v1", "FrozenLake-v1", {}, True, False),
    ("Taxi-v4", "Taxi-v4", {}, True, True),
    ("Blackjack-v1", "Blackjack-v1", {}, True, False),
    ("LunarLander-v3", "LunarLander-v3", {}, True, False),
    ("testing/Lives-v0", "envpool/testing-Lives-v0", {}, True, False),
    pytest.param("Hopper-v5", "Hopper-v5", {}, True, False, marks=needs_mujoco),
    pytest.param(
        "WalkerWalk-v1",
        "envpool/WalkerWalk-v1",
        {"max_episode_steps": 30},
        False,
        True,
        marks=needs_dm_control,
    ),
    pytest.param(
        "Pong-v5", "envpool/Pong-v5", {"max_episode_steps": 30}, False, True, marks=needs_ale
    ),
]


@pytest.mark.parametrize(("task_id", "theirs", "options", "ends", "is_limited"), TASKS)
@pytest.mark.one_in(2)
def test_rows_are_equal(task_id, theirs, options, ends, is_limited):
    assert_rows_are_equal(Pair(task_id, theirs, **options), 220, ends, is_limited)


def test_without_a_monitor():
    assert Pair("CartPole-v1", "CartPole-v1", monitor=False).begin().play(50)[0] > 0


# --- seeds, options ---------------------------------------------------------------------------


def test_seeds():
    given = VecEnv("CartPole-v1", N, seed=7).reset()
    env = VecEnv("CartPole-v1", N)
    assert env.seed(7) == list(range(7, 7 + N))
    np.testing.assert_array_equal(env.reset(), given)
    assert not np.array_equal(env.reset(), given)  # they count once
    several = VecEnv("CartPole-v1", N, seed=[11, 10, 9, 8, 7]).reset()
    np.testing.assert_array_equal(several[::-1], given)
    assert not np.array_equal(VecEnv("CartPole-v1", N).reset(), VecEnv("CartPole-v1", N).reset())


def test_options_of_resets():
    pair = Pair("CartPole-v1", "CartPole-v1")
    for options in ({"low": 0.01, "high": 0.02}, [{"low": 0.1, "high": 0.2}] * N, None):
        pair.seed(3)
        pair.both(lambda env, options=options: env.set_options(options))
        pair.reset()
    pair.reset()
    for wrong in ([{"low": 0.0}] + [{}] * (N - 1), 5, [{}] * (N + 1)):
        pair.ours.set_options(wrong)
        with pytest.raises(ValueError, match=f"expected a dict, or a list of {N} equal ones"):
            pair.ours.reset()
    pair.ours.set_options()
    pair.ours.reset()


# --- attributes and methods -------------------------------------------------------------------


def test_attributes():
    pair = Pair("Pendulum-v1", "Pendulum-v1", monitor=False)
    pair.begin()
    for indices in (None, 2, [0, 3], range(1, 3), []):
        assert pair.both(lambda env, i=indices: env.get_attr("g", i)) is not None
    for wrong, error in ((7, IndexError), ([-9], IndexError), ([1.5], TypeError)):
        with pytest.raises(error, match=r"indices is .*, expected ids in the range from 0 to"):
            pair.ours.get_attr("g", wrong)
    assert pair.ours.get_attr("render_mode") == [None] * N
    assert [spec.id for spec in pair.ours.get_attr("spec")] == ["envpool/Pendulum-v1"] * N
    pair.ours.set_attr("g", 1.0)
    pair.theirs.set_attr("g", 1.0)  # which is one of the wrapper then
    for env in pair.theirs.envs:
        env.unwrapped.g = 1.0
    pair.play(20)
    pair.ours.set_attr("g", 3.0, [1, 4])
    for env_id in (1, 4):
        pair.theirs.envs[env_id].unwrapped.g = 3.0
    assert pair.ours.get_attr("g") == [1.0, 3.0, 1.0, 1.0, 3.0]
    pair.play(20)
    assert pair.ours.has_attr("g")
    assert not pair.ours.has_attr("gravity")


def test_methods():
    env = VecEnv("CartPole-v1", N, seed=3)
    first = env.reset()
    states = env.env_method("get_state")
    results = env.step(np.ones(N, int))
    for env_id, state in enumerate(states):
        env.env_method("set_state", state, indices=env_id)
    again = env.step(np.ones(N, int))
    np.testing.assert_array_equal(again[0], results[0])
    ((obs, info),) = env.env_method("reset", seed=3 + 2, indices=2)
    np.testing.assert_array_equal(obs, first[2])
    assert info == {}
    assert env.env_method("get_wrapper_attr", "length", indices=[1, 2]) == [0.5, 0.5]
    assert env.env_method("has_wrapper_attr", "height") == [False] * N
    env.env_method("set_wrapper_attr", "length", 1.5, indices=[1])
    assert env.get_attr("length") == [0.5, 1.5, 0.5, 0.5, 0.5]
    assert env.env_method("render", indices=[]) == []
    assert env.env_is_wrapped(Monitor) == [True] * N
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit, [1, 2]) == [False] * 2
    assert VecEnv("CartPole-v1", 2, monitor=False).env_is_wrapped(Monitor) == [False] * 2


def test_a_reset_of_one_environment_begins_its_episode():
    env = VecEnv("CartPole-v1", 2, seed=3, max_episode_steps=6)
    env.reset()
    actions = np.array([0, 1])
    for _ in range(4):
        env.step(actions)
    env.env_method("reset", indices=1)
    for _ in range(2):
        _, _, dones, infos = env.step(actions)
    assert dones.tolist() == [True, False]
    assert infos[0]["episode"]["l"] == 6
    for _ in range(4):
        _, _, dones, infos = env.step(actions)
    assert dones.tolist() == [False, True]
    assert (infos[1]["episode"]["r"], infos[1]["episode"]["l"]) == (6.0, 6)


@pytest.mark.parametrize("indices", [None, 0, [2, 1]])
def test_environments_can_be_reset_one_by_one_at_first(indices):
    pair = Pair("CartPole-v1", "CartPole-v1")

    def reset(env, seed, **kwargs):
        return env.env_method("reset", seed=seed, **kwargs)

    pair.both(lambda env: reset(env, 3, indices=indices))
    if indices is not None:
        with pytest.raises(RuntimeError, match=r"environment [01] has no episode to step"):
            pair.ours.step(np.zeros(N, int))
    pair.both(lambda env: reset(env, 4, options={"low": -0.01, "high": 0.01}))
    pair.play(30)


def test_a_first_reset_of_one_environment_takes_no_episode_of_another():
    together, single = (VecEnv("CartPole-v1", N, seed=3) for _ in range(2))
    first = together.reset()
    for env_id in (2, 0, 1):
        ((obs, _),) = single.env_method("reset", indices=env_id)
        np.testing.assert_array_equal(obs, first[env_id])
    with pytest.raises(ValueError, match="seed"):
        VecEnv("CartPole-v1", 2).env_method("reset", seed=-1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda env: env.env_method("rendr"), AttributeError, "'rendr' is not a method.*'render'"),
        (lambda env: env.env_method("step", 1), AttributeError, "'step' is not a method"),
        (lambda env: env.env_method("__init__"), AttributeError, "'__init__' is not a method"),
        (lambda env: env.env_method("get_state", indices=N), IndexError, "range"),
        (lambda env: env.get_attr("gravty"), AttributeError, "'gravty'.*'gravity'"),
        (lambda env: env.set_attr("gravty", 1.0), AttributeError, "'gravty'.*'gravity'"),
        (lambda env: env.set_attr("gravty", 1.0, [0]), AttributeError, "'gravty'.*'gravity'"),
        (lambda env: env.set_attr("gravity", "high"), TypeError, "gravity"),
        (lambda env: env.set_attr("gravity", 1.0, [N]), IndexError, "range"),
        (lambda env: env.step(np.zeros(N - 1, int)), ValueError, "action"),
        (lambda env: env.step(np.full(N, 9)), ValueError, "action"),
        (lambda env: env.step(None), (TypeError, ValueError), "action"),
    ],
)
def test_wrong_calls(call, error, message):
    assert_refused(Pair("CartPole-v1", "CartPole-v1"), call, error, message)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("CartPole-v9",), {}, UnknownTaskError, "CartPole-v9"),
        ((envpool.make_spec("CartPole-v1"),), {}, TypeError, "source of env.*expected a function"),
        (("CartPole-v1", 0), {}, ValueError, "num_envs is 0"),
        (("CartPole-v1", "2"), {}, TypeError, "num_envs is '2'"),
        (("CartPole-v1", 2), {"monitor": 1}, TypeError, "monitor is 1, expected a bool"),
        (("CartPole-v1", 2), {"gravty": 1.0}, TypeError, "did you mean 'gravity'"),
        (("CartPole-v1", 2), {"batch_size": 1}, ValueError, "batch_size is 1, expected num_envs"),
        (("CartPole-v1", 2), {"autoreset_mode": "NextStep"}, TypeError, "one of its own"),
        (("CartPole-v1", 2), {"record_episode_statistics": True}, TypeError, "monitor=True"),
        (("testing/Structured-v0",), {}, NotImplementedError, "Nested observation spaces"),
        (("testing/Players-v0",), {}, ValueError, "one player"),
    ],
)
def test_wrong_arguments(arguments, options, error, message):
    with pytest.raises(error, match=message):
        VecEnv(*arguments, **options)


OWN = [spaces.Discrete(3), spaces.Text(4), spaces.Dict(a=spaces.Box(0, 1))]


@pytest.mark.parametrize(
    ("make", "space"),
    [
        *itertools.product([make_vector_env, make_single_env], OWN),
        *itertools.product([make_from_spec], OWN[:1]),
    ],
)
def test_an_environment_written_in_python_is_refused_in_a_sentence(make, space, monkeypatch):
    monkeypatch.setattr(registry, "python_tasks", {})
    envpool.register_python("mine/Own-v0", functools.partial(Own, space))
    with pytest.raises(envpool.ArgumentError) as caught:
        make("mine/Own-v0")
    assert str(caught.value) == (
        "task_id is 'mine/Own-v0', which is written in Python, expected a native task: "
        "envpool.make() and envpool.make_python() make a pool of such environments, "
        "envpool.vector.AsyncVectorEnv a vector environment"
    )


def test_results_stay_what_they_are():
    env = VecEnv("CartPole-v1", N, seed=3)
    kept = [env.reset()]
    copies = [kept[0].copy()]
    for _ in range(50):
        obs, rewards, dones, infos = env.step(np.ones(N, int))
        ends = [info["terminal_observation"] for info in infos if "terminal_observation" in info]
        kept += [obs, rewards, dones, *ends]
        copies += [array.copy() for array in (obs, rewards, dones, *ends)]
    env.close()
    env.close()
    for array, copied in zip(kept, copies, strict=True):
        np.testing.assert_array_equal(array, copied)


# --- pictures ---------------------------------------------------------------------------------


def test_pictures():
    pytest.importorskip("pygame")
    pair = Pair("CartPole-v1", "CartPole-v1", render_mode="rgb_array")
    pair.begin()
    pair.play(10)
    assert_identical(list(pair.ours.get_images()), list(pair.theirs.get_images()))
    assert_identical(pair.ours.render(), pair.theirs.render())
    assert_identical(pair.ours.env_method("render", indices=2)[0], pair.theirs.get_images()[2])
    assert pair.ours.metadata["render_fps"] == pair.theirs.metadata["render_fps"]


def test_no_pictures():
    env = VecEnv("CartPole-v1", 2)
    env.reset()
    with pytest.warns(UserWarning, match="render_mode is None, expected 'rgb_array'"):
        assert env.get_images() == [None, None]
    with pytest.warns(UserWarning, match="no `render_mode`"):
        assert env.render() is None


def test_a_window(screen):
    assert_shown(VecEnv("testing/Canvas-v0", 2, render_mode="human"), screen)


# --- what is built on it ----------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [VecMonitor, VecNormalize], ids=lambda wrap: wrap.__name__)
def test_wrappers(wrap):
    pair = Pair("CartPole-v1", "CartPole-v1", monitor=False)
    pair.ours, pair.theirs = wrap(pair.ours), wrap(pair.theirs)
    pair.seed(3)
    pair.both(lambda env: env.reset())
    for _ in range(100):
        actions = np.random.default_rng(0).integers(2, size=N)
        results = [env.step(actions) for env in (pair.ours, pair.theirs)]
        for result in results:
            without_times(result[3])
        assert_identical(*(result[:3] for result in results))
        assert_identical(*([sorted(info.items()) for info in r[3]] for r in results))


def test_a_monitor_around_a_monitor_is_warned_of():
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(VecEnv("CartPole-v1", 2))


def test_ppo_learns_the_same():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # evaluate_policy warns without a monitor
        envs = VecEnv("CartPole-v1", N), make_vec_env("CartPole-v1", N)
        assert len(assert_learns_the_same(*envs)[1]) > 5


@pytest.mark.slow
def test_training_goes_on_as_the_page_has_it(tmp_path):
    """With the episodes, masks and monitors that there were."""
    contrib, torch = pytest.importorskip("sb3_contrib"), pytest.importorskip("torch")
    page = (Path(__file__).parents[2] / "docs/scaling.md").read_text()
    (code,) = re.findall(r"```text\n(def save\(.*?)```", page, re.S)
    recipe = {"Path": Path, "np": np, "pickle": pickle, "torch": torch}
    exec(code, recipe)
    env = VecEnv("testing/Masked-v0", num_envs=4, seed=1)
    model = contrib.MaskablePPO("MultiInputPolicy", env, seed=7, n_steps=10, batch_size=20)
    model.learn(40)
    recipe["save"](model, env, str(tmp_path / "model"))
    model.learn(40, reset_num_timesteps=False)
    other, _ = recipe["load"](contrib.MaskablePPO, str(tmp_path / "model"))
    other.learn(40, reset_num_timesteps=False)
    for mine, theirs in zip(model.policy.parameters(), other.policy.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    lengths = [[info["l"] for info in run.ep_info_buffer] for run in (model, other)]
    assert lengths[0][-len(lengths[1]) :] == lengths[1] != []
    assert model.num_timesteps == other.num_timesteps == 80


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1"])
def test_their_checker_says_of_single_environments_what_it_says_of_the_originals(task_id):
    said = []
    for name in (f"envpool/{task_id}", task_id):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(gymnasium.make(name).unwrapped)
        said.append([str(warning.message) for warning in caught])
    assert said[0] == said[1]


# --- without it -------------------------------------------------------------------------------


def test_only_who_asks_needs_it():
    done = run_python("""
import sys
sys.modules["stable_baselines3"] = None
import envpool
from envpool import *
envpool.make("CartPole-v1", "gymnasium")
assert "envpool.sb3" not in sys.modules
try:
    envpool.sb3.VecEnv
except ImportError as error:
    assert 'pip install "envpool-next[sb3]"' in str(error), error
else:
    raise AssertionError("it is there")
""")
    assert done.returncode == 0, done.stderr


def test_it_is_found_by_its_name():
    assert envpool.sb3.VecEnv is VecEnv
    assert "sb3" in dir(envpool)


@pytest.mark.parametrize("source", ["CartPole-v1", lambda: gymnasium.make("CartPole-v1")])
def test_chosen_episodes(source):
    """A reset within a step begins what was said before it."""
    vec_env, single = VecEnv(source, 2), gymnasium.make("CartPole-v1")
    vec_env.reset()
    vec_env.next_episode([1], seed=[9])
    over = False
    while not over:
        observation, _, dones, _ = vec_env.step(np.ones(2, int))
        over = dones[1]
    assert_same_bytes(observation[1], single.reset(seed=9)[0])
    vec_env.close()
