"""Checks that the layers point one way: bindings -> executor -> sdk, envs -> engines -> sdk.

Run from the repository's root; prints each include that breaks the rule and exits with 1.
"""

import re
import sys
from pathlib import Path

ENGINES = tuple(f"{path.parent.name}/" for path in Path("cpp/engines").glob("*/CMakeLists.txt"))
# What each folder below cpp/ may include with quotes, and whether it may include Python.
ALLOWED = {
    "sdk": ("envpool/",),
    "engines": ("envpool/",),
    "envs": ("envpool/", *ENGINES),
    "executor": ("envpool/", "executor/"),
    "bindings": ("envpool/", "executor/", "bindings/"),
    "tests": ("envpool/", "executor/", *ENGINES, "box2d/", "tests/"),
}
PYTHON = re.compile(r"(Python\.h|pybind11/|numpy/)")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def violations(path: Path, layer: str) -> list[str]:
    """The lines of a file that include what its layer may not know."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        kind, name = match.groups()
        family = path.parts[2]
        beside = (f"{family}/",) if layer in {"engines", "envs"} else ()
        foreign = kind == '"' and not name.startswith(ALLOWED[layer] + beside)
        if foreign or (PYTHON.match(name) and layer != "bindings"):
            found.append(f"{path}:{number}: {layer} must not include {name}")
    return found


def main() -> int:
    """Checks all C++ files."""
    found = []
    for path in sorted(Path("cpp").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            found += violations(path, path.parts[1])
    print("\n".join(found) or "layers point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
