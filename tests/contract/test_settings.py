"""What a native library is told when it is loaded: names and types are checked."""

import importlib.util

import pytest

from envpool.families.mujoco.engine import GYM, library_of, load_engine
from envpool.tasks.export import load

TESTING = "envpool.families.testing._testing"
MUJOCO = library_of(GYM, "mujoco_gym")


def test_unknown_names_are_refused():
    with pytest.raises(KeyError, match="colour"):
        load(TESTING, {"colour": "red"})
    assert "Counting" in load(TESTING, {})


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs MuJoCo")
def test_values_are_checked():
    settings = load_engine()
    with pytest.raises(TypeError, match="asset_folder"):
        load(MUJOCO, settings | {"asset_folder": 3})
    with pytest.raises(ValueError, match="sorted"):
        load(MUJOCO, settings | {"numpy_gemm": "sorted"})
    assert "GymAnt" in load(MUJOCO, settings)
