"""Small libraries of environments, built as other people's are: with the installed SDK."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import run_python

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
needs_cmake = pytest.mark.skipif(
    not all(map(shutil.which, ("g++", "cmake", "ninja"))), reason="needs g++, cmake and ninja"
)

WALK = """
#include "envpool/family.h"

namespace {

using namespace envpool;

class Walk final : public Env {
 public:
  explicit Walk(const Options&) {}
  void Reset(Random&, const Options&) override { place_ = 0; }
  StepResult Step(const Action&, Random&) override { return {.reward = double(++place_)}; }
  void Observe(const Row& row) const override { row.Observation<float>()[0] = place_; }

 private:
  int place_ = 0;
};

EnvType WalkType(const char* name = "Walk") {
  return {.name = name,
          .spec = [](const Options&) -> Spec {
            return {.observation = {Box("obs", DType::kFloat32, {1})},
                    .action = {Discrete("action", 2)}};
          },
          .create = Create<Walk>};
}
"""
REGISTERED = "const bool registered = Register(WalkType());\n}\n"


def sdk_folder() -> Path:
    """The installed SDK, which has the folders ``cmake`` and ``include``."""
    found = importlib.util.find_spec("envpool.cmake")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parents[1]


def other_headers(folder: Path, header: str, pattern: str, replacement: str) -> Path:
    """A copy of the SDK's headers in which something is different.

    Args:
        folder: Where to copy them to.
        header: The one to change, such as ``env.h``.
        pattern: The regular expression of what to replace there.
        replacement: What to put in its place.
    """
    headers = folder / "include"
    shutil.copytree(sdk_folder() / "include", headers)
    path = headers / "envpool" / header
    changed, count = re.subn(pattern, replacement, path.read_text())
    assert count == 1, f"{header} has {count} places like {pattern}"
    path.write_text(changed)
    return headers


def compile_walk(
    folder: Path, code: str, *flags: str, headers: Path | None = None, compiler: str = "g++"
) -> None:
    """Makes the library ``_walk.so`` of some C++ in a folder, as quickly as possible."""
    (folder / "walk.cpp").write_text(code)
    command = [compiler, "-std=c++20", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", *flags]
    command += ["-I", str(headers or sdk_folder() / "include"), "-o", "_walk.so", "walk.cpp"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)


def load_walk(folder: Path, settings: dict[str, str] | None = None) -> str:
    """What happens when envpool loads that library, in a process of its own."""
    done = run_python(f"""
import sys
sys.path.insert(0, {str(folder)!r})
from envpool.tasks.export import load
try:
    print(sorted(load("_walk", {json.dumps(settings or {})})))
except (ImportError, ValueError) as error:
    print(f"{{type(error).__name__}}: {{error}}")
""")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()
