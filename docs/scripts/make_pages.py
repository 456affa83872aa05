"""Makes the pages of the site that follow from the code, in docs/generated.

    pip install "envpool-next[docs,test]"
    python docs/scripts/make_pages.py && sphinx-build -W -n docs build/site

That folder is not in the repository: the pages say what this installation has.
"""

import shutil
from pathlib import Path
from typing import Annotated

import typer

import benchmarks
import commands
import environments
from envpool.cli.console import errors_as_messages

DOCS = Path(__file__).parents[1]


def main(
    pictures: Annotated[bool, typer.Option(help="Draw the environments.")] = True,
    family: Annotated[
        list[str] | None, typer.Option(help="Environments of these families only; repeatable.")
    ] = None,
) -> None:
    """Make the pages of environments, commands and benchmarks anew."""
    folder = DOCS / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with errors_as_messages():  # of engines that are missing, say
        count = environments.write(folder, pictures, family or ())
    commands.write(folder / "commands.md")
    benchmarks.write(DOCS.parent / "benchmarks/results", folder)
    print(f"{count} pages of environments are in {folder / 'environments'}")


if __name__ == "__main__":
    typer.run(main)
