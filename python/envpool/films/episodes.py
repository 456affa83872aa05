"""What notebooks show of episodes: tables, and films of those that are short."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from envpool.films.files import Film

_MOST_STEPS = 1000  # of an episode that is run again only because it is shown


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a row for each of some dicts, which have the same keys."""
    lines = [_line("th", row) for row in rows[:1]] + [_line("td", row.values()) for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for cell in cells)}</tr>"


def html_film(save: Callable[[], Film], steps: int) -> str:
    """The film of an episode, if it is short and can be drawn.

    Args:
        save: Films it.
        steps: How many it has.
    """
    if steps > _MOST_STEPS:
        return f'<p>save("film.mp4") films its {steps} steps.</p>'
    try:
        return save()._repr_html_()
    except (ImportError, MemoryError, RuntimeError, ValueError) as error:
        return f"<p>Not drawn: {html.escape(str(error))}</p>"
