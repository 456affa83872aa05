"""``python -m envpool verify``."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

import rich.progress
import typer
from rich.table import Column, Table
from rich.text import Text

import envpool
from envpool.cli.console import (
    FAILURE,
    fail,
    make_console,
    make_progress,
    make_table,
    name_column,
    number_column,
    state,
)
from envpool.machine import cores, installed_version, processor
from envpool.oracles.comparison import Outcome, Plan, Progress
from envpool.oracles.session import Session, chosen_tasks, family_of
from envpool.oracles.upstreams import UPSTREAMS

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
    workers = processes or cores()
    outcomes: list[Outcome] = []
    is_interrupted = False
    with make_progress() as progress:
        tell = _teller(progress, outcomes, len(task_ids), steps)
        session = Session(task_ids, plan, tell, any_version)
        try:
            session.run(workers)
        except KeyboardInterrupt:
            is_interrupted = True
    outcomes.sort(key=lambda outcome: task_ids.index(outcome.task_id))
    _print(outcomes, plan)
    if is_interrupted:
        missing = len(task_ids) - len(outcomes)
        fail(f"interrupted: {missing} tasks are not in the table", INTERRUPTED)
    raise typer.Exit(_exit_code(outcomes))


def _teller(
    bar: rich.progress.Progress, outcomes: list[Outcome], total: int, steps: int
) -> Callable[[Any], None]:
    """Make what shows the messages of the comparisons, and keeps their outcomes."""
    task = bar.add_task("", total=total * steps)
    lines = None if sys.stderr.isatty() else make_console(stderr=True)
    done: dict[str, int] = {}

    def tell(message: Progress | Outcome) -> None:
        done[message.task_id] = message.step if isinstance(message, Progress) else steps
        if isinstance(message, Outcome):
            outcomes.append(message)
            if lines:
                lines.print(f"{len(outcomes)}/{total} {message.task_id}: {message.result}")
        completed = sum(done.values())
        bar.update(task, description=message.task_id, completed=completed, refresh=True)

    return tell


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
    console.print(_provenance(outcomes), style="dim", soft_wrap=True)


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


def _provenance(outcomes: Iterable[Outcome]) -> str:
    """The versions of all that takes part, and the machine."""
    families = {family_of(outcome.task_id) for outcome in outcomes} & UPSTREAMS.keys()
    packages = {"numpy": ""}
    for family in sorted(families):
        packages |= UPSTREAMS[family].packages
    versions = [f"{name} {installed_version(name) or 'missing'}" for name in packages]
    return (
        f"envpool-next {envpool.__version__}, {', '.join(versions)}, Python "
        f"{platform.python_version()}; {processor()}, {os.cpu_count()} cores; {platform.platform()}"
    )


def _exit_code(outcomes: Iterable[Outcome]) -> int:
    results = {outcome.result for outcome in outcomes}
    if results & {"different", "failed"}:
        return FAILURE
    return NOT_COMPARED if "not compared" in results else 0
