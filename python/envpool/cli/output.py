"""What the commands print with: consoles, tables, error messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TextIO

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from envpool.errors import UnknownTaskError

FAILURE = 1
WRONG_USAGE = 2

# Nothing is stretched to the width of the console, so this only has to be more than enough.
_PIPED_WIDTH = 10_000


def make_console(stderr: bool = False) -> Console:
    """Make a console that takes text literally and never wraps or cuts what is piped."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def make_table() -> Table:
    """Make a table without columns yet, with a line under its header and no frame."""
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )


def make_progress() -> Progress:
    """Make a bar, for terminals only; not refreshed by a thread, which would disturb a pool."""
    return Progress(
        TextColumn("{task.description:<18}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=make_console(stderr=True),
        auto_refresh=False,
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def fail(message: str, exit_code: int) -> NoReturn:
    """Print an error message and end the command."""
    text = Text.assemble(("error: ", "bold red"), message)
    make_console(stderr=True).print(text, soft_wrap=True)
    raise typer.Exit(exit_code)


def run(command: Callable[[], object]) -> None:
    """Run a command, for which output that cannot be written is an error like others."""
    if sys.stderr is None:  # closed
        sys.stderr = _nowhere()
    if sys.stdout is None:
        _complain("it is closed")
    try:
        try:
            command()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:  # of another file
            raise
        # What is left in the buffer would fail again when the interpreter exits.
        with _nowhere() as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        _complain(error.strerror)


def _complain(reason: str | None) -> NoReturn:
    """Say why nothing can be printed, where that can be read, and end the process."""
    with suppress(OSError):
        print(f"error: the output cannot be written: {reason}", file=sys.stderr, flush=True)
    sys.exit(FAILURE)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w")


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn what :func:`envpool.make` and :func:`envpool.make_spec` raise into a message."""
    try:
        yield
    except (UnknownTaskError, TypeError, ValueError) as error:
        fail(str(error), WRONG_USAGE)
    except (ImportError, MemoryError, RuntimeError) as error:
        fail(str(error), FAILURE)
    except Exception as error:
        # Whoever has raised Gymnasium's errors, of ids that it does not know, has imported it.
        gymnasium = sys.modules.get("gymnasium")
        if gymnasium is None or not isinstance(error, gymnasium.error.Error):
            raise
        fail(str(error), WRONG_USAGE)
