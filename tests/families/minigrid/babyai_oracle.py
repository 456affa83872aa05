"""minigrid's own levels of BabyAI, and its bot that solves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from minigrid.envs.babyai import KeyInBox
from minigrid.envs.babyai.core.verifier import GoToInstr, Instr, ObjDesc
from minigrid.utils.baby_ai_bot import BabyAIBot, DisappearedBoxError

from helpers import Pair

_MOST_TRIES = 1000


class _LostError(Exception):
    """The bot searches for ever: it does so where it needs a key that it cannot come to."""


class _Bot(BabyAIBot):
    def replan(self, action_taken: Any = None) -> Any:
        self._searches = 0
        return super().replan(action_taken)

    def _breadth_first_search(self, *args: Any, **kwargs: Any) -> Any:
        self._searches += 1
        if self._searches > _MOST_TRIES:
            raise _LostError
        return super()._breadth_first_search(*args, **kwargs)


def _follow_bot(env: Any, instruction: Instr | None = None) -> Iterator[int]:
    """What the bot does until it says that it is done, for the level's own instruction or this."""
    own = env.instrs
    if instruction is not None:
        instruction.reset_verifier(env)
        env.instrs = instruction
    bot = _Bot(env)
    env.instrs = own
    while (action := bot.replan()) != env.actions.done:
        yield action


def solve(env: Any) -> Iterator[int]:
    """The actions of minigrid's bot, and before them what it cannot do by itself.

    Args:
        env: minigrid's level at the beginning of an episode, which makes these steps.
    """
    while env.carrying:
        is_free = env.grid.get(*env.front_pos) is None
        yield env.actions.drop if is_free else env.actions.right
    if isinstance(env, KeyInBox):
        yield from _follow_bot(env, GoToInstr(ObjDesc("box")))
        yield env.actions.toggle
    yield from _follow_bot(env)


class Solvers:
    """Plays minigrid's environments of a pair by :func:`solve`, and now and then at random.

    Attributes:
        lost: How often the bot did not know what to do; then the episode goes on at random.
    """

    def __init__(self, pair: Pair, noise: float = 0.0, seed: int = 0) -> None:
        self.pair, self.noise, self.lost = pair, noise, 0
        self._rng = np.random.default_rng(seed)
        self._plans = [iter(()) for _ in pair.theirs.envs]
        self._begin(np.ones(len(self._plans), bool))

    def _begin(self, begins: np.ndarray) -> None:
        for i in np.flatnonzero(begins):
            self._plans[i] = solve(self.pair.theirs.envs[i].unwrapped)

    def _action(self, i: int) -> int:
        action = int(self._rng.integers(7))
        if self._rng.random() < self.noise:
            return action
        try:
            return int(next(self._plans[i], action))
        except (AssertionError, DisappearedBoxError, _LostError):
            self.lost += 1
            self._plans[i] = iter(())
            return action

    def play(self, steps: int) -> tuple[int, int]:
        """Steps both and compares everything; the pair resets itself in the step after the last.

        Returns:
            How many episodes ended, and how many of them with success.
        """
        count = len(self._plans)
        ended = won = 0
        over = np.zeros(count, bool)
        for _ in range(steps):
            actions = np.array([0 if over[i] else self._action(i) for i in range(count)])
            _, reward, terminated, truncated, _ = self.pair.call("step", actions)
            self._begin(over)
            over = terminated | truncated
            ended += int(over.sum())
            won += int((np.asarray(reward) > 0).sum())
        return ended, won
