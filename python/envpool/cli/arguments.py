"""Arguments that several commands have."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from envpool.errors import shown

TaskArgument = Annotated[
    str, typer.Argument(help="The task, such as CartPole-v1.", show_default=False)
]
OptionArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option for make(), such as gravity=1.6; repeatable.",
        show_default=False,
    ),
]


def finite(value: float) -> float:
    """Refuse infinity and NaN, which ranges let through.

    Raises:
        typer.BadParameter: It is one of them.

    """
    if not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number.")
    return value


FpsOption = Annotated[
    float, typer.Option(min=0.0, callback=finite, help="Frames per second; 0: the task's own rate.")
]
TitleOption = Annotated[
    bool, typer.Option("--title", help="Write the task, step and return above each picture.")
]


def parse_options(arguments: Iterable[str] | None, **refused: str) -> dict[str, Any]:
    """Make keyword arguments of ``NAME=VALUE`` texts.

    A value is a Python literal; one that is none stands for itself, so strings need no quotes.

    Args:
        arguments: The texts, if there are some.
        **refused: The options that a command has an argument of its own for: what to use instead;
            empty if the command sets it itself.

    Raises:
        ValueError: A text has no name or no ``=``, or a refused one.

    """
    options = dict(map(_parse, arguments or ()))
    for name in options.keys() & refused:
        hint = f"use {refused[name]} instead" if refused[name] else "which this command sets itself"
        raise ValueError(f"--option gives {name}, {hint}")
    return options


def _parse(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not name or not equals:
        raise ValueError(f"--option is {shown(argument)}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
