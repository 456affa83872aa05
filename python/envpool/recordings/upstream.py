"""Gymnasium's own environment in the place of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.recordings.course import Course
from envpool.recordings.timeline import Event, Happening
from envpool.spec.env_spec import EnvSpec
from envpool.tasks.registration import registry


class UpstreamEnv:
    """One environment of Gymnasium's, as a pool of one that resets in the step after an end.

    Args:
        spec: What is recorded, for one environment.
        task_id: The task.

    Raises:
        ArgumentError: Gymnasium has no such environment, or none with these options.
        ImportError: What the environment needs is not installed.
    """

    def __init__(self, spec: EnvSpec, task_id: str) -> None:
        given, usual = spec.given_options_of(0), registry.make_spec(task_id).given_options_of(0)
        options = {name: value for name, value in given.items() if value != usual[name]}
        limit, mode = spec.config.max_episode_steps, spec.config.render_mode
        try:
            self._env: Any = gymnasium.make(
                task_id, max_episode_steps=limit, render_mode=mode, **options
            )
        except gymnasium.error.DependencyNotInstalled as error:
            raise ImportError(f"Gymnasium's {task_id} cannot be made: {error}") from error
        except (gymnasium.error.Error, TypeError) as error:
            raise ArgumentError(f"Gymnasium has no {task_id} with {options}: {error}") from error
        self._seed: int | None = spec.seeds()[0]
        self._is_over = True
        self._is_single = spec.observation_structure == "single"

    def restart(self, seed: int | None, options: dict[str, Any]) -> Any:
        """Resets it. Without a seed it goes on with its generator, which had one at first."""
        seed, self._seed = self._seed if seed is None else seed, None
        observation, _ = self._env.reset(seed=seed, options=options or None)
        self._is_over = False
        return self._shown(observation), {}

    def step(self, action: Any) -> Any:
        """Steps it, or resets it if its episode is over; it has no infos."""
        if self._is_over:
            observation, info = self.restart(None, {})
            return observation, np.zeros(1), np.zeros(1, bool), np.zeros(1, bool), info
        observation, reward, terminated, truncated, _ = self._env.step(_action(action))
        self._is_over = bool(terminated or truncated)
        ends = np.array([[terminated], [truncated]], bool)
        return self._shown(observation), np.array([reward], float), *ends, {}

    def render(self) -> NDArray[np.uint8]:
        """A picture of it, with an axis of length 1 in front."""
        picture: NDArray[np.uint8] = np.asarray(self._env.render())[None]
        return picture

    def close(self) -> None:
        """Ends it."""
        self._env.close()

    def _shown(self, observation: Any) -> Any:
        # Blackjack's three numbers are one array in EnvPool's dialect.
        if self._is_single and isinstance(observation, tuple):
            observation = np.array(observation)
        return _one(observation)


def _one(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {name: _one(value) for name, value in observation.items()}
    if isinstance(observation, tuple):
        return tuple(map(_one, observation))
    return np.asarray(observation)[None]


def _action(action: Any) -> Any:
    one = action[0]
    return int(one) if one.ndim == 0 and one.dtype.kind in "biu" else one


def find_upstream_course(happenings: Sequence[Happening]) -> Course:
    """The way to an episode from its environment's last seed.

    Args:
        happenings: What happened to its environment before its end.

    Raises:
        ArgumentError: There is none, because the environment was put into some state since, or
            was given other options.
    """
    seeded = [i for i, event in enumerate(happenings) if event.event == Event.SEEDED_RESET]
    since = seeded[-1] if seeded else 0
    if since and happenings[since - 1].event == Event.RESET_OPTIONS:
        since -= 1
    way = [event for event in happenings[since:] if event.event != Event.KEY_FRAME]
    if any(event.event == Event.OPTIONS for event in happenings):
        raise ArgumentError(
            "in_ is 'gymnasium', and set_attr() has changed the environment's options, which "
            "Gymnasium's cannot follow"
        )
    if any(event.event in (Event.STATE, Event.LOST) for event in way):
        raise ArgumentError(
            "in_ is 'gymnasium', and set_state() or close() has changed the environment since its "
            "last seed, which Gymnasium's cannot follow"
        )
    return Course([], None, way)
