"""The SDK's component mujoco: robots of other packages, built for the MuJoCo that is installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from building import needs_cmake, sdk_folder
from helpers import run_python
from test_cmake import configure, refusal

ROBOT = Path(__file__).parents[2] / "examples/robotenv"
FIND = "find_package(envpool CONFIG REQUIRED COMPONENTS mujoco)\n"

pytestmark = [needs_cmake, pytest.mark.long]


def python_with_numpy(folder: Path) -> tuple[str, Path]:
    """A Python that has NumPy, and where its packages are."""
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    numpy = importlib.util.find_spec("numpy")
    assert numpy is not None
    assert numpy.origin is not None
    (packages / "numpy").symlink_to(Path(numpy.origin).parent)
    return str(folder / "bin" / "python"), packages


@pytest.mark.parametrize(
    ("version", "library"),
    [("", ""), ("3.3.0", "libmujoco.so.3.3.0"), ("3.3.0", "libmujoco.3.3.0.dylib")],
)
def test_another_mujoco_is_refused(version: str, library: str, tmp_path: Path) -> None:
    python, packages = python_with_numpy(tmp_path / "other")
    if library:
        (packages / "mujoco").mkdir()
        (packages / "mujoco" / "__init__.py").touch()
        (packages / "mujoco" / library).touch()
    said = refusal(configure(tmp_path, FIND, python=python))
    assert f"needs MuJoCo 3.17.0 or 4.0.0, and has '{version}': pip install" in said
    optional = FIND.replace("REQUIRED COMPONENTS", "REQUIRED OPTIONAL_COMPONENTS")
    assert configure(tmp_path, optional, python=python).returncode == 0


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package robotenv, installed from examples."""
    pytest.importorskip("mujoco")
    folder = tmp_path_factory.mktemp("robot")
    build, installed = str(folder / "build"), folder / "installed"
    command = ["cmake", "-G", "Ninja", "-S", str(ROBOT), "-B", build]
    command += [f"-Denvpool_DIR={sdk_folder() / 'cmake'}", f"-DPython_EXECUTABLE={sys.executable}"]
    for each in (command, ["cmake", "--build", build]):
        done = subprocess.run(each, check=False, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stdout + done.stderr
    subprocess.run(["cmake", "--install", build, "--prefix", str(installed)], check=True)
    shutil.copytree(ROBOT / "src", installed, dirs_exist_ok=True)
    return installed


def run_with(robot: Path, code: str) -> str:
    """What a program prints that has the package, in a folder of its own that stays empty."""
    folder = robot / "folder"
    folder.mkdir(exist_ok=True)
    done = run_python(
        f"import os, sys\nos.chdir({str(folder)!r})\nsys.path.insert(0, {str(robot)!r})\n{code}"
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []  # no MUJOCO_LOG.TXT
    return done.stdout.strip()


def test_the_packages_own_tests(robot: Path) -> None:
    """But for the check of all that environments promise, which takes long; CI's stage has that."""
    tests = shutil.copytree(ROBOT / "tests", robot / "tests")
    (tests / "pytest.ini").write_text("[pytest]\npythonpath = ..\n")
    (tests / "conftest.py").write_text("import robotenv\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "not is_an_environment",
        str(tests),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout


def test_mujocos_errors_end_no_process(robot: Path, tmp_path: Path) -> None:
    model = (ROBOT / "src/robotenv/arm.xml").read_text()
    small = tmp_path / "small.xml"
    small.write_text(model.replace("<default>", '<size memory="500"/><default>', 1))
    said = run_with(
        robot,
        f"""
import envpool, robotenv
env = envpool.make("robotenv/Reach-v0", "gymnasium", xml_file={str(small)!r})
try:
    env.reset(options={{"qpos": [0.0, 3.0]}})  # beyond a limit, which takes more memory
except envpool.EnvironmentFailure as error:
    print(error)
""",
    )
    assert "MuJoCo: mj_stackAlloc: out of memory" in said


def test_options_of_robots(robot: Path) -> None:
    said = run_with(
        robot,
        """
import envpool, numpy as np, robotenv
make = lambda **options: envpool.make("robotenv/Reach-v0", "gymnasium", num_envs=2, **options)
heavy = envpool.mujoco.Uniform(1.5, 2.5, scale=True)
rewards = []
for randomise in ({}, {"body_mass:lower": heavy}):
    env = make(randomise=randomise, frame_stack=2)
    obs, _ = env.reset(options={"qpos": [0.1, 0.2]})
    assert obs.shape == (2, 2, 10) and (obs[:, :, :2] == [0.1, 0.2]).all()
    rewards.append(env.step(np.ones((2, 2)))[1])
assert (rewards[0] != rewards[1]).all()
print(make().spec.action_space)
""",
    )
    assert said == "Box(-1.0, 1.0, (2,), float64)"


def test_another_version_at_run_time(robot: Path) -> None:
    said = run_with(
        robot,
        """
import envpool, robotenv
from envpool.families.mujoco import engine
engine.installed = lambda: "3.3.0"
try:
    envpool.make("robotenv/Reach-v0")
except ImportError as error:
    print(error)
""",
    )
    assert said.startswith("robotenv's tasks need mujoco==")
    assert "and 3.3.0 is installed, for which robotenv was not built: " in said
