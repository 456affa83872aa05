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
from envpool.cli.policies import POLICIES, load_policy
from envpool.films.filming import USUAL_STEPS


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
    pool = envpool.make_gymnasium(
        task, num_envs=num_envs, seed=seed, render_mode="rgb_array", **parse_options(option)
    )
    with pool:
        film = envpool.film(
            pool,
            load_policy(policy),
            path=out,
            steps=steps or None,
            episodes=episodes or None,
            fps=fps or None,
            title=title,
            seed=seed,
        )
    typer.echo(film)
