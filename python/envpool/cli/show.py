"""``python -m envpool show``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from gymnasium import spaces
from rich.console import Console, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

import envpool
from envpool.cli.listing import family
from envpool.cli.options import OptionArguments, parse_options
from envpool.cli.output import errors_as_messages, make_console, make_table
from envpool.cli.spaces import description
from envpool.spec.config import COMMON_CONFIG, INT_MAX
from envpool.spec.plans import envpool_infos

# As the core tells them.
_NO_LIMITS = (-sys.float_info.max, sys.float_info.max)


def show_task(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole-v1.", show_default=False)],
    option: OptionArguments = None,
) -> None:
    """Show a task's spaces, options and infos, and how to make it."""
    with errors_as_messages():
        options = parse_options(option or ())
        spec = envpool.make_spec(task, **options)
    own = list(spec.env_type.options)
    common = [name for name in COMMON_CONFIG if name not in own]
    console = make_console()
    console.print(Text.assemble((task, "bold cyan"), f"  {family(task)}, {spec.env_type.name}"))
    console.print()
    console.print(_facts(spec))
    _print_section(console, f"Options of {spec.env_type.name}", _options(spec, own))
    _print_section(console, "Options of all tasks", _options(spec, common))
    _print_section(console, "Options of reset(options={...})", _reset_options(spec))
    title = "Info" if spec.most_players > 1 else "Info, one row per environment"
    _print_section(console, title, _infos(spec))
    _print_section(console, "Example")
    # Not the Syntax itself, which would pad all lines to the console's width.
    code = Syntax("", "python", theme="ansi_dark").highlight(snippet(task, spec, options))
    console.print(code, soft_wrap=True, end="")


def _print_section(console: Console, title: str, content: RenderableType | None = None) -> None:
    console.print(f"\n{title}\n", style="bold")
    if content is not None:
        console.print(content)


def _facts(spec: envpool.EnvSpec) -> Table:
    limit, threshold = spec.config.max_episode_steps, spec.reward_threshold
    grid = Table.grid("", "", padding=(0, 2))
    grid.add_row("observation space", "\n".join(description(spec.observation_space)))
    grid.add_row("action space", "\n".join(description(spec.action_space)))
    grid.add_row("reward threshold", "none" if threshold is None else f"{threshold:g}")
    if spec.most_players > 1:
        grid.add_row("players", f"up to {spec.most_players}; rows of all follow one another")
    grid.add_row("time limit", "none" if limit == INT_MAX else f"{limit} steps")
    return grid


def _options(spec: envpool.EnvSpec, names: Sequence[str]) -> RenderableType:
    own, descriptions = spec.env_type.options, spec.describe_options()
    columns: dict[str, list[RenderableType]] = {
        "option": [*names],
        "value": [_option_value(spec, name) for name in names],
        "allowed": [allowed(own.get(name)) for name in names],
        "description": [descriptions[name] for name in names],
    }
    return _columns_or_none(columns)


def allowed(option: dict[str, Any] | None) -> str:
    """Write which values of its type an option of the task takes, if not all."""
    if option is None:
        return ""
    has_limits = tuple(option["limits"]) != _NO_LIMITS
    return option["expected"] if option["choices"] or has_limits else ""


def _option_value(spec: envpool.EnvSpec, name: str) -> Text:
    value, default = getattr(spec.config, name), spec.defaults[name]
    if repr(value) == repr(default):
        return Text(repr(value))
    return Text.assemble((repr(value), "bold"), f" (default {default!r})")


def _reset_options(spec: envpool.EnvSpec) -> RenderableType:
    options = spec.env_type.reset_options
    columns: dict[str, list[RenderableType]] = {
        "option": [*options],
        "default": [repr(entry["default"]) for entry in options.values()],
        "allowed": [allowed(entry) for entry in options.values()],
        "description": [entry["description"] for entry in options.values()],
    }
    return _columns_or_none(columns)


def _columns_or_none(columns: dict[str, list[RenderableType]]) -> RenderableType:
    """Make a table without the columns that have nothing in any row."""
    used = {name: cells for name, cells in columns.items() if any(cells)}
    return _rows_or_none(used, zip(*used.values(), strict=True))


def _infos(spec: envpool.EnvSpec) -> RenderableType:
    infos = envpool_infos(spec)
    per_player = {key for key, column in infos.items() if spec.columns[column]["per_player"]}
    columns, rows = ["key", "dtype", "shape"], []
    if spec.most_players > 1:
        columns.append("one row per")
    for key, dtype_and_shape in spec.info_keys.items():
        dtype, _, shape = dtype_and_shape.partition(" ")
        owner = "player" if key in per_player else "environment"
        rows.append((info_expression(key), dtype, shape, owner)[: len(columns)])
    return _rows_or_none(columns, rows)


def info_expression(dotted: str) -> str:
    """Write how an info is reached."""
    return "info" + "".join(f'["{key}"]' for key in dotted.split("."))


def _rows_or_none(
    columns: Iterable[str], rows: Iterable[tuple[RenderableType, ...]]
) -> RenderableType:
    table = make_table()
    for index, column in enumerate(columns):
        table.add_column(column, overflow="fold", style="cyan" if index == 0 else None)
    for row in rows:
        table.add_row(*row)
    return table if table.row_count else "none"


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
    is_array = not isinstance(spec.action_space, spaces.Dict | spaces.Tuple)
    if is_array and spec.most_players == 1:
        lines[:1] = ["import numpy as np", "", "import envpool"]
        lines += [
            "action = np.stack([env.action_space.sample() for _ in range(env.num_envs)])",
            "observation, reward, terminated, truncated, info = env.step(action)",
        ]
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    """Write a value as code, strings in double quotes."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
