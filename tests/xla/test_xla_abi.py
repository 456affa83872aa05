"""What cpp/xla/abi.h declares is what jaxlib's own header declares."""

import shutil
import subprocess
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

HERE = Path(__file__).parent
COMPILER = shutil.which("g++")


@pytest.mark.skipif(COMPILER is None, reason="needs g++")
def test_the_layout_is_jaxlibs():
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof"]
    folders = ["-I", HERE.parents[1] / "cpp", "-isystem", jax.ffi.include_dir()]
    done = subprocess.run(
        [*command, *folders, HERE / "abi_check.cpp"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
