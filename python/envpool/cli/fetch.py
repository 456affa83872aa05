"""``python -m envpool fetch``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from envpool.cli.console import make_progress
from envpool.families.record import records

_FETCHED = {name: record for name, record in records().items() if record.fetched}


def fetch_engine(
    name: Annotated[
        str, typer.Argument(metavar="|".join(_FETCHED), help="What to fetch.", show_default=False)
    ],
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
    if name not in _FETCHED:
        raise ValueError(f"{name!r} is not one of {', '.join(_FETCHED)}")
    engine = import_module(_FETCHED[name].fetched)
    typer.echo(
        f"The engine and pictures of {engine.PACKAGE}: {engine.SIZES} in {engine.folder()}. "
        f"{engine.LICENCES}"
    )
    with make_progress() as progress:
        bar = progress.add_task("unpack", total=None)

        def show(count: int, total: int) -> None:
            progress.update(bar, completed=count, total=total, refresh=True)

        folder = engine.fetch(wheel, show)
    typer.echo(f"It is in {folder}. Try it: python -m envpool bench {_FETCHED[name].shown}")
