"""The command-line option ``--option NAME=VALUE``, for the options of tasks."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from envpool.errors import shown

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


def parse_options(arguments: Iterable[str]) -> dict[str, Any]:
    """Make keyword arguments of ``NAME=VALUE`` texts.

    A value is a Python literal; one that is none stands for itself, so strings need no quotes.

    Raises:
        ValueError: A text has no name or no ``=``.

    """
    return dict(_parse(argument) for argument in arguments)


def refuse_options(options: Iterable[str], arguments: Mapping[str, str]) -> None:
    """Refuse the options that a command has an argument of its own for.

    Args:
        options: The names that ``--option`` gave.
        arguments: Of each such option, what to use instead; empty if the command sets it itself.

    Raises:
        ValueError: One of them is given.

    """
    for name in options:
        if name in arguments:
            instead = arguments[name]
            hint = f"use {instead} instead" if instead else "which this command sets itself"
            raise ValueError(f"--option gives {name}, {hint}")


def _parse(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not name or not equals:
        raise ValueError(f"--option is {shown(argument)}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
