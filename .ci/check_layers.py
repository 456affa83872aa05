"""Checks that the layers point one way, in C++ and in Python, and that no room outgrows its budget.

Run from the repository's root; prints each include or import that breaks the rule, and each room
that has too many lines, and exits with 1. With --budgets it prints the table of the rooms' sizes.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
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
    {
        "_core",
        "differences",
        "errors",
        "families.folders",
        "families.record",
        "late",
        "launcher",
        "machine",
        "schedules",
        "stats",
    },
    {"compat.protocol", "compat.spec_names", "spec"},
    {"render"},
    {"workers"},
    {"batched"},
    {"flavours"},
    {"rollouts", "vector"},
    {"tasks"},
    {"families"},
    {"isolation"},
    {"checks", "films"},
    {"curriculum", "evaluation"},
    {"recordings"},
    {"oracles"},
    {"__init__", "__main__", "cli", "compat", "doctor", "entry", "pettingzoo"} | {"sb3", "sdk"},
)
RANKS = {part: rank for rank, row in enumerate(ROWS) for part in row}

# The most lines of code that rooms may have: without comments, blank lines and docstrings. What a
# change adds above that, it takes away elsewhere in the room, or argues for here.
BUDGETS = {
    "all tests": 46_282,
    "cpp/bindings": 2_594,
    "cpp/environments": 1_532,
    "cpp/executor": 959,
    "cpp/loading": 473,
    "cpp/platform": 102,
    "cpp/recording": 624,
    "cpp/results": 672,
    "cpp/scheduling": 792,
    "cpp/sdk": 1_212,
    "cpp/threads": 447,
    "cpp/workers": 1_766,
    "cpp/xla": 961,
    "python/envpool": 1_090,
    "python/envpool/batched": 774,
    "python/envpool/checks": 1_285,
    "python/envpool/cli": 1_189,
    "python/envpool/compat": 123,
    "python/envpool/curriculum": 260,
    "python/envpool/doctor": 267,
    "python/envpool/evaluation": 420,
    "python/envpool/films": 453,
    "python/envpool/flavours": 2_034,
    "python/envpool/recordings": 1_059,
    "python/envpool/render": 195,
    "python/envpool/rollouts": 761,
    "python/envpool/sb3": 375,
    "python/envpool/spec": 1_385,
    "python/envpool/tasks": 838,
    "python/envpool/vector": 373,
    "python/envpool/workers": 2_093,
    "the C++ core": 12_128,
    "the Python core": 14_964,
}
CORE_CPP, CORE_PYTHON, TESTS = "the C++ core", "the Python core", "all tests"
# Of the core are neither families nor what they share, nor tests.
NO_CORE = {
    "cpp/engines",
    "cpp/envs",
    "cpp/tests",
    "python/envpool/families",
    "python/envpool/oracles",
}
CPP_COMMENT_OR_TEXT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
NO_CODE |= {tokenize.ENDMARKER}


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
        # What is imported from a package may be one of its modules.
        yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
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


def cpp_lines(source: str) -> int:
    """Returns the number of a C++ file's lines of code."""
    code = CPP_COMMENT_OR_TEXT.sub(lambda each: "" if each[0][0] == "/" else each[0], source)
    return sum(bool(line.strip()) for line in code.splitlines())


def python_lines(source: str) -> int:
    """Returns the number of a Python file's lines of code; 0 for a template, which is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return 0
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return len(lines)


def rooms_of(path: Path) -> list[str]:
    """Returns the rooms and totals that a file counts for."""
    if path.parts[0] == "tests" or path.parts[:2] == ("cpp", "tests"):
        return [TESTS]
    depth = {"cpp": 2, "python": 3}.get(path.parts[0])
    room = "/".join(path.parent.parts[:depth])
    if depth is None or room in NO_CORE:
        return []
    return [room, CORE_CPP if depth == 2 else CORE_PYTHON]  # noqa: PLR2004 - of the folders


def sizes() -> Counter[str]:
    """Returns the lines of code of all rooms, of the files that git has."""
    found: Counter[str] = Counter()
    names = subprocess.check_output(["git", "ls-files", "*.cpp", "*.h", "*.py", "*.pyi"], text=True)
    for path in map(Path, names.splitlines()):
        rooms = rooms_of(path)
        if rooms and path.exists():
            count = python_lines if path.suffix.startswith(".py") else cpp_lines
            found.update(dict.fromkeys(rooms, count(path.read_text())))
    return found


def overruns() -> list[str]:
    """Returns a sentence for each room that has more lines than its budget, or no budget."""
    found = []
    for room, lines in sorted(sizes().items()):
        most = BUDGETS.get(room, 0)
        if lines > most:
            found.append(
                f"{room} has {lines:,} of {most:,} lines of code: remove something, or argue for "
                "more in .ci/check_layers.py"
            )
    return found


def print_budgets() -> None:
    """Prints the table of budgets as the rooms are now, with 3 % to spare."""
    for room, lines in sorted(sizes().items()):
        print(f'    "{room}": {lines * 103 // 100 + 1:_},')


def main() -> int:
    """Checks all files."""
    if sys.argv[1:] == ["--budgets"]:
        print_budgets()
        return 0
    found = overruns()
    for path in sorted(Path("cpp").rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            found += violations(path)
    for path in sorted(PACKAGE.rglob("*.py")):
        found += python_violations(path)
    print("\n".join(found) or "layers point one way, and no room is over its budget")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
