"""The page of the command line, asked of the program itself."""

from pathlib import Path
from typing import Any

import typer

from envpool.cli import app
from markdown import code, table


def write(path: Path) -> None:
    """Writes what each command of ``python -m envpool`` takes."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("python -m envpool", ["list"], resilient_parsing=True)
    parts = [
        "# Command line",
        "`python -m envpool` and, where pip has put it on the path, `envpool`. `--help` after a "
        "command prints what is here.",
        group.epilog or "",
    ]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if not command.hidden:  # as old names are
            parts += _command(command, context, name)
    path.write_text("\n\n".join(part for part in parts if part) + "\n")


def _command(command: Any, parent: Any, name: str) -> list[str]:
    context = command.context_class(command, info_name=name, parent=parent)
    usage = " ".join(["python -m envpool", name, *command.collect_usage_pieces(context)])
    rows = [
        [f"`{term}`", " ".join(text.split())]
        for parameter in command.params
        if (record := parameter.get_help_record(context)) is not None
        for term, text in [record]
    ]
    return [f"## {name}", command.help or "", code("text", usage), table(["", "meaning"], rows)]
