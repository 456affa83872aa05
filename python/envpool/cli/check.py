"""``python -m envpool check`` and ``doctor``: what is wrong with a task, or an installation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from envpool import checks
from envpool.checks.checks import SECONDS, chosen_checks, examine
from envpool.checks.subject import Subject
from envpool.cli.arguments import OptionArguments, TaskArgument, parse_options
from envpool.cli.console import (
    FAILURE,
    make_console,
    make_progress,
    make_table,
    name_column,
    number_column,
    state,
)
from envpool.doctor import report as doctors_report


def check_task(
    task: TaskArgument,
    *,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Run only this check; repeatable.", show_default=False),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK", help="Skip this check; repeatable.", show_default=False),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Run a quarter of the steps.")] = False,
    seconds: Annotated[
        float, typer.Option(min=1, help="How many seconds a check may take.")
    ] = SECONDS,
    option: OptionArguments = None,
) -> None:
    """Look for common mistakes in an environment; exit with 1 if there are any.

    One written in Python may also be module:Class, or gymnasium:CartPole-v1.
    """
    subject = Subject.of(task, parse_options(option), quick)
    names = chosen_checks(subject, only, skip or ())
    with make_progress() as progress:
        bar = progress.add_task("", total=len(names))
        for report in examine(subject, names, seconds):
            if report.outcomes:
                begun, check = len(report.outcomes), report.outcomes[-1].check
                progress.update(bar, description=check, completed=begun - 1, refresh=True)
    console = make_console()
    console.print(_outcomes(report.outcomes))
    console.print(f"\n{_summary(report)}", style="bold")
    if report.failed:
        raise typer.Exit(FAILURE)


def _outcomes(outcomes: Sequence[checks.Outcome]) -> Table:
    result, found = Column("result", no_wrap=True), Column("what was found", overflow="fold")
    table = make_table(name_column("check"), result, number_column("s"), found)
    for outcome in outcomes:
        told = map(_told, outcome.findings)
        seconds = f"{outcome.seconds:.1f}"
        table.add_row(outcome.check, state(outcome.result), seconds, Text("\n").join(told))
    return table


def _told(finding: checks.Finding) -> Text:
    """Put what was found above what to do about it, if that is known."""
    hint = Text(f"\n-> {finding.hint}", style="dim") if finding.hint else Text()
    return Text(finding.message) + hint


def _summary(report: checks.Report) -> str:
    if not report.failed:
        return f"{report.task_id} passes {len(report.outcomes)} checks"
    failed = ", ".join(report.failed)
    return f"{report.task_id} fails {len(report.failed)} of {len(report.outcomes)} checks: {failed}"


def examine_installation(
    *,
    report: Annotated[bool, typer.Option("--report", help="Print Markdown, for an issue.")] = False,
) -> None:
    """Look for what is missing, broken or in the way; exit with 1 if there is a problem."""
    raise typer.Exit(doctors_report.examine_installation(report))
