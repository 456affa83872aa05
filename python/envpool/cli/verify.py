"""``python -m envpool verify``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from envpool.cli.console import (
    FAILURE,
    fail,
    make_console,
    make_table,
    name_column,
    number_column,
    state,
)
from envpool.machine import cores
from envpool.oracles.comparison import Outcome, Plan, Progress
from envpool.oracles.session import Session, chosen_tasks

NOT_COMPARED = 3
INTERRUPTED = 130

_RESULTS = ("equal", "different", "failed", "not compared")


def verify_tasks(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TASK]...",
            help="Tasks such as CartPole-v1, globs such as 'Ant-*', or families such as atari.",
            show_default="all",
        ),
    ] = None,
    *,
    steps: Annotated[int, typer.Option(min=1, help="How many, in each environment.")] = 1000,
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="How many environments, with a seed each.")
    ] = 2,
    first_seed: Annotated[int, typer.Option(min=0, help="The first of these seeds.")] = 0,
    pictures: Annotated[bool, typer.Option(help="Compare pictures, too.")] = True,
    any_version: Annotated[
        bool,
        typer.Option(
            "--any-version",
            help="Compare with whichever versions of the packages are installed; the table names "
            "them, and differences may be theirs.",
        ),
    ] = False,
    processes: Annotated[
        int, typer.Option(min=0, help="How many processes at a time; 0: one per core.")
    ] = 0,
) -> None:
    """Compare tasks with the packages that they must equal, byte for byte, on this machine.

    The exit status is 0 if all tasks are equal, 1 if one differs or fails, and 3 if none does but
    some cannot be compared, because a package is missing, for example.
    """
    task_ids = chosen_tasks(tasks or ())
    plan = Plan(steps, range(first_seed, first_seed + seeds), pictures)
    outcomes: list[Outcome] = []
    is_interrupted = False
    told = make_console(stderr=True)

    def tell(message: Progress | Outcome) -> None:
        if isinstance(message, Outcome):
            outcomes.append(message)
            done = f"{len(outcomes)}/{len(task_ids)}"
            told.print(f"{done} {message.task_id}: {message.result}")

    try:
        Session(task_ids, plan, tell, any_version).run(processes or cores())
    except KeyboardInterrupt:
        is_interrupted = True
    outcomes.sort(key=lambda outcome: task_ids.index(outcome.task_id))
    _print(outcomes, plan)
    if is_interrupted:
        missing = len(task_ids) - len(outcomes)
        fail(f"interrupted: {missing} tasks are not in the table", INTERRUPTED)
    raise typer.Exit(_exit_code(outcomes))


def _print(outcomes: Sequence[Outcome], plan: Plan) -> None:
    console = make_console()
    console.print(_table(outcomes))
    for outcome in outcomes:
        if outcome.result in ("different", "failed"):
            console.print(f"\n{outcome.task_id}: {outcome.result}", style="bold red")
            console.print(outcome.text, soft_wrap=True)
    console.print(f"\n{_verdict(outcomes)}", style="bold")
    extent = f"{plan.steps} steps of {len(plan.seeds)} environments, seeds from {plan.seeds[0]} on"
    console.print(extent, style="dim")


def _table(outcomes: Iterable[Outcome]) -> Table:
    result, remarks = Column("result", no_wrap=True), Column("remark", overflow="fold")
    columns = map(number_column, ("steps", "ends", "pictures", "s"))
    table = make_table(name_column("task"), result, *columns, remarks)
    for outcome in outcomes:
        # A difference is told below, at length.
        remark = outcome.text if outcome.result == "not compared" else outcome.remark
        table.add_row(
            outcome.task_id,
            state(outcome.result),
            f"{outcome.steps:,}",
            f"{outcome.ends:,}",
            f"{outcome.pictures:,}",
            f"{outcome.seconds:.1f}",
            Text(remark.partition("\n")[0], style="dim"),
        )
    return table


def _verdict(outcomes: Sequence[Outcome]) -> str:
    counts = {result: sum(o.result == result for o in outcomes) for result in _RESULTS}
    told = [f"{count} {result}" for result, count in counts.items() if count]
    return f"{len(outcomes)} tasks: {', '.join(told)}" if outcomes else "no tasks"


def _exit_code(outcomes: Iterable[Outcome]) -> int:
    results = {outcome.result for outcome in outcomes}
    if results & {"different", "failed"}:
        return FAILURE
    return NOT_COMPARED if "not compared" in results else 0
