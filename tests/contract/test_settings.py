"""What a native library is told when it is loaded: names and types are checked."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from envpool.families.mujoco.engine import GYM, library_of, load_engine
from envpool.tasks.export import load

TESTING = "envpool.families.testing._testing"
MUJOCO = library_of(GYM, "mujoco_gym")


def test_unknown_names_are_refused():
    with pytest.raises(KeyError, match="colour"):
        load(TESTING, {"colour": "red"})
    assert "Counting" in load(TESTING, {})


def test_paths_are_those_of_the_file_system(tmp_path, monkeypatch):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))  # no UTF-8
    folder.mkdir()
    shutil.copy(importlib.util.find_spec(TESTING).origin, folder / "copied.so")
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    assert "Counting" in load("copied")


@pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="needs MuJoCo")
def test_values_are_checked():
    settings = load_engine()
    with pytest.raises(TypeError, match="asset_folder"):
        load(MUJOCO, settings | {"asset_folder": 3})
    with pytest.raises(ValueError, match="sorted"):
        load(MUJOCO, settings | {"numpy_gemm": "sorted"})
    assert "GymAnt" in load(MUJOCO, settings)
