"""What users give for environments, and what becomes of it."""

import pickle
import sys

import dm_env
import gymnasium
import numpy as np
import pytest
from dm_env import specs
from gymnasium import spaces

from envpool.errors import ArgumentError
from envpool.workers.factories import (
    DMEnvironment,
    make_environment,
    make_factories,
    space_of,
)
from envpool.workers.worker_side.main import Surroundings
from pools import actions, opened
from worker_envs import Counter


def test_functions():
    assert make_factories(Counter, 3) == [Counter] * 3
    assert make_factories(Counter) == [Counter]
    (made,) = make_factories(Counter, options={"length": 3})
    assert made().length == 3


def test_lists_of_functions():
    assert make_factories([Counter, print]) == [Counter, print]
    assert make_factories((Counter for _ in range(2)), 2) == [Counter] * 2
    assert [made().length for made in make_factories([Counter] * 2, options={"length": 3})] == [
        3,
        3,
    ]


@pytest.mark.parametrize("source", ["CartPole-v1", gymnasium.spec("CartPole-v1")])
def test_ids(source):
    one, two = make_factories(source, 2, {"max_episode_steps": 7})
    environment = one()
    assert environment.spec.max_episode_steps == 7
    assert two() is not environment


def test_ids_with_a_module(tmp_path, monkeypatch, capfd):
    (tmp_path / "registers_one.py").write_text(
        "import gymnasium\ngymnasium.register('Late-v0', 'worker_envs:Counter')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with opened(make_factories("registers_one:Late-v0", 2), start_method="spawn") as pool:
        assert pool.spec.id == "Late-v0"
        assert pool.get_attr("length") == [5, 5]
    assert "Overriding" not in capfd.readouterr().err  # of the workers


def test_ids_without_a_version():
    (made,) = make_factories("Blackjack")
    with pytest.warns(UserWarning, match="latest version"):
        assert made().spec.id.startswith("Blackjack-v")


def test_what_is_registered_here_is_known_to_workers():
    gymnasium.register("OnlyHere-v0", Counter)
    try:
        surroundings = Surroundings.here()
        assert surroundings.path == sys.path
        specs = [pickle.loads(spec) for spec in surroundings.specs]
        assert "OnlyHere-v0" in [spec.id for spec in specs]
        assert not [s for s in specs if str(s.entry_point).startswith("gymnasium.envs.")]
        with opened(make_factories("OnlyHere-v0"), start_method="spawn") as pool:
            assert pool.get_attr("length") == [5]
        with opened([lambda: gymnasium.make("OnlyHere-v0")], start_method="spawn") as pool:
            assert pool.get_attr("length") == [5]
    finally:
        del gymnasium.registry["OnlyHere-v0"]


@pytest.mark.parametrize(
    ("source", "num_envs", "kind", "told"),
    [
        ("NoSuchThing-v0", 2, gymnasium.error.NameNotFound, "NoSuchThing"),
        ("CartPole-v99", 2, gymnasium.error.VersionNotFound, "v99"),
        ("no_such_module:X-v0", 2, ImportError, "no_such_module"),
        ("gymnasium:walk:X-v0", 2, ArgumentError, "'gymnasium:walk:X-v0', expected 'Id', 'module:"),
        (7, 2, TypeError, "the source of environments is 7, expected a function"),
        (Counter(), 2, TypeError, "expected a function"),
        ([Counter], 2, ArgumentError, "1 functions .* num_envs = 2"),
        ([], None, ArgumentError, "0 functions .* one or more"),
        ([Counter, Counter()], 2, TypeError, "the source of environment 1 is <worker_envs.Counter"),
    ],
)
def test_what_is_no_source(source, num_envs, kind, told):
    with pytest.raises(kind, match=told):
        make_factories(source, num_envs)


class Walk(dm_env.Environment):
    """dm_env's, with all that there is in its specs and time steps."""

    def __init__(self, discounts=(1.0, 0.5, 0.0)):
        self.discounts = discounts
        self.now = 0
        self.closed = False

    def observation_spec(self):
        return {
            "where": specs.BoundedArray((2,), np.float32, [0, -1], [1, 1]),
            "switch": specs.DiscreteArray(3),
            "free": (specs.Array((), np.float64), specs.Array((2,), np.uint8)),
        }

    def action_spec(self):
        return specs.BoundedArray((1,), np.float64, -1, 1)

    def _observe(self):
        return {
            "where": np.full(2, self.now / 10, np.float32),
            "switch": self.now,
            "free": (np.array(float(self.now)), np.full(2, self.now, np.uint8)),
        }

    def reset(self):
        self.now = 0
        return dm_env.restart(self._observe())

    def step(self, action):
        self.now += 1
        discount = self.discounts[self.now - 1]
        kind = dm_env.StepType.LAST if self.now == len(self.discounts) else dm_env.StepType.MID
        return dm_env.TimeStep(kind, float(action[0]), discount, self._observe())

    def close(self):
        self.closed = True


def test_dm_environments():
    environment = make_environment(Walk)
    assert isinstance(environment, DMEnvironment)
    observation, info = environment.reset(seed=3)
    assert environment.observation_space.contains(observation)
    assert info == {}
    results = [environment.step(np.array([0.5])) for _ in range(3)]
    assert [step[1:] for step in results] == [
        (0.5, False, False, {}),
        (0.5, False, False, {"discount": 0.5}),
        (0.5, True, False, {}),
    ]
    assert environment.discounts == (1.0, 0.5, 0.0)
    environment.close()
    assert environment.closed


def test_dm_environments_that_run_out_of_time():
    environment = make_environment(lambda: Walk((1.0, 1.0)))
    environment.reset()
    environment.step(np.array([0.0]))
    assert environment.step(np.array([0.0]))[2:] == (False, True, {})


def test_dm_environments_in_workers():
    with opened([Walk] * 2, check_actions=False, autoreset_mode="SameStep") as pool:
        observation, _ = pool.reset(None, [], None, False)
        assert observation["free"][1].shape == (2, 2)
        for _ in range(3):
            observation, _, terminated, _, info = pool.step(actions(1, 1)[:, None], None)
        assert terminated.all()
        assert info["final_obs"][0]["switch"] == 3
        assert observation["switch"].tolist() == [0, 0]


def test_dm_specs():
    assert space_of(specs.DiscreteArray(4)) == spaces.Discrete(4)
    assert space_of([specs.Array((2,), bool)]) == spaces.Tuple([spaces.Box(0, 1, (2,), np.bool_)])
    with pytest.raises(TypeError, match="describes no numbers"):
        space_of(specs.StringArray(()))
