"""Consoles, tables and messages of the commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

import gymnasium
import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table
from rich.text import Text

from envpool.errors import UnknownTaskError

_Item = TypeVar("_Item")

FAILURE = 1
WRONG_USAGE = 2

_STATES = {
    **dict.fromkeys(("passed", "equal"), "green"),
    **dict.fromkeys(("fault", "different", "failed"), "bold red"),
    **dict.fromkeys(("remark", "not compared"), "yellow"),
    "skipped": "dim",
}
# Nothing is stretched to the width of the console, so this only has to be more than enough.
_PIPED_WIDTH = 10_000


def make_console(stderr: bool = False) -> Console:
    """Make a console that takes text literally and never cuts what is piped.

    Args:
        stderr: Print there.
    """
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def make_table(*columns: Column | str) -> Table:
    """Make a table with a line under its header and no frame."""
    return Table(
        *columns,
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )


def number_column(name: str) -> Column:
    """Make a column of numbers."""
    return Column(name, justify="right", no_wrap=True)


def name_column(name: str) -> Column:
    """Make a column that says what a row is about."""
    return Column(name, style="cyan", no_wrap=True)


def state(word: str) -> Text:
    """Colour the result of a check or of a comparison."""
    return Text(word, style=_STATES[word])


def make_progress() -> Progress:
    """Make a bar, for terminals only; not refreshed by a thread, which would disturb a pool.

    What a notebook's kernel starts has a terminal that keeps each state of the bar as a line.
    """
    return Progress(
        console=make_console(stderr=True),
        auto_refresh=False,
        transient=True,
        disable=not sys.stderr.isatty() or "JPY_PARENT_PID" in os.environ,
    )


def track(items: Iterable[_Item], name: str, total: int | None = None) -> Iterator[_Item]:
    """Yields the items, under a bar; a total is needed of those that have no length."""
    with make_progress() as progress:
        yield from progress.track(items, total, description=name)


def fail(message: str, exit_code: int) -> NoReturn:
    """Print an error message and end the command."""
    text = Text.assemble(("error: ", "bold red"), message)
    make_console(stderr=True).print(text, soft_wrap=True)
    raise typer.Exit(exit_code)


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn what commands raise because of what they are given into messages."""
    try:
        yield
    except (typer.Exit, typer.Abort, BrokenPipeError):
        raise
    except (UnknownTaskError, TypeError, ValueError, gymnasium.error.Error) as error:
        fail(str(error), WRONG_USAGE)
    except (ImportError, MemoryError, OSError, RuntimeError) as error:
        fail(str(error), FAILURE)
