"""``python -m envpool fetch``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from envpool.cli.console import FAILURE, fail, make_console, make_progress
from envpool.families.procgen import engine as procgen


class Fetched(StrEnum):
    """What can be fetched."""

    PROCGEN = "procgen"


def fetch_engine(
    name: Annotated[Fetched, typer.Argument(help="What to fetch.", show_default=False)],
    *,
    wheel: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="WHEEL",
            exists=True,
            dir_okay=False,
            help="The wheel, if it was downloaded already.",
        ),
    ] = None,
) -> None:
    """Download what some tasks need and no package of ours can bring, into the user's cache."""
    console = make_console()
    console.print(
        f"The engine and pictures of {procgen.PACKAGE}: 36 MB to download, 56 MB in "
        f"{procgen.folder()}. {procgen.LICENCES}",
        soft_wrap=True,
    )
    with make_progress() as progress:
        bar = progress.add_task("unpack", total=None)

        def show(count: int, total: int) -> None:
            progress.update(bar, completed=count, total=total, refresh=True)

        try:
            folder = procgen.fetch(wheel, show)
        except (ImportError, RuntimeError, OSError) as error:
            fail(str(error), FAILURE)
    console.print(f"It is in {folder}. Try it: python -m envpool bench CoinrunEasy-v0")
