"""What is said where a build lacks a family, or where Python has no lock."""

import platform
from pathlib import Path

import pytest

from helpers import run_python

# Finds none of the libraries of families, as on systems for which they are not built.
WITHOUT_LIBRARIES = """
import importlib.machinery, sys

class Hidden(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        family, _, library = name.rpartition(".")
        hidden = family.startswith("envpool.families.") and library.startswith("_")
        return None if hidden and library[1:] else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Hidden
import envpool
import envpool.families.mujoco.engine
envpool.families.mujoco.engine._OURS = envpool.families.mujoco.engine.re.compile("none")
try:
    envpool.make({task!r}, "gymnasium")
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "task", ["CartPole-v1", "Pong-v5", "CoinrunEasy-v0", "Basic-v1", "Ant-v5", "CheetahRun-v1"]
)
@pytest.mark.one_in(3)
def test_a_family_that_was_not_built(task: str) -> None:
    said = run_python(WITHOUT_LIBRARIES.format(task=task)).stdout
    assert "not built for this system" in said
    assert f"{platform.system()} on {platform.machine()}" in said
    assert "docs/start/install.md" in said
    assert "pip install" not in said


# Finds a copy of a library that lacks its second half.
CUT_OFF = """
import importlib.machinery, importlib.util, os, shutil

class Cut(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        found = super().find_spec(name, path, target)
        if name != {library!r}:
            return found
        cut = shutil.copy(found.origin, {folder!r})
        os.truncate(cut, os.path.getsize(cut) // 2)
        return importlib.util.spec_from_file_location(name, cut)

import sys
sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Cut
import envpool
try:
    envpool.make("CartPole-v1", "gymnasium")
except ImportError as error:
    print(error)
"""


@pytest.mark.skipif(platform.system() != "Linux", reason="other systems have no ELF files")
@pytest.mark.parametrize(
    "library", ["envpool._core", "envpool.families.classic_control._classic_control"]
)
def test_a_library_that_is_cut_off(library: str, tmp_path: Path) -> None:
    """The system would end the process where it uses what is not there."""
    child = run_python(CUT_OFF.format(library=library, folder=str(tmp_path)))
    assert (child.returncode, child.stderr) == (0, "")
    assert "is cut off, at " in child.stdout
    assert "pip install --force-reinstall" in child.stdout


def test_a_python_that_runs_without_its_lock() -> None:
    """Such a Python has this function; others do not."""
    child = run_python("import sys; sys._is_gil_enabled = lambda: False; import envpool._core")
    assert child.returncode == 1
    assert "ImportError: envpool needs Python's global interpreter lock (GIL)" in child.stderr
