"""Writes the tables of families in README and in the pages of docs/, from the families' records.

    python docs/scripts/families.py

Each table is between the markers ``<!-- families:begin -->`` and ``<!-- families:end -->`` of its
page. The tests fail while one is not up to date.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from envpool.families.record import Family, records
from markdown import table, toctree

ROOT = Path(__file__).parents[2]
_PART = re.compile(r"(?<=<!-- families:begin -->\n).*?(?=<!-- families:end -->)", re.DOTALL)
_LINK = re.compile(r"(?<=\]\()(?!http|#)")


def _title(family: Family) -> str:
    """The family's name, as a link to its page if it has one."""
    return f"[{family.title}]({family.page})" if family.page else family.title


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


# By pages: the columns of the table that is between the markers, and the rows of a family.
TABLES: Mapping[str, tuple[Sequence[str], Callable[[Family], list[list[str]]]]] = {
    "README.md": (
        ["family", "tasks", "needs", "the same bytes as"],
        lambda each: [
            [
                _title(each),
                each.tasks,
                ", ".join(f"`{way.command}`" for way in each.ways if way.is_needed) or "-",
                each.equals,
            ]
        ],
    ),
    "docs/start/install.md": (
        ["command", "for", "adds"],
        lambda each: [[f"`{way.command}`", _title(each), way.adds] for way in each.ways],
    ),
    "docs/rendering.md": (
        ["family", "drawn by"],
        lambda each: [[_title(each), each.drawn]],
    ),
    "docs/verify.md": (
        ["family", "packages"],
        lambda each: [[_title(each), "; ".join(_compared(each))]],
    ),
    "docs/project/licences.md": (
        ["family", "contains", "under", "uses, from packages of their own"],
        lambda each: (
            [
                [
                    _title(each),
                    each.contents.names or "-",
                    each.contents.licence or "-",
                    each.beside or "-",
                ]
            ]
            if each.contents.names or each.beside
            else []
        ),
    ),
}
INDEX = "docs/index.md"  # whose part is a list of pages
PAGES = (*TABLES, INDEX)


def _part(name: str, families: Iterable[Family]) -> str:
    """What belongs between the markers of a page, with links as from docs/."""
    if name == INDEX:
        pages = [each.page.removesuffix(".md") for each in families if each.page]
        return toctree(["generated/environments/index", *pages], caption="Environments")
    columns, rows_of = TABLES[name]
    return table(columns, (row for each in families for row in rows_of(each)))


def filled(name: str) -> str:
    """A page's text, with the part between its markers made anew.

    Args:
        name: Of :data:`PAGES`.
    """
    path = ROOT / name
    to_docs = os.path.relpath(ROOT / "docs", path.parent)
    part = _LINK.sub("" if to_docs == "." else f"{to_docs}/", _part(name, records().values()))
    # A function, because backslashes in a replacement would be interpreted.
    return _PART.sub(lambda _: f"{part}\n", path.read_text("utf-8"), count=1)


def main() -> None:
    """Writes all of them."""
    for name in PAGES:
        (ROOT / name).write_text(filled(name), "utf-8")


if __name__ == "__main__":
    main()
