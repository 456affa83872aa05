"""``python -m envpool doctor``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from envpool.cli.options import finite
from envpool.cli.output import FAILURE, make_console, make_progress, make_table
from envpool.doctor.finding import PROBLEM, Finding
from envpool.doctor.report import SECONDS, examine, markdown, sections, verdict

_STYLES = {"ok": "green", "remark": "yellow", "problem": "bold red"}


def examine_installation(
    *,
    report: Annotated[bool, typer.Option("--report", help="Print Markdown, for an issue.")] = False,
    seconds: Annotated[
        float, typer.Option(min=0, callback=finite, help="Seconds for the self-test; 0: skip it.")
    ] = SECONDS,
) -> None:
    """Look for what is missing, broken or in the way; exit with 1 if there is a problem."""
    found = _examine(seconds)
    findings = [finding for _, finding in found]
    console = make_console()
    if report:
        console.print(markdown(found), soft_wrap=True, end="")
    else:
        for title in dict.fromkeys(title for title, _ in found):
            console.print(f"{title}\n", style="bold")
            console.print(_table(finding for other, finding in found if other == title))
            console.print()
        console.print(verdict(findings), style="bold")
    if any(finding.state == PROBLEM for finding in findings):
        raise typer.Exit(FAILURE)


def _examine(seconds: float) -> list[tuple[str, Finding]]:
    found: list[tuple[str, Finding]] = []
    with make_progress() as progress:
        bar = progress.add_task("", total=len(sections(seconds)))
        for title, finding in examine(seconds):
            found.append((title, finding))
            done = len({title for title, _ in found}) - 1
            progress.update(
                bar, description=f"{title}: {finding.name}", completed=done, refresh=True
            )
    return found


def _table(findings: Iterable[Finding]) -> Table:
    table = make_table()
    table.show_header = False
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        text = Text(finding.text)
        if finding.command:
            text += Text(f"\n-> {finding.command}", style="dim")
        table.add_row(finding.name, Text(finding.state, style=_STYLES[finding.state]), text)
    return table
