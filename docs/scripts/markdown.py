"""Pieces of Markdown."""

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, or ``none.`` if it has no rows."""
    lines = [_line(row) for row in rows]
    return "\n".join([_line(columns), _line(["---"] * len(columns)), *lines]) if lines else "None."


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def code(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def toctree(pages: Iterable[str], hidden: bool = False, caption: str = "") -> str:
    """The list of the pages below this one."""
    options = [f":caption: {caption}"] if caption else []
    options += [":maxdepth: 1", *([":hidden:"] if hidden else [])]
    return "\n".join(["```{toctree}", *options, "", *pages, "```"])
