"""Filming: how a policy plays, picture by picture."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from envpool.errors import ArgumentError, described, shown
from envpool.films.files import Film, check_path, write_film
from envpool.films.pictures import grid, titled
from envpool.films.policies import Policy, policy_of
from envpool.flavours.base import EnvPool
from envpool.spec.values import integer
from envpool.tasks.registration import make_gymnasium

USUAL_STEPS = 300
_RGB = 4  # axes of a batch of pictures


def film(
    pool_or_task: Any,
    policy: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    steps: int | None = None,
    episodes: int | None = None,
    fps: float | None = None,
    title: bool = False,
    seed: int = 0,
    **options: Any,
) -> Film:
    """Films how a policy plays: writes a GIF or a video, and returns what a notebook shows.

    Args:
        pool_or_task: A task's id; or a pool that was made with ``render_mode="rgb_array"`` and is
            synchronous, in Gymnasium's API: any vector environment. It is reset first, and stays
            open where the film ends. Several environments are shown in a grid.
        policy: Who plays, as for :func:`envpool.evaluate`. None: random actions.
        path: The file; its name ends in .gif or .mp4. If left out, it is an .mp4 that lives as long
            as the result.
        steps: How many; by default 300, or no limit with ``episodes``.
        episodes: End after this many, in all environments together.
        fps: Pictures per second; by default the task's own rate, as far as such a file can have it.
        title: True to write the task, the step and the return so far above each picture.
        seed: Of random actions, and of the pool that is made of a task's id.
        **options: Of that pool, such as ``num_envs=9``.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value, or such a pool cannot be filmed (also a ValueError).
        RuntimeError: The policy failed, with its exception as ``__cause__``; or the file cannot be
            written. Until then, what there is is in ``path``.
        ImportError: What writes or draws is missing: ``pip install "envpool-next[render]"``.
        envpool.errors.EnvironmentFailure: An environment failed.
    """
    if path is not None:
        check_path(path)
    for name, limit in (("steps", steps), ("episodes", episodes)):
        if limit is not None:
            integer(name, limit, 0, sys.maxsize)
    steps = USUAL_STEPS if steps is None and episodes is None else steps
    own = {"seed": seed, "render_mode": "rgb_array"} if isinstance(pool_or_task, str) else {}
    with pool_of(pool_or_task, own | options) as pool:
        stage = Stage(pool)
        shots = shoot(stage, policy_of(policy, pool, seed), steps, episodes, title)
        return write_film(path, fps, stage.metadata, shots)


def pool_of(pool_or_task: Any, options: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """The pool, which stays open; or one that is made of a task's id, and closed at last.

    Args:
        pool_or_task: One of them.
        options: Of the pool that is made.

    Raises:
        TypeError: There are options, and it is a pool.
    """
    if isinstance(pool_or_task, str):
        return make_gymnasium(pool_or_task, **options)
    if options:
        raise TypeError(f"there are options ({', '.join(options)}), and the pool is made already")
    return nullcontext(pool_or_task)


def shoot(
    stage: Stage, act: Policy, steps: int | None, episodes: int | None, title: bool = False
) -> Iterator[NDArray[np.uint8]]:
    """Yields pictures, RGB, until one of the limits is reached, of which None is none.

    Args:
        stage: Where.
        act: Who.
        steps: The most steps.
        episodes: After how many it ends, in all environments together.
        title: See :func:`film`.

    Raises:
        RuntimeError: The policy failed.
    """
    observation, info = stage.reset()
    taken = 0
    while True:
        yield stage.picture(title)
        if taken == steps or (episodes is not None and stage.ended >= episodes):
            return
        taken += 1
        observation, info = stage.step(chosen(act, taken, observation, info, stage.is_over))


def chosen(act: Callable[..., Any], step: int, *seen: Any) -> Any:
    """The actions of a policy.

    Args:
        act: The policy, or what else plays.
        step: The number of the step, for the message.
        *seen: What the policy gets.

    Raises:
        RuntimeError: It failed; the message says in which line, if that is code of its own.
        ArgumentError: A mask is wrong, which is the environment's fault.
    """
    try:
        return act(*seen)
    except ArgumentError:
        raise
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)[1:]
        own = [place for place in places if "site-packages" not in place.filename]
        where = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
        message = f"the policy failed at step {step}: {described(error)}{where}"
        raise RuntimeError(message) from error


class Stage:
    """A pool as a film sees it.

    Args:
        pool: See :func:`film`.

    Attributes:
        metadata: In which the task's rate of pictures is, if it has one.
        ended: How many episodes have ended.
        is_over: Whose episode has ended with the last results.

    Raises:
        TypeError: It is no pool of Gymnasium's API.
        ArgumentError: It draws no pictures, or cannot go on from episode to episode.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._inner = getattr(pool, "unwrapped", pool)
        if not isinstance(self._inner, VectorEnv):
            raise TypeError(
                f"pool_or_task is {shown(pool)}, expected a pool of Gymnasium's API or a task's id"
            )
        self._count: int = pool.num_envs
        self.metadata: dict[str, Any] = self._inner.metadata
        self._require_what_films_need()
        self._names = self._tasks()
        self.ended = 0
        self._totals, self._steps = np.zeros(self._count), np.zeros(self._count, int)
        self.is_over = np.zeros(self._count, bool)

    def _require_what_films_need(self) -> None:
        """Refuses a pool without pictures, or whose steps return no row of each environment."""
        if self._inner.render_mode != "rgb_array":
            raise ArgumentError(
                f"the pool's render_mode is {self._inner.render_mode!r}, expected 'rgb_array': "
                "give it to make()"
            )
        if getattr(self._inner, "is_async", False):
            raise ArgumentError(
                "the pool's batch_size is less than its num_envs, expected a synchronous pool: "
                "a film shows all environments after each step"
            )
        mode = getattr(self._inner, "config", {}).get("autoreset_mode")
        mode = mode or getattr(self.metadata.get("autoreset_mode"), "value", "")
        if mode == "Disabled":
            raise ArgumentError(
                "the pool's autoreset_mode is 'Disabled', expected 'NextStep' or 'SameStep': a "
                "film goes on with the next episode"
            )
        self._resets_at_once = mode == "SameStep"

    def _tasks(self) -> list[str]:
        """The task of each environment, for titles."""
        spec: Any = self._inner.spec
        if hasattr(spec, "place_of"):
            places = [spec.place_of(env)[0] for env in range(self._count)]
            return [str(place.id or place.known.name) for place in places]
        return [str(getattr(spec, "id", None) or type(self._inner).__name__)] * self._count

    def reset(self) -> tuple[Any, Any]:
        """Starts episodes: the observations and their info."""
        observation, info = self._pool.reset()
        return observation, {"elapsed_step": self._steps.copy()} | info

    def step(self, action: Any) -> tuple[Any, Any]:
        """Takes a step: the observations and their info."""
        observation, reward, terminated, truncated, info = self._pool.step(action)
        has_owners = isinstance(self._inner, EnvPool) and "players" in info
        owners = info["players"]["env_id"] if has_owners else np.arange(self._count)
        self._totals += np.bincount(owners, np.asarray(reward, float), self._count)
        self._steps += 1
        is_over = np.logical_or(terminated, truncated)
        self.ended += int(is_over.sum())
        begins = is_over if self._resets_at_once else self.is_over
        self._totals[begins] = self._steps[begins] = 0
        self.is_over = is_over
        return observation, {"elapsed_step": self._steps.copy()} | info

    def picture(self, title: bool) -> NDArray[np.uint8]:
        """A picture of all environments, perhaps with titles.

        Raises:
            ArgumentError: They draw none.
        """
        frames = self._frames()
        if title:
            rows = zip(frames, self._names, self._steps, self._totals, strict=True)
            frames = np.stack([titled(*row) for row in rows])
        return grid(frames)

    def _frames(self) -> NDArray[np.uint8]:
        if isinstance(self._inner, EnvPool):
            frames: NDArray[np.uint8] = self._inner.render(self._inner.all_env_ids)
            return frames
        frames = np.stack([np.asarray(picture) for picture in self._pool.render()])
        if frames.dtype != np.uint8 or frames.ndim != _RGB:
            raise ArgumentError(
                f"the pool draws {frames.dtype} of shape {frames.shape}, expected a picture of "
                "each environment: uint8 of shape (height, width, 3)"
            )
        return frames
