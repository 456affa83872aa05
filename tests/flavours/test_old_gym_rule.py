"""Who speaks an old gym's API, without one: what it is and does there is in old_gym/."""

import sys
import types

import pytest

import envpool
from envpool.flavours import OLD_GYM, flavour_of

VARIABLE = "ENVPOOL_OLD_GYM"


@pytest.fixture(autouse=True)
def _no_gym(monkeypatch):
    """Whatever is installed, and whatever the variable says."""
    monkeypatch.setitem(sys.modules, "gym", None)  # no such module, to Python
    monkeypatch.delitem(sys.modules, "envpool.flavours.gym", raising=False)
    monkeypatch.delenv(VARIABLE, raising=False)


def module_called_gym(version):
    gym = types.ModuleType("gym")
    if version is not None:
        gym.__version__ = version
    return gym


@pytest.mark.parametrize("version", ["0.9.4", "0.21.0", "0.23.1", "0.25.2"])
def test_old_gyms(monkeypatch, version):
    monkeypatch.setitem(sys.modules, "gym", module_called_gym(version))
    assert flavour_of("gym", None) == "gymnasium"
    assert flavour_of("gym", False) == "gymnasium"
    assert flavour_of("gym", True) == OLD_GYM
    monkeypatch.setenv(VARIABLE, "1")
    assert flavour_of("gym", None) == OLD_GYM
    assert flavour_of("gym", False) == "gymnasium"
    assert flavour_of("gymnasium", None) == "gymnasium"
    assert flavour_of("dm", None) == "dm"


@pytest.mark.parametrize("version", ["0.26.0", "0.26.2", "1.0"])
def test_a_new_gym_does_not_do(monkeypatch, version):
    monkeypatch.setitem(sys.modules, "gym", module_called_gym(version))
    with pytest.raises(ImportError, match=rf"older than 0\.26.*there is {version}"):
        envpool.make_gym("CartPole-v1", old_gym=True)


CALLS = (
    "envpool.make('CartPole-v1', 'gym')",
    "envpool.make('CartPole-v1', env_type='gym')",
    "envpool.make_gym('CartPole-v1')",
    "envpool.registration.make('CartPole-v1', 'gym')",
    "envpool.registration.make_gym('CartPole-v1')",
    "envpool.registration.registry.make('CartPole-v1', 'gym')",
    "envpool.make_spec('CartPole-v1').make('gym')",
    "envpool.make_multi(['CartPole-v1'], 'gym')",
    "envpool.make_python('CartPole-v1', 'gym', num_workers=0)",
)


@pytest.mark.parametrize("call", CALLS)
def test_only_the_variable_decides(monkeypatch, call):
    """Not what the calling module has imported."""
    names = {"__name__": "client", "envpool": envpool, "gym": module_called_gym("0.23.1")}
    pool = eval(call, names)
    assert isinstance(pool, envpool.GymnasiumEnvPool)
    observation, _info = pool.reset()
    assert observation.shape == (1, 4)
    pool.close()
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(
        ImportError,
        match=r'ENVPOOL_OLD_GYM=1 needs a gym older than 0.26: pip install "gym==0.23.1"',
    ):
        eval(call, names)


def test_the_caller_says_so(monkeypatch):
    with pytest.raises(
        ImportError, match=r'old_gym=True needs a gym older than 0.26: pip install "gym==0.23.1"'
    ):
        envpool.make("CartPole-v1", env_type="gym", old_gym=True)
    monkeypatch.setenv(VARIABLE, "1")
    pool = envpool.make_gym("CartPole-v1", old_gym=False)
    assert isinstance(pool, envpool.GymnasiumEnvPool)


def test_misuse(monkeypatch):
    with pytest.raises(TypeError, match="old_gym is 1, expected None or a bool"):
        envpool.make_gym("CartPole-v1", old_gym=1)
    for env_type in ("gymnasium", "dm"):
        with pytest.raises(TypeError, match="old_gym is an option of env_type 'gym'"):
            envpool.make("CartPole-v1", env_type, old_gym=False)
    with pytest.raises(TypeError, match="old_gym"):
        envpool.make_spec("CartPole-v1", old_gym=False)
    monkeypatch.setenv(VARIABLE, "yes")
    with pytest.raises(ValueError, match="ENVPOOL_OLD_GYM is 'yes', expected 0 or 1"):
        envpool.make_gym("CartPole-v1")
    envpool.make("CartPole-v1", "gymnasium").close()  # which it does not concern
