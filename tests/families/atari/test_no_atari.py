"""Where ale-py is not installed, Atari's tasks say what to install and all others work.

In processes that cannot find the package, so that this can be tested everywhere.
"""

import importlib.util

import pytest

from helpers import run_python

WITHOUT_ALE = """
import os, sys
import importlib.machinery

class Hidden(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == "ale_py" else super().find_spec(name, path, target)

finder = sys.meta_path.index(importlib.machinery.PathFinder)
sys.meta_path[finder] = Hidden
os.environ.pop("ALE_ROMS_DIR", None)
import gymnasium
import numpy as np
import envpool
"""


def run(program):
    child = run_python(WITHOUT_ALE + program)
    assert child.returncode == 0, child.stderr
    return child.stdout


def test_what_to_install():
    messages = run("""
for make in (
    lambda: envpool.make("Pong-v5", "gymnasium", num_envs=2),
    lambda: envpool.make("Pong-v5", "dm"),
    lambda: gymnasium.make_vec("envpool/Pong-v5", num_envs=2),
    lambda: gymnasium.make("envpool/Pong-v5"),
):
    try:
        make()
    except RuntimeError as error:
        print(error)
    else:
        raise AssertionError("was made")
""").splitlines()
    assert len(messages) == 4
    for message in messages:
        assert 'pip install "envpool-next[atari]", or set ALE_ROMS_DIR' in message


def test_the_others_work():
    run("""
assert "Pong-v5" in envpool.list_all_envs()
assert envpool.make_spec("Pong-v5").action_space.n == 6
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=2)
pool.reset()
pool.step(np.zeros(2, int))
gymnasium.make_vec("envpool/CartPole-v1", num_envs=2).reset()
""")


@pytest.mark.skipif(importlib.util.find_spec("ale_py") is None, reason="needs ROMs")
def test_roms_from_elsewhere():
    folder = importlib.util.find_spec("ale_py").submodule_search_locations[0] + "/roms"
    run(f"""
os.environ["ALE_ROMS_DIR"] = {folder!r}
envpool.make("Pong-v5", "gymnasium").reset()
""")
