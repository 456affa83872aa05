"""Checks libraries that were compiled for macOS: python .ci/check_macos.py BUILD_FOLDER.

Prints each, and what is wrong; then the exit status is 1. The programs that compile MuJoCo's models
are checked, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import lief

lief.logging.disable()  # it cannot read a table of Zig's that nothing here asks for

DOOR = {"_envpool_abi", "_envpool_family"}  # of a family
MODULE = {"_PyInit__core"}
SYSTEM = "/usr/lib/libSystem.B.dylib"  # Zig puts libc++ into the library itself
PYTHON = ("_Py", "__Py")
# What is built for a version of MuJoCo, and how that version's library calls itself.
ON_MUJOCO = re.compile(r"(?:_\w+_|compile_model-)(\d+)[._](\d+)[._](\d+)(?:\.so)?")
MUJOCO = "@rpath/mujoco.framework/Versions/A/libmujoco.{}.dylib"


def expected_needs(name: str) -> list[str]:
    """The libraries that a file of this name needs, and no others."""
    version = ON_MUJOCO.fullmatch(name)
    return [MUJOCO.format(".".join(version.groups())), SYSTEM] if version else [SYSTEM]


def faults(path: Path, doors: set[str]) -> Iterator[str]:
    """What is wrong with a library or program.

    Args:
        path: The file.
        doors: What it must export.
    """
    binary = lief.MachO.parse(str(path)).at(0)
    if binary.header.cpu_type != lief.MachO.Header.CPU_TYPE.ARM64:
        yield f"it is for {binary.header.cpu_type.name}"
    exported = {each.name for each in binary.exported_symbols}
    yield from (f"it does not export {name}" for name in sorted(doors - exported))
    loads = lief.MachO.LoadCommand.TYPE.LOAD_DYLIB
    needed = [each.name for each in binary.libraries if each.command == loads]
    if sorted(needed) != sorted(expected_needs(path.name)):
        yield f"it needs {needed}, expected only {expected_needs(path.name)}"
    if binary.rpaths:
        yield f"it looks for libraries in {[each.path for each in binary.rpaths]}"
    for symbol in binary.imported_symbols:
        is_needed = 1 <= symbol.library_ordinal <= len(needed)
        is_pythons = doors == MODULE and symbol.name.startswith(PYTHON)
        if not is_needed and not is_pythons and symbol.name not in exported:
            yield f"nobody has {symbol.name}"


def main(folder: Path) -> None:
    """Checks all libraries below a folder, and MuJoCo's compilers."""
    libraries = sorted(folder.glob("cpp/**/*.so"))
    files = {path: DOOR if "envs" in path.parts else MODULE for path in libraries}
    files |= {path: set() for path in sorted(folder.glob("cpp/engines/mujoco/compile_model-*"))}
    found = []
    for path, doors in files.items():
        print(f"{path.stat().st_size:>12,}  {path.name}")
        found += [f"{path.name}: {each}" for each in faults(path, doors)]
    if found or not files:
        sys.exit("\n".join(found) or f"{folder} has no libraries")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
