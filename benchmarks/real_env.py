"""The virtual environment of the real EnvPool, which has the same package name as ours."""

import subprocess
import sys
from pathlib import Path

from worker_client import versions


def runs(python: str) -> bool:
    """True if a program of this name is a Python that starts."""
    try:
        return not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
    except OSError:
        return False


# The newest EnvPool needs Python 3.12.
HAS_NEWEST = runs("python3.12")
PYTHON = "python3.12" if HAS_NEWEST else sys.executable
VERSION = "1.2.7" if HAS_NEWEST else "1.2.5"
NAME = f"EnvPool {VERSION}"
# What its libraries contain.
MUJOCO = "3.11.0" if HAS_NEWEST else "3.6.0"
# Its Procgen needs Qt, which it looks for in the system.
PINS = {"envpool": VERSION, "gymnasium": "1.4.0", "PyQt5-Qt5": "5.15.19"}


def default_directory() -> Path:
    """A folder that is ours alone: another set of pins gets another one."""
    pins = "-".join(f"{package}-{version}" for package, version in PINS.items())
    return Path.home() / ".cache" / "envpool-benchmarks" / pins


def ensure(directory: Path) -> list[str]:
    """The command of the interpreter in `directory`, set up first if it is not yet complete."""
    python = directory.absolute() / "bin" / "python"
    # Isolated: with PYTHONPATH in force it might load our package for the real one.
    command = [str(python), "-I"]
    if not is_complete(command):
        subprocess.run([PYTHON, "-m", "venv", directory], check=True)
        pins = [f"{package}=={version}" for package, version in PINS.items()]
        subprocess.run([*command, "-m", "pip", "install", "--quiet", *pins], check=True)
    return command


def is_complete(command: list[str]) -> bool:
    """True if the interpreter exists and has the pinned versions."""
    if not Path(command[0]).exists():
        return False
    found = versions(command, PINS)
    return all(found[package] == version for package, version in PINS.items())
