"""Lists the ids of all tests, and compares two such lists.

    python .ci/list_tests.py list [BUILD] > after.txt
    python .ci/list_tests.py compare before.txt after.txt [SUCCESSORS]

A list has the tests of pytest, also those that only other environments or .ci/long run, and those
of GoogleTest that the folder BUILD has. The comparison goes by a file's name without its folder, so
a test may move. It fails if a test is missing and no successor is named for it: SUCCESSORS has
lines with an old id and a new one, separated by a tab; both may end in ``*``, which stands for the
same text in both.
"""

import re
import subprocess
import sys
from pathlib import Path

GTEST = "ctest:"


def run(*command: str) -> str:
    """What a program prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


def collect(build: str | None) -> list[str]:
    """The ids of the tests of this folder."""
    # Tests of an old gym are collected without it: only their names are asked for.
    pytest = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "")
    ids = [line for line in run(*pytest).splitlines() if "::" in line]
    for path in sorted(Path("tests").rglob("old_gym/test_*.py")):
        names = re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
        ids += [f"{path}::{name}" for name in names]
    if build:
        ids += [
            GTEST + name
            for name in re.findall(r"Test +#\d+: (.*)", run("ctest", "--test-dir", build, "-N"))
        ]
    return ids


def key(test_id: str) -> str:
    """The id without the file's folders, and without addresses, which each run has anew."""
    path, separator, name = test_id.partition("::")
    name = re.sub(r"<function (\w+) at 0x\w+>", r"\1", name)
    return path.rpartition("/")[2] + separator + name


def successor(test_id: str, successors: dict[str, str]) -> str | None:
    """What an old id is called now, if that was written down."""
    for old, new in successors.items():
        if old == test_id:
            return new
        if old.endswith("*") and test_id.startswith(old[:-1]):
            return new.removesuffix("*") + test_id[len(old) - 1 :] if new.endswith("*") else new
    return None


def compare(before: list[str], after: list[str], successors: dict[str, str]) -> list[str]:
    """Prints how the lists differ; returns the ids that are missing without a successor."""
    old, new = {key(name) for name in before}, {key(name) for name in after}
    lost = []
    for name in sorted(old - new):
        heir = successor(name, successors)
        if heir in new:
            print(f"{name} -> {heir}")
        else:
            lost.append(name)
    print(f"{len(old)} before, {len(new)} after, {len(new - old)} of them new, {len(lost)} lost")
    return lost


def main(command: str, *arguments: str) -> int:
    """See the module."""
    if command == "list":
        print("\n".join(collect(*arguments or (None,))))
        return 0
    before, after, *rest = (Path(name).read_text().splitlines() for name in arguments)
    pairs = dict(line.split("\t") for lines in rest for line in lines if "\t" in line)
    lost = compare(before, after, pairs)
    print("\n".join(f"lost: {name}" for name in lost))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
