"""Arguments that several commands have."""

from __future__ import annotations

import ast
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


FpsOption = Annotated[
    float, typer.Option(min=0.0, help="Frames per second; 0: the task's own rate.")
]
TitleOption = Annotated[
    bool, typer.Option("--title", help="Write the task, step and return above each picture.")
]


def parse_options(arguments: Iterable[str] | None) -> dict[str, Any]:
    """Make keyword arguments of ``NAME=VALUE`` texts.

    A value is a Python literal; one that is none stands for itself, so strings need no quotes.

    Args:
        arguments: The texts, if there are some.

    Raises:
        ValueError: A text has no name or no ``=``.

    """
    return dict(map(_parse, arguments or ()))


def _parse(argument: str) -> tuple[str, Any]:
    name, equals, value = argument.partition("=")
    if not name or not equals:
        raise ValueError(f"--option is {shown(argument)}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
