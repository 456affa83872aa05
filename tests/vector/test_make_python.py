"""Pools of environments written in Python, in EnvPool's dialects."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.classic_control import CartPoleEnv

import envpool
import plain_envs
from envpool.tasks.registry import registry
from helpers import OneByOne, assert_follows, assert_identical, assert_same_bytes
from vector_envs import SPACES, Talkative, made, sampling

LOCAL = {"num_workers": 0}
CARTPOLE = made("CartPole-v1")


@pytest.fixture
def names() -> Iterator[None]:
    """Forgets what a test registers."""
    before = dict(registry.python_tasks)
    yield
    registry.python_tasks.clear()
    registry.python_tasks.update(before)


def random_policy(n: int) -> Any:
    return lambda obs, rng: rng.integers(n, size=len(obs))


@pytest.mark.parametrize(
    "source",
    ["CartPole-v1", "gymnasium:CartPole-v1", gymnasium.spec("CartPole-v1"), CARTPOLE],
    ids=["id", "module:id", "spec", "function"],
)
def test_what_there_is_to_make_environments_of(source: Any) -> None:
    with envpool.make_python(source, num_envs=3, seed=7, **LOCAL) as pool:
        oracle = OneByOne([CARTPOLE() for _ in range(3)])
        ended = assert_follows(pool, oracle, random_policy(2), 100, [7, 8, 9])
        assert min(ended) >= 0 < sum(ended)


def test_lists_have_a_function_for_each() -> None:
    lengths = [2, 3, 5]
    sources = [functools.partial(plain_envs.Counting, episode_length=n) for n in lengths]
    with envpool.make_python(sources, max_episode_steps=4, **LOCAL) as pool:
        assert len(pool) == pool.config["num_envs"] == 3
        pool.reset()
        ends = [pool.step(np.zeros(3, int)) for _ in range(5)]
    assert [step[2].tolist() for step in ends][:3] == [
        [False, False, False],
        [True, False, False],
        [False, True, False],
    ]
    assert ends[3][3].tolist() == [False, False, True]


def test_infos_are_arrays_beside_the_pools_own() -> None:
    theirs = gymnasium.vector.SyncVectorEnv([Talkative] * 3)
    with envpool.make_python(Talkative, num_envs=3, seed=1, **LOCAL) as pool:
        pool.reset()
        theirs.reset(seed=[1, 2, 3])
        for _ in range(6):
            actions = np.array([0, 1, 2])
            info, expected = pool.step(actions)[-1], theirs.step(actions)[-1]
            for key, value in (("env_id", range(3)), ("players", None), ("elapsed_step", None)):
                column = info.pop(key)
                assert value is None or column.tolist() == list(value)
            assert_identical(dict(sorted(info.items())), dict(sorted(expected.items())))


def test_rows_of_some_environments_have_infos_of_theirs() -> None:
    with envpool.make_python(sampling(spaces.Discrete(3)), num_envs=4, **LOCAL) as pool:
        pool.reset()
        info = pool.step(np.array([1, 2]), np.array([3, 1]))[-1]
    assert info["env_id"].tolist() == [3, 1]
    assert info["action"].tolist() == [[1], [2]]
    assert info["_action"].tolist() == [True, True]


def test_same_step_resets_give_final_observations_and_infos() -> None:
    source = functools.partial(plain_envs.Counting, episode_length=2)
    options = {"num_envs": 2, "autoreset_mode": "SameStep", "record_episode_statistics": True}
    with envpool.make_python(source, **options, **LOCAL) as pool:
        pool.reset(options={"start": 0})
        pool.step(np.array([1, 2]))
        observation, _, terminated, _, info = pool.step(np.array([1, 2]))
    assert observation.tolist() == [[0], [0]]
    assert terminated.all()
    assert [row.tolist() for row in info["final_obs"]] == [[2], [2]]
    assert info["final_info"]["episode"].tolist() == [1, 1]
    assert info["final_info"]["elapsed_step"].tolist() == [2, 2]
    assert info["episode"]["r"].tolist() == [2.0, 4.0]
    assert info["episode"]["l"].tolist() == [2, 2]


def test_dm_env_has_time_steps() -> None:
    dm_env = pytest.importorskip("dm_env")
    structured = plain_envs.Structured
    with envpool.make_python(structured, "dm", num_envs=2, seed=4, **LOCAL) as pool:
        assert isinstance(pool, dm_env.Environment)
        step = pool.reset()
        assert step.first().all()
        assert step.observation.env_id.tolist() == [0, 1]
        expected, _ = structured().reset(seed=5)
        assert_same_bytes(step.observation.body.force[1], expected["body"]["force"])
        assert step.observation._fields == pool.observation_spec()._fields
        action = pool.action_spec()
        assert action["lamps"].shape == (3,)
    with pytest.raises(ValueError, match="is not an array, and dm_env has only arrays"):
        envpool.make_python(sampling(spaces.Text(3)), "dm", **LOCAL)


@pytest.mark.parametrize("space", SPACES[:-2], ids=str)
def test_actions_of_every_space(space: spaces.Space) -> None:
    with envpool.make_python(sampling(space, 99), num_envs=3, seed=0, **LOCAL) as pool:
        batched = gymnasium.vector.utils.batch_space(space, 3)
        batched.seed(0)
        action = batched.sample()
        pool.reset()
        info = pool.step(action)[-1]
        given = gymnasium.vector.utils.iterate(batched, action)
    assert_identical([told[0] for told in info["action"]], list(given))


def test_dicts_of_actions_may_have_ids() -> None:
    with envpool.make_python(plain_envs.Structured, num_envs=3, seed=0, **LOCAL) as pool:
        pool.reset()
        batch = gymnasium.vector.utils.batch_space(pool.action_space, 2).sample()
        ids = np.array([2, 0])
        beside = pool.step(batch | {"env_id": ids, "players.env_id": ids})
        pool.reset(seed=0)
        assert_identical(beside, pool.step(batch, ids))
        with pytest.raises(ValueError, match="unknown key 'lamp'; did you mean 'lamps'"):
            pool.step(batch | {"lamp": 1}, ids)
        with pytest.raises(ValueError, match="lacks the key 'dials'"):
            pool.step({key: batch[key] for key in ("body", "lamps")}, ids)
        with pytest.raises(ValueError, match=r"players.env_id is .* as env_id"):
            pool.step(batch | {"env_id": ids, "players.env_id": ids[::-1]})


def test_options_are_checked_before_anything_is_made() -> None:
    def never() -> Any:
        raise AssertionError("was made")

    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"num_env": 3}, TypeError, "no option 'num_env'; did you mean .*'num_envs'"),
        ({"gravity": 3}, TypeError, "give env_kwargs what"),
        ({"num_threads": 2}, TypeError, "no option 'num_threads'"),
        ({"batch_size": 2}, ValueError, "batch_size is 2, expected 0 <= batch_size <= 1"),
        ({"num_envs": 0}, ValueError, "num_envs is 0"),
        ({"num_workers": "two"}, TypeError, "num_workers is 'two'"),
        ({"worker_threads": 0}, ValueError, "worker_threads is 0"),
        ({"start_method": "spoon"}, ValueError, "start_method is 'spoon'"),
        ({"step_timeout": 0.0}, ValueError, "step_timeout is 0.0"),
        ({"step_timeout": "soon"}, TypeError, "step_timeout is 'soon'"),
        ({"batch_size": 5, "num_envs": 4}, ValueError, "batch_size is 5"),
        ({"seed": "x"}, TypeError, "seed is 'x'"),
        ({"seed": [1], "num_envs": 4}, ValueError, "seed has 1"),
        ({"env_kwargs": 3}, TypeError, "env_kwargs is 3"),
        ({"env_kwargs": [{}, {}, {}], "num_envs": 2}, ValueError, "env_kwargs has 3"),
        ({"gym_reset_return_info": False}, ValueError, "gym_reset_return_info is False"),
    ]
    for options, error, match in refused:
        with pytest.raises(error, match=match):
            envpool.make_python(never, **options)
    with pytest.raises(ValueError, match="env_type is 'gymnasiun'"):
        envpool.make_python(never, "gymnasiun")
    with pytest.raises(gymnasium.error.Error, match="CartPoles"):
        envpool.make_python("CartPoles-v1")
    with pytest.raises(TypeError, match="source of environments is 5"):
        envpool.make_python(5)


def test_environments_get_kwargs_all_or_each() -> None:
    with envpool.make_python("Pendulum-v1", num_envs=2, env_kwargs={"g": 1.5}, **LOCAL) as pool:
        assert pool.get_attr("g") == (1.5, 1.5)
    each = [{"episode_length": 2}, {"episode_length": 3}]
    with envpool.make_python(plain_envs.Counting, num_envs=2, env_kwargs=each, **LOCAL) as pool:
        assert pool.get_attr("episode_length") == (2, 3)


def test_limits_of_the_registry_can_be_changed() -> None:
    for limit, expected in ((None, 200), (300, 300), (3, 3)):
        given = {} if limit is None else {"max_episode_steps": limit}
        with envpool.make_python("MountainCar-v0", num_envs=1, **given, **LOCAL) as pool:
            assert pool.config["max_episode_steps"] == expected
            pool.reset()
            ends = [bool(pool.step(np.array([1]))[3][0]) for _ in range(301)]
            assert ends.index(True) == expected - 1


def test_pictures_are_drawn_by_the_environments(screen: Any) -> None:
    with envpool.make_python("CartPole-v1", num_envs=2, render_mode="rgb_array", **LOCAL) as pool:
        pool.reset(seed=[0, 1])
        environment = gymnasium.make("CartPole-v1", render_mode="rgb_array")
        environment.reset(seed=1)
        assert_same_bytes(pool.render(np.array([1, 0]))[0], environment.render())
        assert pool.render().shape == (1, 400, 600, 3)
        with pytest.raises(ValueError, match="camera_id is 1, expected None"):
            pool.render(camera_id=1)
    with envpool.make_python("CartPole-v1", num_envs=2, render_mode="human", **LOCAL) as pool:
        pool.reset()
        assert pool.render() is None
        assert screen.shown == 1
    with envpool.make_python(CARTPOLE, **LOCAL) as pool, pytest.raises(RuntimeError):
        pool.render()
    with envpool.make_python(CartPoleEnv, render_mode="rgb_array", **LOCAL) as pool:
        pool.reset()
        assert pool.render().shape[-1] == 3
    with pytest.raises(ValueError, match=r"env_kwargs=\{'render_mode': 'rgb_array'\}"):
        envpool.make_python(CARTPOLE, render_mode="human", **LOCAL)


def test_attributes_and_methods_can_be_reached() -> None:
    with envpool.make_python(CARTPOLE, num_envs=2, **LOCAL) as pool:
        pool.set_attr("gravity", [1.0, 2.0])
        assert pool.get_attr("gravity") == (1.0, 2.0)
        assert pool.call("has_wrapper_attr", "gravity") == (True, True)
        pool.set_attr("gravity", 5)
        assert pool.get_attr("gravity") == (5, 5)
        for timeout, error in {"x": TypeError, -1: ValueError, float("nan"): ValueError}.items():
            with pytest.raises(error, match=f"timeout is {timeout!r}, expected"):
                pool.close(timeout=timeout)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError):
        pool.reset()


def test_ids_of_ones_own(names: None) -> None:
    for _ in range(2):
        envpool.register_python("mine/Cart-v0", "CartPole-v1", num_envs=2, num_workers=0)
    assert "mine/Cart-v0" in envpool.list_all_envs()
    spec = envpool.make_spec("mine/Cart-v0", seed=3)
    assert spec.id == "mine/Cart-v0"
    assert spec.config.num_envs == 2
    assert spec.observation_space == CARTPOLE().observation_space
    with envpool.make("mine/Cart-v0", "gymnasium", num_envs=3) as pool:
        assert len(pool) == 3
        assert pool.spec.id == "mine/Cart-v0"
    with pytest.raises(ValueError, match="choose another id"):
        envpool.register_python("mine/Cart-v0", "CartPole-v0")
    with pytest.raises(ValueError, match="no namespace"):
        envpool.register_python("Cart-v0", "CartPole-v1")
    with pytest.raises(TypeError, match="the source of environments is 3, expected a function"):
        envpool.register_python("mine/Three-v0", 3)
    with pytest.raises(envpool.UnknownTaskError, match="mine/Cart-v0"):
        envpool.make("mine/Kart-v0", "gymnasium")


def test_specs_make_the_same_again() -> None:
    spec = envpool.make_spec("gymnasium:Blackjack-v1", num_envs=3, seed=[3, 1, 2])
    options = dict(zip(spec._config_keys, spec._config_values, strict=True))
    assert envpool.make_spec("gymnasium:Blackjack-v1", **options) == spec
    assert list(spec.state_array_spec)[-3:] == ["obs:item0", "obs:item1", "obs:item2"]
    assert spec.reward_threshold is None


def test_environments_that_cannot_be_saved_say_so() -> None:
    with envpool.make_python(plain_envs.Counting, num_envs=2, **LOCAL) as pool:
        pool.reset()
        with pytest.raises(envpool.EnvironmentFailure, match="get_state"):
            pool.get_state()
