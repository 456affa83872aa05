"""``python -m envpool replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from envpool.cli.arguments import FpsOption, TitleOption
from envpool.cli.console import make_console, make_table, number_column, track
from envpool.films.files import write_film
from envpool.recordings.episode import Episode
from envpool.recordings.recording import Recording, replay
from envpool.workers.factories import function_of

_SHOWN = 20  # episodes in a list


def replay_recording(
    path: Annotated[
        Path,
        typer.Argument(help="The folder that make(..., record=...) wrote.", show_default=False),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a video of the episodes: a file name that ends in .gif or .mp4."),
    ] = None,
    best: Annotated[
        int | None, typer.Option(min=1, help="This many with the highest returns.")
    ] = None,
    episode: Annotated[
        list[int] | None, typer.Option(help="The episode with this number; repeatable.")
    ] = None,
    env: Annotated[int | None, typer.Option(min=0, help="Only those of this environment.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many to list, the last ones.")] = _SHOWN,
    fps: FpsOption = 0.0,
    title: TitleOption = False,
    make: Annotated[
        str | None,
        typer.Option(
            help="What makes environments written in Python: Module:Name of a class or function, "
            "or an id of Gymnasium's registry."
        ),
    ] = None,
) -> None:
    """List the episodes of a recording, or make a video of some of them."""
    recording = replay(path, function_of(make))
    chosen = _choose(recording, best, episode or [], env)
    if out is not None:
        _film(recording, chosen, out, fps, title)
    else:
        _list(recording, chosen, count)


def _choose(
    recording: Recording, best: int | None, numbers: list[int], env: int | None
) -> list[Episode]:
    """The episodes that were asked for; all, if none were.

    Raises:
        ValueError: There is no such episode, or what was asked contradicts itself.
    """
    if sum((best is not None, bool(numbers), env is not None)) > 1:
        raise ValueError("--best, --episode and --env are given together, expected one of them")
    if best is not None:
        return recording.best(best)
    try:
        if numbers:
            return [recording[number] for number in numbers]
    except IndexError as error:
        raise ValueError(f"--episode: {error}") from None
    rows = recording.episodes
    chosen = rows if env is None else rows[rows["env"] == env]
    return [recording[int(number)] for number in chosen["episode"]]


def _list(recording: Recording, episodes: list[Episode], count: int) -> None:
    console = make_console()
    console.print(f"{recording.task}, {recording.num_envs} environments: {len(recording)} episodes")
    if not episodes:
        return
    rows = np.array([episode.row for episode in episodes], recording.episodes.dtype)
    returns = rows["return"]
    console.print(
        f"returns: mean {returns.mean():.6g}, least {returns.min():.6g}, most {returns.max():.6g}"
    )
    shown = np.sort(rows, order="episode")[-count:]
    before = map(number_column, ("episode", "env", "return", "length"))
    table = make_table(*before, "end", *map(number_column, ("call", "seed")), "task")
    tasks = {episode.env: episode.task for episode in episodes}
    for row in shown:
        table.add_row(
            str(row["episode"]),
            str(row["env"]),
            f"{row['return']:.6g}",
            str(row["length"]),
            row["end"],
            str(row["end_call"]),
            str(row["seed"]),
            tasks[int(row["env"])],
        )
    console.print(table)
    if len(shown) < len(rows):
        console.print(f"the last {len(shown)} of {len(rows)}")


def _film(
    recording: Recording, episodes: list[Episode], out: Path, fps: float, title: bool
) -> None:
    if not episodes:
        raise ValueError(f"there is no episode in {recording.path}")
    watched = track(episodes, "episodes")
    pictures = (picture for episode in watched for picture in episode.pictures(title=title))
    film = write_film(out, fps or None, recording.spec.pictures.metadata, pictures)
    console = make_console()
    for episode in episodes:
        console.print(str(episode))
    console.print(str(film))
