"""Films of episodes, and what notebooks show of episodes and recordings."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envpool.films.pictures import titled

if TYPE_CHECKING:
    from envpool.recordings.episode import Episode
    from envpool.recordings.recording import Recording

_MOST_STEPS = 1000  # of an episode that is run again only because it is shown
_BEST = 5  # episodes of a recording that are shown


def pictures_of(episode: Episode, title: bool = False) -> Iterator[NDArray[np.uint8]]:
    """The pictures of an episode, which is run again.

    Args:
        episode: The episode.
        title: Write the task, the step and the return so far above each?

    Raises:
        ArgumentError, RuntimeError: See :meth:`Episode.rollout`.
    """
    rollout = episode.rollout(frames=True)
    frames = () if rollout.frames is None else rollout.frames
    totals = itertools.accumulate(map(np.sum, rollout.rewards), initial=0.0)
    for step, (frame, total) in enumerate(zip(frames, totals, strict=False)):
        yield titled(frame, episode.task, step, float(total)) if title else frame


def episode_html(episode: Episode) -> str:
    """What a notebook shows of an episode: what is known of it, and its film if it is short."""
    return _table([_facts(episode)]) + _film(episode)


def recording_html(recording: Recording) -> str:
    """What a notebook shows of a recording: how many episodes it has, and the best of them."""
    best = [_facts(episode) for episode in recording.best(_BEST)]
    return f"<p>{html.escape(repr(recording))}; the best:</p>" + _table(best)


def _facts(episode: Episode) -> dict[str, Any]:
    return {
        "episode": episode.episode,
        "task": episode.task,
        "environment": episode.env,
        "return": f"{episode.total:.6g}",
        "length": episode.length,
        "end": episode.end,
    }


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [_line("th", row) for row in rows[:1]] + [_line("td", row.values()) for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Any) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(str(cell))}</{tag}>' for cell in cells)}</tr>"


def _film(episode: Episode) -> str:
    if episode.length > _MOST_STEPS:
        return f'<p>save("film.mp4") films its {episode.length} steps.</p>'
    try:
        return episode.save()._repr_html_()
    except (ImportError, MemoryError, RuntimeError, ValueError) as error:
        return f"<p>Not drawn: {html.escape(str(error))}</p>"
