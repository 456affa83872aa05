"""``python -m envpool evaluate``: how good a policy is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import envpool
from envpool.cli.arguments import OptionArguments, TaskArgument, parse_options
from envpool.cli.policies import POLICIES, load_policy
from envpool.evaluation.running import USUAL_ENVS


class Which(StrEnum):
    """An episode that is worth seeing."""

    BEST = "best"
    WORST = "worst"


def evaluate_task(
    task: TaskArgument,
    *,
    policy: Annotated[str, typer.Option(help=f"Who plays: {POLICIES}.")] = "random",
    episodes: Annotated[int, typer.Option(min=1, help="How many.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="That of the first episode.")] = 0,
    num_envs: Annotated[
        int, typer.Option(min=1, help="How many environments play at once.")
    ] = USUAL_ENVS,
    csv: Annotated[
        Path | None, typer.Option(help="A file for a table of the episodes.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="A file for a picture of the returns.", show_default=False)
    ] = None,
    film: Annotated[
        list[Which] | None,
        typer.Option(help="Film this episode, in best.mp4 or worst.mp4.", show_default=False),
    ] = None,
    option: OptionArguments = None,
) -> None:
    """Evaluate a policy: exactly so many episodes, each with a seed of its own."""
    for path in (csv, plot):
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"there is no folder {str(path.parent)!r} for {path.name}")
    if film and policy == "random":
        raise ValueError("--film needs a --policy: random actions differ from film to film")
    options = parse_options(option)
    act = load_policy(policy)
    count = min(num_envs, episodes)
    result = envpool.evaluate(
        act, task, episodes, seed, num_envs=count, batch_size=count, **options
    )
    if csv is not None:
        result.to_csv(csv)
    if plot is not None:
        result.plot(plot)
    typer.echo(result)
    for which in film or ():
        episode = getattr(result, which)
        filmed = envpool.film(
            task,
            act,
            path=f"{which}.mp4",
            episodes=1,
            title=True,
            seed=int(result.seeds[episode]),
            **options,
        )
        typer.echo(f"{which} episode, seed {result.seeds[episode]}: {filmed}")
