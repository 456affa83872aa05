"""``python -m envpool record``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import envpool
from envpool.cli.options import OptionArguments, finite, parse_options, refuse_options
from envpool.cli.output import errors_as_messages, make_console, make_progress
from envpool.cli.policies import Policy, make_policy
from envpool.cli.video import WRITERS, Writer, check_out
from envpool.spec.memory import require_memory

# Options that have an argument of their own here, or that the command sets itself.
_ARGUMENTS = {
    "seed": "--seed",
    "num_envs": "--num-envs",
    **dict.fromkeys(("batch_size", "render_mode", "autoreset_mode"), ""),
}
_FPS = 30  # of tasks that have no time of their own
_STEPS = 300


def record_task(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole-v1.", show_default=False)],
    *,
    out: Annotated[
        Path, typer.Option(help="The file; its name ends in .gif or .mp4.", show_default=False)
    ],
    policy: Annotated[
        str, typer.Option(help="Who plays: random, MODULE:FUNCTION, or ppo.py:load:FILE.")
    ] = "random",
    steps: Annotated[
        int, typer.Option(min=0, help=f"How many steps; 0: {_STEPS}, or no limit with --episodes.")
    ] = 0,
    episodes: Annotated[
        int, typer.Option(min=0, help="End after this many, in all environments together.")
    ] = 0,
    fps: Annotated[
        float,
        typer.Option(min=0.0, callback=finite, help="Frames per second; 0: the task's own rate."),
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="That of the first environment.")] = 0,
    num_envs: Annotated[
        int, typer.Option(min=1, help="How many environments, side by side in a grid.")
    ] = 1,
    option: OptionArguments = None,
) -> None:
    """Record how a policy plays a task, as a GIF or a video."""
    with errors_as_messages():
        check_out(out)
        options = parse_options(option or ())
        refuse_options(options, _ARGUMENTS)
        pool = envpool.make_gymnasium(
            task, num_envs=num_envs, seed=seed, render_mode="rgb_array", **options
        )
    with pool:
        with errors_as_messages():
            act = make_policy(policy, pool.spec, seed)
            kind = WRITERS[out.suffix.lower()]
            if not episodes:
                _require_memory(kind, pool, steps or _STEPS)
            rate = fps or min(pool.metadata.get("render_fps", _FPS), kind.most_fps)
            writer = kind(out, rate)
        with _completing(writer):
            ended = _record(pool, act, writer, steps or (0 if episodes else _STEPS), episodes)
    seconds = writer.count / rate
    make_console().print(
        f"{out}: {writer.count} pictures, {seconds:.1f} s at {rate:g} per second; "
        f"{ended} episodes ended"
    )


def _require_memory(kind: type[Writer], pool: envpool.GymnasiumEnvPool, steps: int) -> None:
    width, height = pool.spec.frame_size
    need = steps * pool.num_envs * width * height * kind.kept_per_pixel
    require_memory(need, f"{steps} pictures in one file need", ["--steps"])


@contextmanager
def _completing(writer: Writer) -> Iterator[None]:
    """Complete the file also after an error and Ctrl-C."""
    try:
        yield
    finally:
        with errors_as_messages():
            writer.close()


def _record(
    pool: envpool.GymnasiumEnvPool, act: Policy, writer: Writer, steps: int, episodes: int
) -> int:
    """Step until the limits, of which 0 is none; returns how many episodes ended."""
    draw = _drawing(pool, writer)
    ended = taken = 0
    with make_progress() as progress:
        bar = progress.add_task("steps" if steps else "episodes", total=steps or episodes)
        observation, info = pool.reset()
        draw()
        while not (0 < steps <= taken or 0 < episodes <= ended):
            action = act(observation, info)
            with errors_as_messages():
                observation, _, terminated, truncated, info = pool.step(action)
            draw()
            taken += 1
            ended += int((terminated | truncated).sum())
            progress.update(bar, completed=taken if steps else ended, refresh=True)
    return ended


def _drawing(pool: envpool.GymnasiumEnvPool, writer: Writer) -> Callable[[], None]:
    def draw() -> None:
        with errors_as_messages():
            writer.add(grid(pool.render(pool.all_env_ids)))

    return draw


def grid(frames: NDArray[np.uint8]) -> NDArray[Any]:
    """Put pictures side by side, in rows about as long as there are rows; the rest is black.

    Args:
        frames: Of shape ``(n, height, width, 3)``.

    Returns:
        One picture, of shape ``(rows * height, columns * width, 3)``.

    """
    count, height, width, channels = frames.shape
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    cells = np.zeros((rows * columns, height, width, channels), np.uint8)
    cells[:count] = frames
    split = cells.reshape(rows, columns, height, width, channels)
    return split.swapaxes(1, 2).reshape(rows * height, columns * width, channels)
