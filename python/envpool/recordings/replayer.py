"""Replayer: does to the environments of a pool what was done to recorded ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import EnvironmentFailure
from envpool.recordings.chunks import Event
from envpool.recordings.tape import Row, Run, Tape
from envpool.recordings.timeline import Happening, Step

Ended = tuple[int, Run]  # an environment, and its episode


class Replayer:
    """Plays happenings once more, and cuts episodes out of the results.

    Args:
        pool: A new pool, which resets environments in the step after an episode's end; see
            :mod:`envpool.recordings.pools`.
        places: The number in the pool of each recorded environment. One that fails is alone, and so
            is one of several players.
        resets_at_once: True if the recorded pool reset them in the step that ended an episode.

    Attributes:
        tapes: The rows of each environment's episode so far.
        draws: True to give each row from now on a picture.
    """

    def __init__(self, pool: Any, places: Mapping[int, int], resets_at_once: bool) -> None:
        self._pool = pool
        self._places = np.zeros(max(places) + 1, np.int32)
        self._places[[*places]] = [*places.values()]
        self._resets_at_once = resets_at_once
        self.tapes = {env: Tape() for env in places}
        self.draws = False
        self._reset_options: dict[int, dict[str, Any]] = {}
        self._has_failed = False

    def play(self, item: Happening | Step) -> list[Ended]:
        """Plays what happened next; returns the episodes that it has ended.

        Raises:
            RuntimeError: What happened was not recorded, or goes otherwise.
        """
        if isinstance(item, Step):
            return self._step(item)
        event, place = item.event, int(self._places[item.env])
        if item.is_reset:
            return self._reset(item.env, item.seed)
        if event == Event.RESET_OPTIONS:
            self._reset_options[item.env] = item.options
        elif event == Event.NEXT:
            self._pool.choose(item.next_episode, place)
        elif event == Event.OPTIONS:
            self._pool.change(item.options, place)
        elif event == Event.STATE:
            self._pool.set_state([item.content], [place])
            observation, info = self._pool.observe()
            rows = Row(observation, info, (), self._draw())
            self.tapes[item.env].move(rows if len(self.tapes) == 1 else rows.of(place))
            self._has_failed = False
        elif event == Event.LOST:
            raise RuntimeError(f"this part of the recording cannot be replayed: {item.text}")
        return []

    def _reset(self, env: int, seed: int | None) -> list[Ended]:
        options = self._reset_options.pop(env, {})
        self._has_failed = False
        try:
            observation, info = self._pool.restart(seed, options, int(self._places[env]))
        except EnvironmentFailure as failure:
            self.tapes[env].is_over = True
            return [self._fail(env, failure, ())]
        self.tapes[env].begin(Row(observation, info, (), self._draw()))
        return []

    def _step(self, step: Step) -> list[Ended]:
        env, actions = int(step.envs[0]), step.actions
        if self._has_failed:
            raise RuntimeError("the environment has failed, which it did not when it was recorded")
        try:
            over = self._step_once(step.envs, actions)
        except EnvironmentFailure as failure:
            return [self._fail(env, failure, actions)]
        ended = [(own, self.tapes[own].take()) for own in step.envs[over].tolist()]
        if self._resets_at_once and ended:
            if len(over) > 1:
                actions = tuple(field[over] for field in actions)  # which are ignored
            try:
                self._step_once(step.envs[over], actions)
            except EnvironmentFailure as failure:  # which is how the episode has ended
                ended[-1][1].failure = self._fail(env, failure, ())[1].failure
        return ended

    def _step_once(
        self, envs: NDArray[np.int32], actions: tuple[NDArray[Any], ...]
    ) -> NDArray[np.bool_]:
        """Steps environments. Returns whose episode is over."""
        action = actions[0] if len(actions) == 1 else actions
        observation, *ends, info = self._pool.step(action, self._places[envs])
        rows = Row(observation, info, (*ends, *actions), self._draw())
        for index, env in enumerate(envs.tolist()):
            self.tapes[env].add(rows if len(envs) == 1 else rows.of(index))
        over: NDArray[np.bool_] = ends[1] | ends[2]
        return over

    def _draw(self) -> Any:
        return self._pool.render() if self.draws else None

    def _fail(self, env: int, failure: EnvironmentFailure, action: tuple[Any, ...]) -> Ended:
        if len(self.tapes) > 1:
            raise failure
        self._has_failed = True
        return env, self.tapes[env].fail(failure.messages[0], action)
