"""What users give for environments, and what becomes of it."""

import pickle
import sys

import dm_env
import gymnasium
import pytest

from envpool.errors import ArgumentError
from envpool.workers.factories import make_environment, make_factories
from envpool.workers.worker_side.main import Surroundings
from pools import opened
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


@pytest.mark.slow
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


@pytest.mark.slow
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
        ("gymnasium:walk:X-v0", 2, ImportError, "gymnasium:walk"),
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
    """dm_env's, which has specs instead of spaces."""

    def reset(self):
        raise NotImplementedError

    step = observation_spec = action_spec = reset


def test_dm_environments_are_for_shimmy():
    with pytest.raises(TypeError, match=r"is None, expected a gymnasium\.Space: shimmy"):
        make_environment(Walk)
