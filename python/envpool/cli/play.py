"""``python -m envpool play``, in a window."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Any, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray

import envpool
from envpool.cli.arguments import OptionArguments, TaskArgument, parse_options
from envpool.cli.keyboard import keyboard_of
from envpool.cli.policies import POLICIES, load_policy
from envpool.films.files import USUAL_FPS
from envpool.films.filming import chosen
from envpool.films.policies import policy_of
from envpool.render.drawing import load_pygame
from envpool.render.window import Window
from envpool.spec import masks

_ROWS = 480  # of a window, about: small pictures are magnified
_NOT_OVER = np.zeros(1, bool)

# From an observation, its info and the keys that are held to an action; None waits. Episodes are
# not over then, because each end is followed by a reset.
_Player: TypeAlias = Callable[[Any, dict[str, Any], set[str]], Any]


def play_task(
    task: TaskArgument,
    *,
    policy: Annotated[str, typer.Option(help=f"Who plays instead of you: {POLICIES}.")] = "",
    seed: Annotated[
        int | None, typer.Option(min=0, help="The seed; by default a new one each time.")
    ] = None,
    zoom: Annotated[
        float,
        typer.Option(min=0.0, max=16.0, help="Window pixels per picture pixel; 0: by its size."),
    ] = 0.0,
    max_steps: Annotated[int, typer.Option(min=0, help="End after this many; 0: no limit.")] = 0,
    option: OptionArguments = None,
) -> None:
    """Play a task with the keyboard, or watch a policy play it, in real time."""
    seed = secrets.randbits(32) if seed is None else seed
    pool = envpool.make_gymnasium(
        task,
        num_envs=1,
        render_mode="rgb_array",
        autoreset_mode="Disabled",
        seed=seed,
        **parse_options(option),
    )
    with pool:
        first = pool.reset()
        picture = pool.render()[0]  # which alone tells the size of those that Python draws
        size = _window_size(picture, zoom)
        player = _make_player(pool, policy, seed)
        fps = pool.metadata.get("render_fps", USUAL_FPS)
        with closing(Window(f"{task} - envpool", fps)) as window:
            window.open(size)
            if why := window.why_unseen():
                raise RuntimeError(f"{why}: python -m envpool film needs none")
            typer.echo("escape ends it")
            window.show(picture)
            _play(pool, first, player, window, max_steps)


def _make_player(pool: envpool.GymnasiumEnvPool, policy: str, seed: int) -> _Player:
    if policy:
        act = policy_of(load_policy(policy), pool, seed)
        return lambda observation, info, held: chosen(
            act, int(info["elapsed_step"][0]) + 1, observation, info, _NOT_OVER
        )
    keyboard = keyboard_of(pool.spec)
    for line in keyboard.lines():
        typer.echo(line)

    def play(observation: Any, info: dict[str, Any], held: set[str]) -> Any:
        action = keyboard.action(held, pool.spec)
        if action is None:
            return None
        fields = pool.spec.spaces.action_fields
        allowed = masks.allowed(fields, action, observation, info, _NOT_OVER)
        return action if (allowed == action).all() else None

    return play


def _window_size(picture: NDArray[np.uint8], zoom: float) -> tuple[int, int]:
    height, width, _ = picture.shape
    factor = zoom or max(1, _ROWS // height)
    return max(1, round(width * factor)), max(1, round(height * factor))


def _play(
    pool: envpool.GymnasiumEnvPool,
    first: tuple[Any, dict[str, Any]],
    player: _Player,
    window: Window,
    max_steps: int,
) -> None:
    keys: set[str] = set()
    steps = length = 0
    episode, total = 1, 0.0
    observation, info = first

    def report(note: str = "") -> None:
        typer.echo(f"episode {episode}: return {total:g} in {length} steps{note}")

    while True:
        window.wait()
        held = read_keys(window, keys)
        if held is None or 0 < max_steps <= steps:
            break
        action = player(observation, info, held)
        if action is None:
            continue
        observation, reward, terminated, truncated, info = pool.step(action)
        window.show(pool.render()[0])
        steps, length, total = steps + 1, length + 1, total + float(reward.sum())
        if terminated[0] or truncated[0]:
            report()
            episode, length, total = episode + 1, 0, 0.0
            observation, info = pool.reset()
            window.show(pool.render()[0])
    if length:
        report(" so far")


def read_keys(window: Window, held: set[str]) -> set[str] | None:
    """Names the keys that are held, or were pressed since the last call; None at the end.

    The end is that somebody presses escape or closes the window.

    Args:
        window: Where they are pressed.
        held: Those that were held after the last call; kept up to date here.

    """
    pygame = load_pygame()
    seen = set(held)
    events = window.events()
    for event in events or []:
        if event.type == pygame.KEYDOWN:
            held.add(pygame.key.name(event.key))
            seen.add(pygame.key.name(event.key))
        elif event.type == pygame.KEYUP:  # SDL says so of all keys when another window is used
            held.discard(pygame.key.name(event.key))
    return None if events is None or "escape" in seen else seen
