"""``python -m envpool evaluate``: how good a policy is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import envpool
from envpool.cli.console import OptionArguments, TaskArgument, make_console, parse_options
from envpool.cli.policies import POLICIES, make_policy
from envpool.evaluation.running import NEEDED, USUAL_ENVS, of_policy, play

# Options that have an argument of their own here, or that the command sets itself.
_ARGUMENTS = {
    "seed": "--seed",
    "num_envs": "--num-envs",
    **dict.fromkeys(("batch_size", *NEEDED), ""),
}


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
    option: OptionArguments = None,
) -> None:
    """Evaluate a policy: exactly so many episodes, each with a seed of its own."""
    for path in (csv, plot):
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"there is no folder {str(path.parent)!r} for {path.name}")
    options = parse_options(option, _ARGUMENTS)
    count = min(num_envs, episodes)
    with envpool.make_gymnasium(task, num_envs=count, **options | NEEDED) as pool:
        result = play(pool, of_policy(make_policy(policy, pool.spec, seed)), episodes, seed)
    if csv is not None:
        result.to_csv(csv)
    if plot is not None:
        result.plot(plot)
    make_console().print(str(result))
