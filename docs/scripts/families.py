"""Writes the tables of families in README and in the pages of docs/, from the families' records.

    python docs/scripts/families.py

Each table is between the markers ``<!-- families:begin -->`` and ``<!-- families:end -->`` of its
page. The tests fail while one is not up to date.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from envpool.families.record import Family, records
from markdown import table, toctree

ROOT = Path(__file__).parents[2]
_PART = re.compile(r"(?<=<!-- families:begin -->\n).*?(?=<!-- families:end -->)", re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?!http|#)")


def title(family: Family) -> str:
    """The family's name, as a link to its page if it has one."""
    return f"[{family.title}]({family.page})" if family.page else family.title


def overview(families: Mapping[str, Family]) -> str:
    """The table of README."""
    columns = ["family", "tasks", "needs", "the same bytes as"]
    return table(
        columns,
        (
            [
                title(each),
                each.tasks,
                ", ".join(f"`{way.command}`" for way in each.ways if way.is_needed) or "-",
                each.equals,
            ]
            for each in families.values()
        ),
    )


def pages(families: Mapping[str, Family]) -> str:
    """The list of pages in the index."""
    names = [each.page.removesuffix(".md") for each in families.values() if each.page]
    return toctree(["generated/environments/index", *names], caption="Environments")


def ways(families: Mapping[str, Family]) -> str:
    """The table of what can be installed, fetched or built."""
    rows = (
        [f"`{way.command}`", title(each), way.adds]
        for each in families.values()
        for way in each.ways
    )
    return table(["command", "for", "adds"], rows)


def drawers(families: Mapping[str, Family]) -> str:
    """The table of what draws the pictures."""
    rows = ([title(each), each.drawn, each.pixels] for each in families.values())
    return table(["family", "drawn by", "the same pixels as"], rows)


def upstreams(families: Mapping[str, Family]) -> str:
    """The table of packages that ours are compared with."""
    rows = ([title(each), "; ".join(_compared(each))] for each in families.values())
    return table(["family", "packages"], rows)


def _compared(family: Family) -> Iterator[str]:
    """What a family is compared with, in parts of a sentence."""
    packages = [
        f"`{name}=={versions.replace(' or ', '` or `')}`"
        for name, versions in family.upstream.items()
    ]
    if packages:
        yield ", ".join([*packages, *family.also.split()])
    if family.compared:
        yield family.compared


def licences(families: Mapping[str, Family]) -> str:
    """The table of what is code of others."""
    rows = (
        [title(each), each.contents.names or "-", each.contents.licence or "-", each.beside or "-"]
        for each in families.values()
        if each.contents.names or each.beside
    )
    columns = ["family", "contains", "under", "uses, from packages of their own"]
    return table(columns, rows)


# What is between the markers, by pages.
PARTS: Mapping[str, Callable[[Mapping[str, Family]], str]] = {
    "README.md": overview,
    "docs/index.md": pages,
    "docs/start/install.md": ways,
    "docs/rendering.md": drawers,
    "docs/verify.md": upstreams,
    "docs/project/licences.md": licences,
}


def filled(name: str, families: Mapping[str, Family]) -> str:
    """A page's text, with the part between its markers made anew.

    Args:
        name: Of :data:`PARTS`.
        families: The records.
    """
    path = ROOT / name
    to_docs = os.path.relpath(ROOT / "docs", path.parent)
    part = _LINK.sub("" if to_docs == "." else f"{to_docs}/", PARTS[name](families))
    # A function, because backslashes in a replacement would be interpreted.
    return _PART.sub(lambda _: f"{part}\n", path.read_text("utf-8"), count=1)


def main() -> None:
    """Writes all of them."""
    families = records()
    for name in PARTS:
        (ROOT / name).write_text(filled(name, families), "utf-8")


if __name__ == "__main__":
    main()
