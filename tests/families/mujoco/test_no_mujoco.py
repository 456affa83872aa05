"""Where MuJoCo is not installed, its tasks say what to install and all others work."""

import importlib.util
import re

import pytest

import envpool
from envpool.families.mujoco.engine import built_for

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mujoco") is not None, reason="MuJoCo is installed"
)


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_what_to_install(env_type):
    with pytest.raises(
        ImportError,
        match=rf"mujoco=={re.escape(' or '.join(built_for()))}, which.*pip .*-next\[mujoco\]",
    ):
        envpool.make("Ant-v5", env_type)
    with pytest.raises(ImportError, match=r'pip install "envpool-next\[mujoco\]"'):
        envpool.make_spec("HalfCheetah-v4")


@pytest.mark.parametrize(
    ("task_id", "extra"),
    [
        ("WalkerWalk-v1", "dm-control"),
        ("FetchReach-v4", "robotics"),
        ("MetaWorld/Reach-v3", "metaworld"),
    ],
)
def test_what_else_a_family_needs_is_named_at_once(task_id, extra):
    with pytest.raises(ImportError, match=rf'pip install "envpool-next\[{extra}\]"'):
        envpool.make_spec(task_id)


def test_the_others_work():
    assert "Ant-v5" in envpool.list_all_envs()
    env = envpool.make("CartPole-v1", "gymnasium", num_envs=2)
    assert env.reset()[0].shape == (2, 4)
