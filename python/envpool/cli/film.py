"""``python -m envpool film``: moving pictures of a task, as a GIF or a video."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import envpool
from envpool.cli.arguments import (
    FpsOption,
    OptionArguments,
    TaskArgument,
    TitleOption,
    parse_options,
)
from envpool.cli.console import make_console, track
from envpool.cli.policies import POLICIES, load_policy
from envpool.films.files import check_path, write_film
from envpool.films.filming import USUAL_STEPS, Stage, shoot
from envpool.films.policies import policy_of


def film_task(
    task: TaskArgument,
    *,
    out: Annotated[
        Path, typer.Option(help="The file; its name ends in .gif or .mp4.", show_default=False)
    ],
    policy: Annotated[str, typer.Option(help=f"Who plays: {POLICIES}.")] = "random",
    steps: Annotated[
        int,
        typer.Option(min=0, help=f"How many steps; 0: {USUAL_STEPS}, or no limit with --episodes."),
    ] = 0,
    episodes: Annotated[
        int, typer.Option(min=0, help="End after this many, in all environments together.")
    ] = 0,
    fps: FpsOption = 0.0,
    title: TitleOption = False,
    seed: Annotated[int, typer.Option(min=0, help="That of the first environment.")] = 0,
    num_envs: Annotated[
        int, typer.Option(min=1, help="How many environments, side by side in a grid.")
    ] = 1,
    option: OptionArguments = None,
) -> None:
    """Film how a policy plays a task: write a GIF or a video."""
    steps = steps or (0 if episodes else USUAL_STEPS)
    check_path(out, "--out")
    pool = envpool.make_gymnasium(
        task, num_envs=num_envs, seed=seed, render_mode="rgb_array", **parse_options(option)
    )
    with pool:
        act = policy_of(load_policy(policy), pool, seed)
        stage = Stage(pool)
        shots = shoot(stage, act, steps or None, episodes or None, title)
        pictures = track(shots, "pictures", total=steps + 1 if steps else None)
        film = write_film(out, fps or None, stage.metadata, pictures)
    make_console().print(f"{film}; {stage.ended} episodes ended")
