"""Prints what extras of the package bring, and its own requirements: requirements.py EXTRA ...

For pip, where the package itself is not to be built.
"""

import re
import sys
import tomllib
from pathlib import Path


def main() -> None:
    """Prints each requirement once, one a line."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    found = dict.fromkeys(project["dependencies"])
    pending = sys.argv[1:]
    while pending:
        for requirement in extras[pending.pop()]:
            own = re.fullmatch(r"envpool-next\[(.+)\]", requirement)
            if own:
                pending += own[1].split(",")
            else:
                found[requirement] = None
    print("\n".join(found))


if __name__ == "__main__":
    main()
