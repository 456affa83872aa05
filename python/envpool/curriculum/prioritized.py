"""Prioritized level replay: levels from which there is more to learn are played more often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.curriculum.levels import Level, as_episode, checked_levels, checked_number
from envpool.curriculum.schedules import Resumable, draw
from envpool.errors import ArgumentError, shown
from envpool.schedules import Episode
from envpool.spec.values import check_seed

_STRATEGIES = ("rank", "proportional")
_KEPT = 1000  # episodes of each environment whose levels are known


class PrioritizedLevels(Resumable):
    """The curriculum of Jiang et al. 2021, "Prioritized level replay" (PLR).

    The trainer gives scores to levels, such as the mean absolute advantage of an episode. While
    there are levels without a score, an episode has one of them with the probability
    ``1 - replay_prob``. Otherwise it has a level l with a score, with the probability
    ``(1 - staleness_coef) * P_S(l) + staleness_coef * P_C(l)``:

    - P_S is proportional to ``(1 / rank(l)) ** (1 / temperature)``, where the highest score has
      the rank 1, and the earlier of two equal ones the lower rank; or to
      ``score(l) ** (1 / temperature)``.
    - P_C is proportional to the number of scores that others have got since l got its own.

    The paper counts episodes that were drawn since, of which each gets a score. So nothing changes
    between two scores: what is drawn for an episode is a function of the scores before, of the
    environment, and of the episode's index.

    Args:
        levels: Seeds, dicts of reset options, or Episodes.
        strategy: What P_S goes by, ``"rank"`` or ``"proportional"`` to the score.
        temperature: Low ones prefer the highest scores more.
        staleness_coef: How much P_C counts, of 1.
        replay_prob: How likely it is that an episode has a level with a score.
        seed: Of the draws.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value (also a ValueError).
    """

    def __init__(
        self,
        levels: Iterable[Level],
        strategy: str = "rank",
        temperature: float = 0.1,
        staleness_coef: float = 0.1,
        replay_prob: float = 0.5,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if strategy not in _STRATEGIES:
            raise ArgumentError(f"strategy is {shown(strategy)}, expected 'rank' or 'proportional'")
        self._levels = checked_levels(levels)
        self._by_rank = strategy == "rank"
        self._power = 1 / checked_number("temperature", temperature, positive=True)
        self._staleness = checked_number("staleness_coef", staleness_coef, most=1)
        self._replay = checked_number("replay_prob", replay_prob, most=1)
        self._seed = check_seed(seed)
        self._scores = np.full(len(self._levels), np.nan)  # NaN: it has none
        self._scored = np.zeros(len(self._levels), np.int64)  # the count at its last score
        self._count = 0
        self._drawn: dict[int, dict[int, int]] = {}  # by environment and number of episode

    def next(self, env_id: int, index: int) -> Episode:
        """See :class:`envpool.curriculum.Schedule`."""
        number = self._ask(env_id, index)
        ends = np.cumsum(self.weights())
        place = draw(self._seed, env_id, number) * ends[-1]
        level = int(np.searchsorted(ends, place, side="right"))
        drawn = self._drawn.setdefault(int(env_id), {})
        drawn.pop(number, None)
        drawn[number] = level
        if len(drawn) > _KEPT:
            del drawn[next(iter(drawn))]
        return as_episode(self._levels[level])

    def level_of(self, env_id: int, index: int) -> int:
        """Returns the level that an episode has, as an index into ``levels``.

        The pool asks for an episode when the one before it begins. So the level of the episode
        that runs is not the one that was drawn last, and a trainer counts the episodes.

        Args:
            env_id: The environment.
            index: Which of its episodes, from 0 in each pool.

        Raises:
            ArgumentError: It is not one of the last 1000 that this environment has asked for.
        """
        try:
            return self._drawn[env_id][self._number(env_id, index)]
        except KeyError:
            raise ArgumentError(
                f"index is {shown(index)}, expected one of the last {_KEPT} episodes that "
                f"environment {shown(env_id)} has got from here"
            ) from None

    def update(self, level: int, score: float) -> None:
        """Gives a level a score, instead of the one that it has.

        Args:
            level: An index into ``levels``, as ``level_of`` returns it.
            score: A high one if there is much to learn; at least 0 for ``"proportional"``.

        Raises:
            TypeError: An argument has a wrong type.
            ArgumentError: There is no such level, or the score is not allowed.
        """
        if check_seed(level, "level") >= len(self._levels):
            raise ArgumentError(f"level is {level}, expected level < {len(self._levels)}")
        score = checked_number("score", score, -np.inf if self._by_rank else 0.0)
        self._count += 1
        self._scores[level], self._scored[level] = score, self._count

    def weights(self) -> NDArray[np.float64]:
        """Returns how likely the levels are in the next draw: shape ``(len(levels),)``, sum 1."""
        seen = ~np.isnan(self._scores)
        if not seen.any():
            return _normalized(np.zeros(len(seen)))
        scored = _normalized(self._priorities(self._scores[seen]))
        stale = _normalized(self._count - self._scored[seen])
        replayed = 1.0 if seen.all() else self._replay
        weights = np.full(len(seen), (1 - replayed) / max(1, np.sum(~seen)))
        weights[seen] = replayed * ((1 - self._staleness) * scored + self._staleness * stale)
        return weights

    def _priorities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._by_rank:
            priorities = np.empty(len(scores))
            priorities[np.argsort(-scores, kind="stable")] = 1 / np.arange(1, len(scores) + 1)
        else:
            priorities = scores / (scores.max() or 1)  # whose powers are not too large
        return priorities**self._power

    def _state(self) -> dict[str, Any]:
        return {
            "scores": [None if np.isnan(score) else score for score in self._scores.tolist()],
            "scored": self._scored.tolist(),
            "count": self._count,
        }

    def _load(self, state: Mapping[str, Any]) -> None:
        scores = np.array(state["scores"], np.float64)  # None becomes NaN
        scored = np.array(state["scored"], np.int64)
        count = int(state["count"])
        if len(scores) != len(self._levels):
            raise ArgumentError(
                f"the state is of {len(scores)} levels, expected {len(self._levels)}"
            )
        self._scores, self._scored, self._count = scores, scored, count
        self._drawn = {}


def _normalized(values: NDArray[Any]) -> NDArray[np.float64]:
    """The values as shares of their sum; equal shares, if all are 0."""
    total = values.sum()
    return values / total if total > 0 else np.full(len(values), 1 / len(values))
