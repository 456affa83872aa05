"""Where what a family needs is missing or of another version, it is told, and all others work.

In processes that cannot find the packages, so that this can be tested everywhere.
"""

import importlib
import importlib.util

import pytest

from envpool.doctor.finding import command_in
from envpool.families.gfootball import MISSING
from envpool.families.mujoco.engine import file_of
from envpool.families.record import records
from envpool.machine import installed_version
from helpers import run_python

HIDDEN = """
import importlib.machinery, os, sys

class Elsewhere(importlib.machinery.PathFinder):
    "Looks for some packages in one folder only."
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            path = [{folder!r}]
        return super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Elsewhere
os.environ.pop("ALE_ROMS_DIR", None)
import gymnasium
import numpy as np
import envpool
"""
MADE = """
assert {task_id!r} in envpool.list_all_envs()
for make in (
    lambda: envpool.make({task_id!r}, "gymnasium", num_envs=2),
    lambda: envpool.make({task_id!r}, "dm"),
    lambda: gymnasium.make_vec("envpool/{name}", num_envs=2),
    lambda: gymnasium.make("envpool/{name}"),
    lambda: envpool.make_spec({task_id!r}),
):
    try:
        make()
    except (ImportError, RuntimeError) as error:
        print(error)
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=2)
pool.reset()
pool.step(np.zeros(2, int))
"""


def messages_of(packages: list[str], task_id: str, folder: str) -> list[str]:
    """What the makers of a task's environments say."""
    name = task_id.replace("/", "-")
    program = (HIDDEN + MADE).format(packages=packages, folder=folder, task_id=task_id, name=name)
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("task_id", "packages", "message"),
    [
        ("Ant-v5", ["mujoco"], "[mujoco]"),
        ("Pusher-v2", ["mujoco"], "[mujoco]"),
        # What a family needs is named at once.
        ("WalkerWalk-v1", ["mujoco"], "[dm-control]"),
        ("WalkerWalk-v1", ["dm_control"], "[dm-control]"),
        ("FetchReach-v4", ["mujoco", "gymnasium_robotics"], "[robotics]"),
        ("MetaWorld/Reach-v3", ["mujoco", "metaworld"], "[metaworld]"),
        ("Pong-v5", ["ale_py"], '[atari]", or set ALE_ROMS_DIR'),
    ],
)
@pytest.mark.one_in(3)
def test_what_to_install(task_id, packages, message, tmp_path):
    messages = messages_of(packages, task_id, str(tmp_path))
    assert len(messages) == 5 - (task_id == "Pong-v5")  # whose specs need no ROMs
    for each in messages:
        assert f'pip install "envpool-next{message}' in each


def test_another_mujoco(tmp_path):
    # Pip would have put its library there, which is what ours is linked with.
    (tmp_path / "mujoco").mkdir()
    (tmp_path / "mujoco" / file_of("3.2.7")).touch()
    (tmp_path / "mujoco/__init__.py").write_text("__version__ = '3.2.7'\n")
    messages = messages_of(["mujoco"], "Ant-v5", str(tmp_path))
    assert len(messages) == 5
    needed = records()["mujoco"].upstream["mujoco"]
    for message in messages:
        assert f"mujoco=={needed}, and 3.2.7 is installed" in message
        assert 'pip install "envpool-next[mujoco]"' in message


@pytest.mark.skipif(not installed_version("mujoco"), reason="MuJoCo is missed before")
@pytest.mark.parametrize(
    ("family", "message"),
    [
        ("dm_control", r"need dm_control==0.0.1, .*pip install"),
        ("robotics", r"need gymnasium-robotics==0.0.1, .*pip install"),
        ("metaworld", r"need metaworld==0.0.1, .*pip install --no-deps"),
    ],
)
def test_another_version_is_told(family, message, monkeypatch):
    module = importlib.import_module(f"envpool.families.{family}")
    monkeypatch.setattr(module, "VERSION", "0.0.1")
    with pytest.raises(ImportError, match=message):
        module.load_settings()


@pytest.mark.skipif(importlib.util.find_spec("ale_py") is None, reason="needs ROMs")
def test_roms_from_elsewhere():
    folder = importlib.util.find_spec("ale_py").submodule_search_locations[0] + "/roms"
    program = (
        HIDDEN.format(packages=["ale_py"], folder="/nowhere")
        + f"""
os.environ["ALE_ROMS_DIR"] = {folder!r}
envpool.make("Pong-v5", "gymnasium").reset()
"""
    )
    done = run_python(program)
    assert done.returncode == 0, done.stderr


def test_how_to_get_football():
    """Which most builds lack."""
    done = run_python("""
import envpool
import envpool.families.gfootball as family
family.LIBRARY = "envpool.families.gfootball._nowhere"
for make in (envpool.make, envpool.make_spec):
    try:
        make("gfootball/5_vs_5-v1")
    except ImportError as error:
        print(error)
envpool.make("CartPole-v1").reset()
""")
    assert done.stdout.splitlines() == [MISSING] * 2, done.stderr
    assert MISSING.endswith(command_in(MISSING)) and "ENVPOOL_FOOTBALL=ON" in command_in(MISSING)
