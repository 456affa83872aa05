"""Who speaks an old gym's API, without one: what it is and does there is in old_gym/."""

import sys
import types

import pytest

import envpool
from envpool.tasks.old_gym import wants_old_gym


@pytest.fixture(autouse=True)
def _no_gym(monkeypatch):
    """Whatever is installed."""
    monkeypatch.setitem(sys.modules, "gym", None)  # no such module, to Python
    monkeypatch.delitem(sys.modules, "envpool.flavours.gym", raising=False)


def module_called_gym(version):
    gym = types.ModuleType("gym")
    if version is not None:
        gym.__version__ = version
    return gym


def asks(**names):
    """What the rule says of a module with these global names."""
    names |= {"__name__": "client", "wants_old_gym": wants_old_gym}
    return eval("wants_old_gym(None)", names)


@pytest.mark.parametrize("version", ["0.9.4", "0.21.0", "0.23.1", "0.25.2"])
def test_modules_with_an_old_gym(version):
    assert asks(gym=module_called_gym(version))
    assert asks(of_another_name=module_called_gym(version))


@pytest.mark.parametrize("version", ["0.26.0", "0.26.2", "1.0", None, "unknown", 3])
def test_modules_with_another_gym(version):
    assert not asks(gym=module_called_gym(version))


def test_modules_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "gym", module_called_gym("0.23.1"))  # somebody imported it
    assert not asks()
    other = module_called_gym("0.23.1")
    other.__name__ = "gymnasium"
    assert not asks(gym=other)
    assert not asks(gym="0.23.1")


def test_make_asks_its_caller():
    """Whichever way it is called; that it would be answered takes an old gym."""
    for call in (
        "envpool.make('CartPole-v1', 'gym')",
        "envpool.make('CartPole-v1', env_type='gym')",
        "envpool.make_gym('CartPole-v1')",
        "envpool.registration.make('CartPole-v1', 'gym')",
        "envpool.registration.make_gym('CartPole-v1')",
        "envpool.registration.registry.make('CartPole-v1', 'gym')",
        "(lambda: envpool.make_gym('CartPole-v1'))()",
    ):
        names = {"__name__": "client", "envpool": envpool}
        observation, _info = eval(call, names).reset()
        assert observation.shape == (1, 4)
        names["gym"] = module_called_gym("0.23.1")
        with pytest.raises(ImportError, match="gym"):
            eval(call, names)


def test_the_caller_says_so():
    names = {"__name__": "client", "envpool": envpool, "gym": module_called_gym("0.23.1")}
    pool = eval("envpool.make_gym('CartPole-v1', old_gym=False)", names)
    assert isinstance(pool, envpool.GymnasiumEnvPool)
    with pytest.raises(
        ImportError, match=r'needs a gym older than 0.26: pip install "gym==0.23.1"'
    ):
        envpool.make("CartPole-v1", env_type="gym", old_gym=True)


def test_a_new_gym_does_not_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "gym", module_called_gym("0.26.2"))
    with pytest.raises(ImportError, match=r"older than 0\.26.*there is 0\.26\.2"):
        envpool.make_gym("CartPole-v1", old_gym=True)


def test_misuse():
    with pytest.raises(TypeError, match="old_gym is 1, expected None or a bool"):
        envpool.make_gym("CartPole-v1", old_gym=1)
    for env_type in ("gymnasium", "dm"):
        with pytest.raises(TypeError, match="old_gym is an option of env_type 'gym'"):
            envpool.make("CartPole-v1", env_type, old_gym=False)
    with pytest.raises(TypeError, match="old_gym"):
        envpool.make_spec("CartPole-v1", old_gym=False)
