"""What there is to be said of a family beside its code: the ``FAMILY`` of its module ``record``.

It is said there once. The tables of the documentation, ``list``, the doctor, the oracles, the smoke
tests, the check of wheels and CI's stages are made from these records or loop over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from typing import NamedTuple, TypeAlias

from envpool.errors import install, left_out, no_library
from envpool.families.folders import names

GYMNASIUM = "1.4.0"  # whose environments ours equal
# The versions that cpp/engines/mujoco/mujoco.cmake has, and the one that most packages run with.
MUJOCO, MUJOCO_3 = "3.17.0 or 4.0.0", "3.17.0"


# Keys that are held together, by pygame's names for them: what they do, and that in words. The text
# without a key is for what happens where none is held; without one, the game waits for a key. Of a
# discrete action it is a number; of others, the elements of an array, which are added up. A key may
# also have the name of one that does the same.
Keys: TypeAlias = Mapping[str, tuple[int | tuple[float, ...] | str, str]]


class Way(NamedTuple):
    """A command that brings users something that a family needs.

    Attributes:
        command: The command.
        adds: What it brings, as Markdown.
        extra: The extra of ours that it installs; empty if it does something else.
        requirements: What this extra asks for, as pyproject.toml has it.
        is_needed: True if the tasks do not run without it.
    """

    command: str
    adds: str
    extra: str = ""
    requirements: tuple[str, ...] = ()
    is_needed: bool = True


def extra(name: str, adds: str, *requirements: str, is_needed: bool = True) -> Way:
    """Returns the way that installs an extra of ours.

    Args:
        name: The extra.
        adds: As for :class:`Way`, like the others.
        *requirements: What it asks for.
        is_needed: False if the tasks run without it.
    """
    return Way(install(name), adds, name, requirements, is_needed)


class Contents(NamedTuple):
    """Code of others that a family's libraries contain.

    Attributes:
        names: Whose code.
        licence: Its licences beside MIT and BSD-3-Clause, as SPDX has them.
        texts: The files of third_party/licenses, and something that only each one says.
    """

    names: str = ""
    licence: str = ""
    texts: Mapping[str, str] = {}


class Wheel(NamedTuple):
    """What a wheel has of a family.

    Attributes:
        is_optional: True if a build may lack the family.
        files: A regular expression of the files that a build adds beside the library, relative to
            the family's folder.
        links: A regular expression of what its libraries need that is no part of every Linux.
        most_bytes: What it may add to a wheel.
    """

    is_optional: bool = False
    files: str = ""
    links: str = ""
    most_bytes: int = 200_000


NOTHING, ONLY_A_LIBRARY = Contents(), Wheel()


@dataclass(frozen=True, kw_only=True)
class Family:
    """What there is to be said of a family.

    Attributes:
        title: Its name.
        place: Where it stands among the families in lists; those of the same place follow by name.
        tasks: Its tasks in words, as Markdown.
        shown: The task that stands for it where there is to be one: in the gallery, say.
        equals: What its observations, rewards, flags, infos and perhaps pictures are bit-equal to.
        drawn: Who draws its pictures, as Markdown.
        package: The package with its classes.
        keys: A function, as ``module:name``, that returns the :data:`Keys` of a spec, or None;
            empty if no keys play its tasks.
        page: The page about it, below docs/; empty if there is none.
        named_by: The option by whose value the environments are told apart in the gallery; empty if
            they have classes of their own.
        ways: What users install, fetch or build for it.
        check: A function without arguments, as ``module:name``, that raises an ImportError where
            the tasks cannot run; empty if they always can.
        fetched: The module that fetches its engine for ``python -m envpool fetch NAME``; empty if
            there is nothing to be fetched. It has ``PACKAGE``, ``SIZES``, ``LICENCES``, ``folder``
            and ``fetch``.
        upstream: The packages that its oracle needs, with the versions that ours are equal to:
            ``"1.0"``, or ``"1.0 or 2.0"``.
        also: What else the oracle imports, of any version: names of packages with spaces between
            them.
        compared: What else there is to be said of where the oracle comes from, as Markdown.
        opengl: True if upstream draws with OpenGL.
        contents: Code of others in its libraries.
        beside: What it uses that comes in other packages, with licences, as Markdown.
        wheel: What a wheel has of it.
        apart: True if its tests need more than the extra ``test`` has: a stage of CI goes all its
            ``ways`` and installs ``tested_with`` before it runs them.
        tested_with: Requirements, with spaces between them.
    """

    title: str
    place: int
    tasks: str
    shown: str
    equals: str
    drawn: str
    package: str
    keys: str = ""
    page: str = ""
    named_by: str = ""
    ways: tuple[Way, ...] = ()
    check: str = ""
    fetched: str = ""
    upstream: Mapping[str, str] = field(default_factory=dict)
    also: str = ""
    compared: str = ""
    opengl: bool = False
    contents: Contents = NOTHING
    beside: str = ""
    wheel: Wheel = ONLY_A_LIBRARY
    apart: bool = False
    tested_with: str = ""

    def lack(self) -> str:
        """Says why the tasks cannot run here; empty if they can."""
        if self.package.removeprefix("envpool.families.").replace(".", "_") in left_out():
            return no_library(self.package)
        try:
            if self.check:
                resolve_name(self.check)()
        except ImportError as error:
            return str(error)
        return ""


def records() -> dict[str, Family]:
    """Returns the families' records by their names, in the order of lists."""
    found = {name: import_module(f"envpool.families.{name}.record").FAMILY for name in names()}
    return dict(sorted(found.items(), key=lambda each: (each[1].place, each[0])))


def licence() -> str:
    """Returns the licences of a wheel with all families, as an expression of SPDX."""
    others = [record.contents.licence for record in records().values()]
    return " AND ".join(["MIT", "BSD-3-Clause", *filter(None, others)])
