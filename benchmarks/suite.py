"""The suites: cases that are timed together, by whom, and how they are summed up.

Each is a folder of `suites`, whose modules define:

- `cases`: CASES, and SECONDS, the usual length of a round;
- `contenders`: CONTENDERS;
- `ceiling`, if it has one: `open_ceiling`, for the worker, and perhaps `prepare`, which is called
  before the workers run and builds what takes too long to build then;
- `table`, if the compact table is another than most: `compact`;
- `footprint`, if the cost of many environments is measured, too: see `footprint.py`.

The folder's name is that of the result files, and of the markers in a page of the documentation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import table
from case import Case
from contender import Contender
from readme import Part
from report import Report

SUITES = Path(__file__).with_name("suites")


@dataclass(frozen=True)
class Suite:
    """What one run times; the module says what its parts are."""

    name: str
    cases: list[Case]
    seconds: float
    contenders: list[Contender]
    compact: Callable[[Report], str]
    prepare: Callable[[], None] | None

    @property
    def part(self) -> Part:
        """Where `compact` goes in a README or a page of the documentation."""
        return part(self.name)


def part(name: str) -> Part:
    """The place of a report, by the name of its files."""
    return Part(f"{name.replace('_', '-')}-benchmark")


def names(module: str) -> list[str]:
    """The suites that have a module of this name."""
    return sorted(path.parent.name for path in SUITES.glob(f"*/{module}.py"))


def load(suite: str, module: str) -> Any:
    """A module of a suite; None if it has none of this name."""
    return import_module(f"suites.{suite}.{module}") if suite in names(module) else None


def known(module: str) -> Callable[[str], str]:
    """Checks that an option of the command line names a suite with this module."""

    def check(value: str) -> str:
        if value not in names(module):
            raise typer.BadParameter(f"{value!r} is none of {', '.join(names(module))}")
        return value

    return check


def find(name: str) -> Suite:
    """The suite of this name."""
    cases, contenders = load(name, "cases"), load(name, "contenders")
    own_table, ceiling = load(name, "table"), load(name, "ceiling")
    return Suite(
        name,
        cases.CASES,
        cases.SECONDS,
        contenders.CONTENDERS,
        own_table.compact if own_table else table.compact,
        getattr(ceiling, "prepare", None),
    )
