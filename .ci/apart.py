"""The families whose tests need more than the extra ``test`` has: each is got as its record says.

    python .ci/apart.py                           prints their names
    python .ci/apart.py get NAME WHEEL FOLDER     gets what a family needs
    python .ci/apart.py test NAME WHEEL FOLDER    gets it, and runs the family's tests

The package's extras are those of the wheel. What is fetched stays in the folder for the next time.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from importlib import import_module

from envpool.families.record import records

FAMILIES = {name: record for name, record in records().items() if record.apart}


def commands(name: str, wheel: str) -> list[list[str]]:
    """What gets all that a family needs."""
    ways = [shlex.split(way.command.replace("envpool-next", wheel)) for way in FAMILIES[name].ways]
    more = shlex.split(FAMILIES[name].tested_with)
    return [*ways, *([["pip", "install", *more]] if more else [])]


def main(what: str, name: str, wheel: str, folder: str) -> None:
    """Gets what a family needs, and tests it; says so if its engine cannot be fetched."""
    family = FAMILIES[name]
    environment = os.environ | {"PIP_QUIET": "1"}
    if family.fetched:
        environment[import_module(family.fetched).VARIABLE] = folder
    for command in commands(name, wheel):
        if subprocess.run(command, env=environment, check=not family.fetched).returncode:
            print(f"SKIPPED: {name}, whose engine could not be fetched", file=sys.stderr)
            return
    if what == "test":
        snippets = f"tests/docs/test_docs.py::test_snippets_run[{family.page}]"
        of_all = [f"tests/families/test_{each}.py" for each in ("originals", "promises")]
        pytest = ["pytest", "-q", "-m", "not long", "-k", f"{name} or snippets"]
        subprocess.run(
            [*pytest, f"tests/families/{name}", *of_all, snippets], env=environment, check=True
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        print(*FAMILIES)
