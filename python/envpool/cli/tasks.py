"""``python -m envpool list`` and ``show``: tasks, and their spaces in words."""

from __future__ import annotations

import itertools
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

import typer
from gymnasium import spaces
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

import envpool
from envpool.cli.arguments import OptionArguments, TaskArgument, parse_options
from envpool.cli.console import (
    FAILURE,
    fail,
    make_console,
    make_table,
    name_column,
    number_column,
)
from envpool.errors import did_you_mean
from envpool.families.record import records
from envpool.spec import masks
from envpool.spec.options import SHOWN
from envpool.spec.values import INT_MAX
from envpool.tasks.registry import PythonTask, registry

_GLOB_CHARACTERS = "*?["
_LEGEND = "limit: max_episode_steps, threshold: reward_threshold"
_WIDEST = 20  # of spaces; `show` tells them whole
_MOST = 8  # of neighbouring options with the same meaning; more are counted
# As the core tells them.
_NO_LIMITS = (-sys.float_info.max, sys.float_info.max)


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
    for name, members in _families(found):
        _print_family(console, name, members)
    console.print(f"{len(found)} of {len(known)} tasks; {_LEGEND}", style="dim")


def _is_match(task_id: str, pattern: str) -> bool:
    pattern = pattern.lower()
    if any(character in pattern for character in _GLOB_CHARACTERS):
        return fnmatchcase(task_id.lower(), pattern)
    name = family(task_id).lower()
    return pattern in task_id.lower() or pattern in (name, name.partition(".")[0])


def _print_family(console: Console, name: str, task_ids: Sequence[str]) -> None:
    """Print a table of a family, above it what is missing where (a simulator, say)."""
    rows, missing = [], {}  # the texts as keys, which all tasks may share
    for task_id in task_ids:
        try:
            rows.append((task_id, *_row(task_id)))
        except Exception as error:  # whatever it is, the other tasks can be listed
            missing[str(error)] = True
            rows.append((task_id, "-", "-", "-", "-"))
    console.print(name, style="bold")
    for text in missing:
        console.print(f"unavailable: {text}", style="yellow", soft_wrap=True)
    console.print(_table(rows))
    console.print()


def _table(rows: Sequence[Sequence[str]]) -> Table:
    """Make a table of one line per task."""
    ids = Column("task", no_wrap=True, min_width=max(len(row[0]) for row in rows), style="cyan")
    two = (Column(name, max_width=_WIDEST) for name in ("observation", "action"))
    columns = [ids, *two, *map(number_column, ("limit", "threshold"))]
    # A text that says so is cut in a narrow terminal, in a column that can become narrower.
    table = make_table(*columns)
    for row in rows:
        table.add_row(*(Text(cell, no_wrap=True, overflow="ellipsis") for cell in row))
    return table


def _families(task_ids: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Tasks by family: ours in the order of their records, then those of other packages."""
    members = defaultdict(list)
    for task_id in task_ids:
        members[family(task_id)].append(task_id)
    ours = [_without_prefix(record.package) for record in records().values()]
    return sorted(members.items(), key=lambda each: ((*ours, each[0]).index(each[0]), each[0]))


def _row(task_id: str) -> tuple[str, ...]:
    """Say what is in a task's spec."""
    spec = envpool.make_spec(task_id)
    limit = spec.config.max_episode_steps
    return (
        summary(spec.observation_space),
        summary(spec.action_space),
        "-" if limit == INT_MAX else str(limit),
        "-" if spec.reward_threshold is None else f"{spec.reward_threshold:g}",
    )


def family(task_id: str) -> str:
    """Shorten the name of the module that has the task."""
    task = registry.find(task_id)
    if isinstance(task, PythonTask):
        return "Python"
    return _without_prefix(task.import_path)


def _without_prefix(module: str) -> str:
    return module.removeprefix("envpool.").removeprefix("families.")


def show_task(task: TaskArgument, option: OptionArguments = None) -> None:
    """Show a task's spaces, options and infos, and how to make it."""
    options = parse_options(option)
    spec = envpool.make_spec(task, **options)
    own = list(spec.known.own)
    common = [name for name in SHOWN if name in spec.known.rows and name not in own]
    console = make_console()
    console.print(Text.assemble((task, "bold cyan"), f"  {family(task)}, {spec.known.name}"))
    console.print()
    console.print(_facts(spec))
    columns = ("option", "value", "allowed", "description")
    _print_table(console, f"Options of {spec.known.name}", columns, _options(spec, own))
    _print_table(console, "Options of all tasks", columns, _options(spec, common))
    columns = ("option", "default", "allowed", "description")
    _print_table(console, "Options of reset(options={...})", columns, _reset_options(spec))
    _print_table(console, "Info", ("key", "dtype", "shape", "one row per"), _infos(spec))
    console.print("\nExample\n", style="bold")
    console.print(snippet(task, spec, options), soft_wrap=True, end="")


def _print_table(
    console: Console, title: str, names: Sequence[str], rows: Sequence[Sequence[str | Text]]
) -> None:
    """Print a table under its title; names of the first column are whole, to be searched for."""
    console.print(f"\n{title}\n", style="bold")
    columns = (Column(name, overflow="fold") for name in names[1:])
    table = make_table(name_column(names[0]), *columns)
    for row in rows:
        table.add_row(*row)
    console.print(table if rows else "none")


def _facts(spec: envpool.EnvSpec) -> Table:
    limit, threshold = spec.config.max_episode_steps, spec.reward_threshold
    grid = Table.grid("", "", padding=(0, 2))
    grid.add_row("observation space", "\n".join(description(spec.observation_space)))
    grid.add_row("action space", "\n".join(description(spec.action_space)))
    grid.add_row("reward threshold", "none" if threshold is None else f"{threshold:g}")
    if spec.spaces.most_players > 1:
        grid.add_row("players", f"up to {spec.spaces.most_players}; rows of all follow one another")
    grid.add_row("time limit", "none" if limit == INT_MAX else f"{limit} steps")
    if spec.engine:
        grid.add_row("engine", spec.engine)
    return grid


def _options(spec: envpool.EnvSpec, names: Sequence[str]) -> list[tuple[str | Text, ...]]:
    own, descriptions = spec.known.own, spec.known.describe()
    return [
        (name, _option_value(spec, name), allowed(own.get(name)), descriptions[name])
        for name in names
    ]


def allowed(option: dict[str, Any] | None) -> str:
    """Write which values of its type an option of the task takes, if not all."""
    if option is None:
        return ""
    has_limits = tuple(option["limits"]) != _NO_LIMITS
    return option["expected"] if option["choices"] or has_limits else ""


def _option_value(spec: envpool.EnvSpec, name: str) -> Text:
    value, default = getattr(spec.config, name), spec.known.defaults[name]
    if repr(value) == repr(default):
        return Text(repr(value))
    return Text.assemble((repr(value), "bold"), f" (default {default!r})")


def together(options: Mapping[str, dict[str, Any]]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """What there is to know of options, once for neighbours of which it is the same.

    Yields:
        The first of their names, and how many there are if these are not all; and their entry.
    """
    for entry, group in itertools.groupby(options, key=options.__getitem__):
        names = list(group)
        yield (names if len(names) <= _MOST else [*names[:_MOST], f"... ({len(names)})"]), entry


def _reset_options(spec: envpool.EnvSpec) -> list[tuple[str, ...]]:
    return [
        ("\n".join(names), repr(entry["default"]), allowed(entry), entry["description"])
        for names, entry in together(spec.known.reset)
    ]


def _infos(spec: envpool.EnvSpec) -> list[tuple[str, ...]]:
    infos = spec.spaces.contents.envpool_infos()
    per_player = {key for key, column in infos.items() if spec.spaces.columns[column]["per_player"]}
    has_players = spec.spaces.most_players > 1
    rows: list[tuple[str, ...]] = []
    for key, told in spec.spaces.info_keys.items():
        dtype, _, shape = told.partition(" ")
        owner = "player" if has_players and key in per_player else "environment"
        rows.append((info_expression(key), dtype, shape, owner))
    return rows


def info_expression(dotted: str) -> str:
    """Write how an info is reached."""
    return "info" + "".join(f'["{key}"]' for key in dotted.split("."))


def snippet(task: str, spec: envpool.EnvSpec, options: dict[str, Any]) -> str:
    """Write code that makes the task and, if its actions are plain arrays, steps it at random."""
    num_envs = spec.config.num_envs if options else 8
    arguments = {"env_type": "gymnasium", "num_envs": num_envs} | options
    keywords = "".join(f", {name}={_literal(value)}" for name, value in arguments.items())
    lines = [
        "import envpool",
        "",
        f"env = envpool.make({_literal(task)}{keywords})",
        "observation, info = env.reset()",
    ]
    masked = masks.declared(spec.spaces)
    # Of other spaces, Gymnasium takes masks in another form.
    arrays = (spaces.Discrete,) if masked else (spaces.Discrete, spaces.MultiDiscrete, spaces.Box)
    if isinstance(spec.action_space, arrays) and spec.spaces.most_players == 1:
        lines[:1] = ["import numpy as np", "", "import envpool"]
        draw = "sample() for _ in range(env.num_envs)"
        if masked:
            draw = f'sample(mask) for mask in {masked}["{masks.NAME}"]'
        lines += [
            f"action = np.stack([env.action_space.{draw}])",
            "observation, reward, terminated, truncated, info = env.step(action)",
        ]
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    """Write a value as code, strings in double quotes."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def summary(space: spaces.Space[Any]) -> str:
    """Name a space and its shape, or the spaces inside it."""
    match space:
        case spaces.Box() | spaces.MultiDiscrete():
            return f"{type(space).__name__}{space.shape}"
        case spaces.Dict():
            return f"Dict({', '.join(space)})"
        case spaces.Tuple():
            return f"Tuple({', '.join(summary(inner) for inner in space)})"
        case _:
            return str(space)


def description(space: spaces.Space[Any]) -> list[str]:
    """Put a space in lines: one for each part, and for each stretch of a vector with its bounds."""
    match space:
        case spaces.Dict():
            return ["Dict", *_inner_lines(space.items())]
        case spaces.Tuple():
            return ["Tuple", *_inner_lines(enumerate(space))]
        case spaces.Box(shape=(_,)) if len({*_bounds(space)}) > 1:
            return [f"{summary(space)} {space.dtype}", *_stretches(space)]
        case _:
            return str(space).splitlines()


def _inner_lines(items: Iterable[tuple[Any, spaces.Space[Any]]]) -> Iterator[str]:
    for key, space in items:
        first, *others = description(space)
        yield f"  {key}: {first}"
        yield from (f"  {line}" for line in others)


def _bounds(space: spaces.Box) -> Iterator[str]:
    for low, high in zip(space.low, space.high, strict=True):
        yield f"[{low + 0:.6g}, {high:.6g}]"  # without the sign of a zero


def _stretches(space: spaces.Box) -> Iterator[str]:
    """Write the bounds of a vector's elements, as Python indexes them."""
    begin = 0
    for bounds, group in itertools.groupby(_bounds(space)):
        end = begin + len(list(group))
        yield f"  {begin if end == begin + 1 else f'{begin}:{end}'}  in {bounds}"
        begin = end
