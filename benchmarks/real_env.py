"""The virtual environment of the real EnvPool, which has the same package name as ours."""

import subprocess
import sys
import venv
from pathlib import Path

from worker_client import versions

# Its Procgen needs Qt, which it looks for in the system.
PINS = {"envpool": "1.2.5", "gymnasium": "1.4.0", "PyQt5-Qt5": "5.15.19"}
NAME = f"EnvPool {PINS['envpool']}"


def default_directory() -> Path:
    """A folder that is ours alone: another set of pins or another Python gets another one."""
    pins = "-".join(f"{package}-{version}" for package, version in PINS.items())
    python = f"python-{sys.version_info.major}.{sys.version_info.minor}"
    return Path.home() / ".cache" / "envpool-benchmarks" / f"{pins}-{python}"


def ensure(directory: Path) -> list[str]:
    """The command of the interpreter in `directory`, set up first if it is not yet complete."""
    python = directory.absolute() / "bin" / "python"
    # Isolated: with PYTHONPATH in force it might load our package for the real one.
    command = [str(python), "-I"]
    if not is_complete(command):
        venv.create(directory, with_pip=True)
        pins = [f"{package}=={version}" for package, version in PINS.items()]
        subprocess.run([*command, "-m", "pip", "install", "--quiet", *pins], check=True)
    return command


def is_complete(command: list[str]) -> bool:
    """Whether the interpreter exists and has the pinned versions."""
    if not Path(command[0]).exists():
        return False
    found = versions(command)
    return all(found[package] == version for package, version in PINS.items())
