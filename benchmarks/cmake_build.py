"""Ceilings that CMake builds, because they are made of our own sources and libraries.

Needs the packages `cmake` and `ninja`, and a network or archives that were fetched before.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from ceiling import CACHE

ROOT = Path(__file__).parents[1]
# Each checkout has its own, because CMake remembers where its sources are.
BUILD = CACHE / f"cmake-{hashlib.sha256(bytes(ROOT)).hexdigest()[:16]}"


def library(target: str) -> Path:
    """Where `build` puts the library."""
    return BUILD / "benchmarks" / f"{target}.so"


def build(target: str) -> None:
    """Compile a library, or what has changed of it."""
    # A virtual environment that is not activated still has its own CMake.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    options = [f"-DPython_EXECUTABLE={sys.executable}", "-DENVPOOL_PYTHON=OFF"]
    options.append("-DENVPOOL_BENCHMARKS=ON")
    for command in (
        # Afresh: what it remembers may be of a virtual environment that is gone.
        ["cmake", "--fresh", "-G", "Ninja", "-S", str(ROOT), "-B", str(BUILD), *options],
        ["cmake", "--build", str(BUILD), "--target", target],
    ):
        done = subprocess.run(
            command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the ceiling does not build:\n{done.stdout}{done.stderr}")
