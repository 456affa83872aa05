"""Checks libraries that were compiled for macOS: python .ci/check_macos.py BUILD_FOLDER.

Prints each, and what is wrong; then the exit status is 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import lief

lief.logging.disable()  # it cannot read a table of Zig's that nothing here asks for

DOOR = {"_envpool_abi", "_envpool_family"}  # of a family
MODULE = {"_PyInit__core"}
SYSTEM = "/usr/lib/libSystem.B.dylib"  # Zig puts libc++ into the library itself
PYTHON = ("_Py", "__Py")


def faults(path: Path, is_family: bool) -> Iterator[str]:
    """What is wrong with a library."""
    binary = lief.MachO.parse(str(path)).at(0)
    if binary.header.cpu_type != lief.MachO.Header.CPU_TYPE.ARM64:
        yield f"it is for {binary.header.cpu_type.name}"
    exported = {each.name for each in binary.exported_symbols}
    missing = (DOOR if is_family else MODULE) - exported
    yield from (f"it does not export {name}" for name in sorted(missing))
    loads = lief.MachO.LoadCommand.TYPE.LOAD_DYLIB
    needed = [each.name for each in binary.libraries if each.command == loads]
    if needed != [SYSTEM]:
        yield f"it needs {needed}, expected only {SYSTEM}"
    for symbol in binary.imported_symbols:
        is_systems = symbol.library_ordinal == 1  # of what is needed
        is_pythons = not is_family and symbol.name.startswith(PYTHON)
        if not is_systems and not is_pythons and symbol.name not in exported:
            yield f"nobody has {symbol.name}"


def main(folder: Path) -> None:
    """Checks all libraries below a folder."""
    libraries = sorted(folder.glob("cpp/**/*.so"))
    found = []
    for path in libraries:
        print(f"{path.stat().st_size:>12,}  {path.name}")
        found += [f"{path.name}: {each}" for each in faults(path, "envs" in path.parts)]
    if found or not libraries:
        sys.exit("\n".join(found) or f"{folder} has no libraries")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
