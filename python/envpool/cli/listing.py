"""``python -m envpool list``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

import typer
from gymnasium import Space
from rich.table import Table
from rich.text import Text

import envpool
from envpool.cli.output import FAILURE, fail, make_console, make_table
from envpool.cli.spaces import summary
from envpool.errors import did_you_mean
from envpool.spec.config import INT_MAX
from envpool.tasks.registration import PythonTask, registry

_GLOB_CHARACTERS = "*?["
_LEGEND = "limit: max_episode_steps, threshold: reward_threshold"
_WIDEST = 44  # of spaces; `show` tells them whole


def list_tasks(
    pattern: Annotated[
        str,
        typer.Argument(help="Part of an id, a glob such as '*-v1', or a family; case is ignored."),
    ] = "",
) -> None:
    """List the tasks by family, with their spaces and limits."""
    known = envpool.list_all_envs()
    found = [task_id for task_id in known if _is_match(task_id, pattern)]
    if not found:
        hint = did_you_mean(pattern.strip(_GLOB_CHARACTERS), known)
        fail(f"no task matches {pattern!r}{hint}", FAILURE)
    console = make_console()
    console.print(_table(found))
    console.print(f"\n{len(found)} of {len(known)} tasks; {_LEGEND}", style="dim")


def _is_match(task_id: str, pattern: str) -> bool:
    pattern = pattern.lower()
    if any(character in pattern for character in _GLOB_CHARACTERS):
        return fnmatchcase(task_id.lower(), pattern)
    name = family(task_id).lower()
    return pattern in task_id.lower() or pattern in (name, name.partition(".")[0])


def _table(task_ids: Sequence[str]) -> Table:
    table = make_table()
    table.add_column("task", no_wrap=True, min_width=max(map(len, task_ids)), style="cyan")
    table.add_column("observation")
    table.add_column("action")
    table.add_column("limit", justify="right")
    table.add_column("threshold", justify="right")
    table.add_column("family")
    for name, members in _families(task_ids):
        for task_id in members:
            table.add_row(task_id, *_facts(task_id), name)
        table.add_section()
    return table


def _families(task_ids: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Tasks by family, the largest first: a terminal still shows the others at the end."""
    members = defaultdict(list)
    for task_id in task_ids:
        members[family(task_id)].append(task_id)
    return sorted(members.items(), key=lambda each: -len(each[1]))


def _facts(task_id: str) -> tuple[str | Text, ...]:
    """Say what is in a task's spec, or why there is none (a simulator may be missing, say)."""
    try:
        spec = envpool.make_spec(task_id)
        spaces = _shortened(spec.observation_space), _shortened(spec.action_space)
    except Exception as error:  # whatever it is, the other tasks can be listed
        return Text(f"unavailable: {error}", style="yellow"), "", "", ""
    limit = spec.config.max_episode_steps
    return (
        *spaces,
        "-" if limit == INT_MAX else str(limit),
        "-" if spec.reward_threshold is None else f"{spec.reward_threshold:g}",
    )


def _shortened(space: Space[Any]) -> str:
    text = summary(space)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def family(task_id: str) -> str:
    """Shorten the name of the module that has the task."""
    task = registry.find(task_id)
    if isinstance(task, PythonTask):
        return "Python"
    path = task.import_path
    return path.removeprefix("envpool.").removeprefix("families.")
