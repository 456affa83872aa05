"""``python -m envpool check``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from envpool.cli.options import OptionArguments, finite, parse_options
from envpool.cli.output import FAILURE, errors_as_messages, make_console, make_progress, make_table
from envpool.testing.checks import SECONDS, chosen_checks, examine
from envpool.testing.report import Finding, Outcome, Report
from envpool.testing.subject import Subject

_STYLES = {"passed": "green", "fault": "bold red", "remark": "yellow", "skipped": "dim"}


def check_task(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole-v1.", show_default=False)],
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
        float, typer.Option(min=1, callback=finite, help="How many seconds a check may take.")
    ] = SECONDS,
    option: OptionArguments = None,
) -> None:
    """Look for common mistakes in an environment; exit with 1 if there are any."""
    with errors_as_messages():
        names = chosen_checks(only, skip or ())
        report = _examine(Subject(task, parse_options(option or ()), quick), names, seconds)
    console = make_console()
    console.print(_table(report.outcomes))
    console.print(f"\n{_summary(report)}", style="bold")
    if report.failed:
        raise typer.Exit(FAILURE)


def _examine(subject: Subject, names: Sequence[str], seconds: float) -> Report:
    with make_progress() as progress:
        bar = progress.add_task("", total=len(names))
        done = iter(range(len(names)))

        def tell(check: str) -> None:
            progress.update(bar, description=check, completed=next(done), refresh=True)

        return examine(subject, names, seconds, tell)


def _table(outcomes: Sequence[Outcome]) -> Table:
    table = make_table()
    table.add_column("check", style="cyan", no_wrap=True)
    table.add_column("result", no_wrap=True)
    table.add_column("s", justify="right", no_wrap=True)
    table.add_column("what was found", overflow="fold")
    for outcome in outcomes:
        found = Text("\n").join(map(_described, outcome.findings))
        table.add_row(outcome.check, _result(outcome), f"{outcome.seconds:.1f}", found)
    return table


def _described(finding: Finding) -> Text:
    hint = Text(f"\n-> {finding.hint}", style="dim") if finding.hint else Text()
    return Text(finding.message) + hint


def _result(outcome: Outcome) -> Text:
    return Text(outcome.result, style=_STYLES[outcome.result])


def _summary(report: Report) -> str:
    if not report.failed:
        return f"{report.task_id} passes {len(report.outcomes)} checks"
    failed = ", ".join(report.failed)
    return f"{report.task_id} fails {len(report.failed)} of {len(report.outcomes)} checks: {failed}"
