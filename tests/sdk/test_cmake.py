"""The installed SDK's CMake: packages of environments find it, or are told what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from building import REGISTERED, WALK, load_walk, needs_cmake, sdk_folder
from envpool import _core

pytestmark = needs_cmake

FIND = "find_package(envpool CONFIG REQUIRED)\n"
ADD = "envpool_add_family(walk DESTINATION .)\n"


def configure(
    folder: Path,
    commands: str,
    *arguments: str,
    project: str = "project(walk LANGUAGES CXX)",
    python: str = sys.executable,
) -> subprocess.CompletedProcess[str]:
    """Runs CMake on a project of one family."""
    (folder / "walk.cpp").write_text(WALK + REGISTERED)
    lists = f"cmake_minimum_required(VERSION 3.20)\n{project}\n{commands}"
    (folder / "CMakeLists.txt").write_text(lists)
    command = ["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build")]
    command += [f"-Denvpool_DIR={sdk_folder() / 'cmake'}", f"-DPython_EXECUTABLE={python}"]
    return subprocess.run(
        [*command, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={key: value for key, value in os.environ.items() if key != "CXXFLAGS"},
    )


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The error of a project that must not configure, on one line."""
    assert done.returncode != 0, done.stdout
    return " ".join(done.stderr.split())


@pytest.mark.long
def test_a_family_is_found_built_and_installed(tmp_path: Path) -> None:
    commands = f"""{FIND}find_package(envpool {_core.sdk_version} REQUIRED COMPONENTS toy_text)
envpool_add_family(walk LIBRARIES envpool::toy_text DESTINATION .)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  message(FATAL_ERROR "not optimised")
endif()
"""
    done = configure(tmp_path, commands)
    assert done.returncode == 0, done.stderr
    code = f'#include "envpool/toy_text/categorical.h"\n{WALK}{REGISTERED}'
    (tmp_path / "walk.cpp").write_text(code)
    for command in (["--build", "build"], ["--install", "build", "--prefix", "installed"]):
        subprocess.run(
            ["cmake", *command], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, timeout=60
        )
    installed = tmp_path / "installed"
    assert load_walk(installed) == "['Walk']"
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", str(installed / "_walk.so")],
        check=True,
        capture_output=True,
        text=True,
    )
    names = {line.split()[-1] for line in symbols.stdout.splitlines()}
    assert names == {"envpool_abi", "envpool_family"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("envpool_add_family(walk)", "DESTINATION is ''"),
        ("envpool_add_family(walk DESTINATION /usr/lib)", "DESTINATION is '/usr/lib'"),
        ("envpool_add_family(my-walk DESTINATION walk)", "must be letters, digits and _"),
        ("envpool_add_family(walk walk.cpp DESTINATION walk)", "does not know 'walk.cpp'"),
        ("add_subdirectory(empty)", "there is no .cpp in"),
    ],
)
def test_wrong_calls(tmp_path: Path, call: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "CMakeLists.txt").write_text(ADD)
    assert said in refusal(configure(tmp_path, f"{FIND}{call}\n"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("11", True),
        ("10...11", True),
        ("10", False),
        ("12", False),
        ("11...<12", True),
        ("0.1", False),
    ],
)
def test_versions(tmp_path: Path, version: str, fits: bool) -> None:
    assert _core.sdk_version == 11, "raise the versions of this test"
    done = configure(tmp_path, f"find_package(envpool {version} CONFIG REQUIRED)\n")
    assert (done.returncode == 0) == fits, done.stderr
    assert fits or "version: 11" in refusal(done)


@pytest.mark.long
def test_unknown_components(tmp_path: Path) -> None:
    done = configure(tmp_path, "find_package(envpool CONFIG REQUIRED COMPONENTS chess)\n")
    assert "this envpool has no component chess, but these: " in refusal(done)
    assert "toy_text" in done.stderr
    assert "minigrid" in done.stderr
    optional = FIND.replace(")", " OPTIONAL_COMPONENTS chess toy_text minigrid)")
    optional += f"""{optional}
if(envpool_chess_FOUND)
  message(FATAL_ERROR "a component that there is not")
endif()
foreach(name toy_text minigrid)
  if(NOT (envpool_${{name}}_FOUND AND TARGET envpool::${{name}}))
    message(FATAL_ERROR "optional components")
  endif()
endforeach()
"""
    assert configure(tmp_path, optional).returncode == 0


@pytest.mark.long
def test_what_is_missing(tmp_path: Path) -> None:
    done = configure(tmp_path, FIND, project="project(walk LANGUAGES NONE)")
    assert "environments are written in C++" in refusal(done)


@pytest.mark.long
def test_a_python_without_numpy(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    done = configure(tmp_path, FIND, python=str(tmp_path / "bare" / "bin" / "python"))
    assert "has no NumPy" in refusal(done)
    assert "pip install numpy" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("-U__linux__", "run on Linux, and on macOS"),
        ("-nostdinc++", "does not compile the headers"),
    ],
)
def test_compilers_that_cannot(tmp_path: Path, flags: str, said: str) -> None:
    assert said in refusal(configure(tmp_path, FIND, f"-DCMAKE_CXX_FLAGS={flags}"))
