"""Checks that the layers point one way, in C++ and in Python.

Run from the repository's root; prints each include or import that breaks the rule and exits with 1.
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

# Folders below cpp/ from low to high. A file may include with quotes what is in its own folder or a
# lower row.
CPP_ROWS = (
    {"platform"},
    {"threads"},
    {"scheduling"},
    {"results"},
    {"loading"},
    {"environments"},
    {"recording"},
    {"executor"},
    {"workers", "xla"},
    {"bindings"},
)
CPP_RANKS = {folder: rank for rank, row in enumerate(CPP_ROWS) for folder in row}
# Headers of the SDK, which all may include; environments may also include engines.
ENGINES = tuple(f"{path.parent.name}/" for path in Path("cpp/engines").glob("*/CMakeLists.txt"))
PYTHON = re.compile(r"(Python\.h|pybind11/|numpy/)")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

# Parts of the Python package from low to high: modules, folders, and modules that stand lower than
# their folders. One may import those of its own row or below, also inside of its functions.
PACKAGE = Path("python/envpool")
ROWS = (
    {"_core", "differences", "errors", "forks", "late", "launcher", "machine", "stats"},
    {"compat.spec_names", "spec"},
    {"render"},
    {"workers"},
    {"flavours"},
    {"vector"},
    {"tasks"},
    {"families"},
    {"isolation"},
    {"checks", "films"},
    {"recordings"},
    {"oracles"},
    {"__init__", "__main__", "cli", "compat", "ctrl_c", "doctor", "entry", "normalize", "sb3"}
    | {"sdk"},
)
RANKS = {part: rank for rank, row in enumerate(ROWS) for part in row}


def may_include(path: Path, name: str) -> bool:
    """True if this file of cpp/ may include this name with quotes."""
    layer, family = path.parts[1:3]
    if name.startswith("envpool/"):
        return True
    if layer in {"engines", "envs"}:
        return name.startswith((f"{family}/", *(ENGINES if layer == "envs" else ())))
    folder = name.partition("/")[0]
    if layer == "tests":
        return folder != "bindings"
    return folder == layer or (folder in CPP_RANKS and CPP_RANKS[folder] < CPP_RANKS[layer])


def violations(path: Path) -> list[str]:
    """The lines of a C++ file that include what its layer may not know."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        kind, name = match.groups()
        foreign = kind == '"' and not may_include(path, name)
        if foreign or (PYTHON.match(name) and path.parts[1] != "bindings"):
            found.append(f"{path}:{number}: {path.parent} must not include {name}")
    return found


def imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and dotted name of each import, but for those that only type checkers see."""
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        # From the package itself it is one of its parts that is imported.
        inside = node.module == "envpool"
        for alias in node.names:
            yield node.lineno, f"envpool.{alias.name}" if inside else str(node.module)
    elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        for child in node.orelse:
            yield from imports(child)
    else:
        for child in ast.iter_child_nodes(node):
            yield from imports(child)


def part_of(names: Sequence[str]) -> str:
    """The part that has this module, whose names below the package these are."""
    module = ".".join(names[:2])
    return module if module in RANKS else names[0]


def python_violations(path: Path) -> list[str]:
    """The lines of a Python file that import what is above it."""
    part = part_of(path.relative_to(PACKAGE).with_suffix("").parts)
    if part not in RANKS:
        return [f"{path}: {part} has no place in the order of {__file__}"]
    found = []
    for number, name in imports(ast.parse(path.read_text())):
        top, _, rest = name.partition(".")
        imported = part_of(rest.split(".")) or "__init__"
        # What is no part of the package is one of the names that its __init__ exports.
        if top == "envpool" and RANKS.get(imported, RANKS["__init__"]) > RANKS[part]:
            found.append(f"{path}:{number}: {part} must not import {name}")
    return found


def main() -> int:
    """Checks all files."""
    found = []
    for path in sorted(Path("cpp").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            found += violations(path)
    for path in sorted(PACKAGE.rglob("*.py")):
        if "templates" not in path.parts:  # of packages that others write
            found += python_violations(path)
    print("\n".join(found) or "layers point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
