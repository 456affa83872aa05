"""Plays the episodes of an evaluation: each has its environment and its seed by its number."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.evaluation.evaluation import Evaluation
from envpool.films.filming import chosen
from envpool.films.policies import Policy, policy_of
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.fields import map_leaves, with_rows
from envpool.spec.values import check_seed, integer
from envpool.tasks.registration import make_gymnasium

USUAL_ENVS = 32
NEEDED = {"autoreset_mode": "NextStep", "record_episode_statistics": True}
_SUCCESS = ("success", "is_success")
_MOST_SEED = 2**63 - 1
_MOST_STEPS = 16  # that wait to be noted, each of which keeps the memory of a batch


def evaluate(
    policy: Any,
    task_or_pool: Any,
    episodes: int = 200,
    seed: int = 0,
    **options: Any,
) -> Evaluation:
    """Plays a number of episodes, and says how good the policy is.

    Episode k begins as by ``reset(seed=seed + k)``, in the environment k modulo ``num_envs``. So
    there are exactly as many as were asked for, long ones as well as short ones, and the results of
    a policy that is a function of the observation do not depend on the number of environments,
    threads or workers. They are those of a loop over Gymnasium's single environment.

    An episode in which the environment fails is played once more with the same seed, and counted
    as failed if that fails, too. Ctrl-C returns the episodes that are finished.

    Args:
        policy: A function that gets a batch of observations, with a row for each environment, and
            returns their actions. If it takes two arguments, it also gets the info. Or an object
            with Stable-Baselines3's ``predict``, which may be recurrent; its actions are its
            deterministic ones. Or a ``torch.nn.Module``, which gets tensors (those of floats in the
            type of its parameters, and on their device), and returns actions of a Box, or a logit
            for each action of a Discrete, of which the largest counts; it is called in eval mode.
            None: random actions. The rows of environments that have played all their episodes stay
            as they were, and actions for them are not used. (With several players, only those who
            were stepped last have rows.)
        task_or_pool: A task's id; or a synchronous pool of Gymnasium's API that was made by
            ``envpool.make`` or ``make_python`` with ``record_episode_statistics=True``, and
            resets in the step after an episode's end, as usual. It stays open.
        episodes: How many, at least 1.
        seed: That of the first one.
        **options: Of the pool that is made of a task's id, such as ``gravity=1.6``; by default it
            has ``num_envs=32``, or as many as there are episodes.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value, or such a pool cannot be evaluated (also a ValueError).
        RuntimeError: The policy failed, with its exception as ``__cause__``.
        envpool.errors.EnvironmentFailure: An environment failed in its first reset.
    """
    integer("episodes", episodes, 1, sys.maxsize)
    check_seed(seed, "seed")
    integer("seed", seed, 0, _MOST_SEED - episodes)
    if isinstance(task_or_pool, str):
        with make_pool(task_or_pool, episodes, seed, **options) as pool:
            return play(pool, policy_of(policy, pool, seed), episodes, seed, is_scheduled=True)
    _check_pool(task_or_pool)
    if options:
        raise TypeError(f"there are options ({', '.join(options)}), and the pool is made already")
    return play(task_or_pool, policy_of(policy, task_or_pool, seed), episodes, seed)


def make_pool(task: str, episodes: int, seed: int, **options: Any) -> GymnasiumEnvPool:
    """A pool of this task whose environments begin their episodes of an evaluation by themselves.

    Raises:
        TypeError, ValueError, KeyError: As for :func:`envpool.make`.
    """
    options = {"num_envs": min(USUAL_ENVS, episodes)} | options | NEEDED
    count = integer("num_envs", options["num_envs"], 1)
    each = -(-episodes // count)
    seeds = seed + np.arange(each * count).reshape(each, count).T % episodes
    return make_gymnasium(task, episodes=seeds, **options)


def play(
    pool: GymnasiumEnvPool, act: Policy, episodes: int, seed: int, *, is_scheduled: bool = False
) -> Evaluation:
    """Plays the episodes of :func:`evaluate`.

    Args:
        pool: Was made with ``NEEDED``.
        act: Who plays.
        episodes: How many.
        seed: That of the first.
        is_scheduled: True if it is of :func:`make_pool`, with the same episodes and seed.
    """
    course = _Course(pool, act, episodes, seed, is_scheduled)
    try:
        course.run()
    except KeyboardInterrupt:
        course.note()
        if not course.is_done.any():
            raise
    finally:
        with contextlib.suppress(RuntimeError):  # some run still
            pool.next_episode()
    return course.results()


def _check_pool(pool: Any) -> None:
    if not isinstance(pool, GymnasiumEnvPool):
        raise TypeError(
            f"task_or_pool is {shown(pool)}, expected a task's id or a pool of "
            'envpool.make or make_python(..., env_type="gymnasium")'
        )
    needed = NEEDED | {"batch_size": pool.num_envs, "episodes": None}  # each step returns all rows
    for name, value in needed.items():
        if pool.config.get(name, value) != value:
            raise ArgumentError(f"the pool's {name} is {pool.config[name]!r}, expected {value!r}")


class _Course:
    """An evaluation under way; the arguments are those of :func:`play`.

    It goes on in rounds, of which there is one if nothing fails: in each, environments begin with
    the episode that they are to play now, and play all the others after it, or until they fail.

    Attributes:
        is_done: Which episodes are finished, or have failed for good.
    """

    def __init__(
        self, pool: GymnasiumEnvPool, act: Policy, episodes: int, seed: int, is_scheduled: bool
    ) -> None:
        self._pool, self._act, self._count, self._seed = pool, act, episodes, seed
        self._is_scheduled = is_scheduled
        self._players = pool.spec.spaces.most_players
        shape = (episodes, self._players)[: 1 + (self._players > 1)]
        self._returns = np.full(shape, np.nan)
        self._lengths = np.zeros(episodes, np.int64)
        self._successes: NDArray[np.bool_] | None = None
        self._failures = np.zeros(episodes, np.int64)  # at most 2
        self.is_done = np.zeros(episodes, bool)
        self._episode = np.arange(pool.num_envs)  # what each environment plays
        self._totals = np.zeros((pool.num_envs, self._players))  # only of several players
        self._ids = pool.all_env_ids  # who is stepped
        self._seen: Any = None  # observations, infos, and whose episode has ended with them
        self._waiting: list[tuple[NDArray[np.bool_], Any]] = []  # whose ends are not noted yet
        self._steps = 0

    def run(self) -> None:
        """Plays all episodes."""
        with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
            self._bar = progress.add_task("episodes", total=self._count)
            self._progress = progress
            while (ids := np.flatnonzero(self._episode < self._count)).size:
                self._begin(ids.astype(np.int32))
                while self._ids.size:
                    self._step()
                self._is_scheduled = False

    def _begin(self, ids: NDArray[np.int32]) -> None:
        """Begins a round of these environments."""
        if self._seen is None and self._players == 1:
            ids = self._pool.all_env_ids  # as policies get a row of each
        seeds = [self._seed + int(k) for k in self._episode[ids] % self._count]
        try:
            # What is scheduled comes without a seed.
            results = self._pool.reset(ids, seed=None if self._is_scheduled else seeds)
        except EnvironmentFailure as failure:
            if self._seen is None:  # there is no row for what was never reset
                raise
            self._fail(failure.to_reset)
            results = failure.results
        self._ids = ids[:0]
        if results is not None:
            observation, info = results
            self._ids = info["env_id"]
            self._see(observation, info, info["_episode"])
            self._ids = self._ids[self._episode[self._ids] < self._count]
            self._most_waiting = self._episodes_to_come()

    def _step(self) -> None:
        """Takes a step in the environments that play."""
        self._steps += 1
        action = chosen(self._act, self._steps, *self._seen)
        if len(self._ids) < len(self._seen[2]):
            action = self._of_those_who_play(action)
        failed: Any = ()
        try:
            results = self._pool.step(action, self._ids)
        except EnvironmentFailure as failure:
            self.note()
            failed, results = failure.to_reset, failure.results
            self._ids = np.setdiff1d(self._ids, failed)
            if results is None:
                self._fail(failed)
                return
        observation, reward, _, _, info = results
        has_ended = info["_episode"]
        if self._players > 1:
            owners, players = info["players"]["env_id"], _players(info["players"])
            np.add.at(self._totals, (owners, players), reward)
        if len(self._ids) == self._pool.num_envs:
            self._seen = observation, info, has_ended
        else:
            self._see(observation, info, has_ended)
        if np.count_nonzero(has_ended):
            self._waiting.append((has_ended, info))
            if len(self._waiting) >= self._most_waiting:
                self.note()
        if "_failure" in info:  # the pool goes on after failures
            failed = info["env_id"][info["_failure"]]
        if len(failed):
            self.note()
            self._fail(failed)

    def _see(self, observation: Any, info: Any, has_ended: NDArray[np.bool_]) -> None:
        """Shows the policy these rows of the environments that play."""
        num_envs = self._pool.num_envs
        if self._players > 1 or len(self._ids) == num_envs:
            self._seen = observation, info, has_ended
            return
        before, infos, _ = self._seen
        is_over = np.ones(num_envs, bool)
        is_over[self._ids] = has_ended
        infos = _merged(infos, num_envs, self._ids, info)
        self._seen = with_rows(before, self._ids, observation), infos, is_over

    def _of_those_who_play(self, action: Any) -> Any:
        """The rows of an action that are for environments that play."""
        info = self._seen[1]
        is_stepped = np.isin(info["env_id"], self._ids)
        plays = np.isin(info["players"]["env_id"], self._ids) if self._players > 1 else is_stepped

        def those(array: Any) -> Any:
            rows = np.asarray(array)
            return rows[plays if len(rows) == len(plays) else is_stepped]

        return map_leaves(those, action)

    def note(self) -> None:
        """Notes how episodes have ended, and goes on to the next ones."""
        if not self._waiting:
            return
        ids, num_envs = self._ids, self._pool.num_envs
        has_ended = np.array([ended for ended, _ in self._waiting])
        ends = has_ended.cumsum(axis=0)
        steps, rows = has_ended.nonzero()
        episode = self._episode[ids[rows]] + (ends[steps, rows] - 1) * num_envs
        infos = [info for _, info in self._waiting]
        if self._players > 1:
            self._returns[episode] = self._totals[ids[rows]]
            self._totals[ids[rows]] = 0
        else:
            self._returns[episode] = np.array([info["episode"]["r"] for info in infos])[has_ended]
        self._lengths[episode] = np.array([info["episode"]["l"] for info in infos])[has_ended]
        for name in _SUCCESS:
            if any(name in info for info in infos):
                if self._successes is None:
                    self._successes = np.zeros(self._count, bool)
                told = np.array([info.get(name, np.zeros(len(ids))) for info in infos])
                self._successes[episode] = told[has_ended] > 0
        self.is_done[episode] = True
        self._waiting = []
        self._go_on(ids[ends[-1] > 0], ends[-1][ends[-1] > 0])

    def _go_on(self, ids: NDArray[np.int32], count: Any) -> None:
        """Lets environments go on by so many episodes."""
        self._episode[ids] += count * self._pool.num_envs
        self._ids = self._ids[self._episode[self._ids] < self._count]
        self._most_waiting = self._episodes_to_come()
        ids = np.intersect1d(ids, self._ids)
        if ids.size and not self._is_scheduled:
            self._pool.next_episode(ids, [self._seed + int(k) for k in self._episode[ids]])
        self._progress.update(self._bar, completed=int(self.is_done.sum()))

    def _episodes_to_come(self) -> int:
        """How many steps in which episodes end may wait, without an environment playing on."""
        if not self._is_scheduled or self._players > 1 or not self._ids.size:
            return 1
        least = int((self._count - 1 - self._episode[self._ids]).min()) // self._pool.num_envs + 1
        return min(least, _MOST_STEPS)

    def _fail(self, failed: Any) -> None:
        """Notes what has failed, once or for good; it begins again in the next round."""
        ids = np.array(failed, np.int32)
        self._ids = np.setdiff1d(self._ids, ids)
        self._totals[ids] = 0
        episode = self._episode[ids]
        self._failures[episode] += 1
        is_twice = self._failures[episode] > 1
        self.is_done[episode[is_twice]] = True
        self._episode[ids[is_twice]] += self._pool.num_envs

    def results(self) -> Evaluation:
        """What there is by now."""
        done = self.is_done
        return Evaluation(
            task=self._pool.spec.id or self._pool.spec.known.name,
            seeds=(self._seed + np.arange(self._count, dtype=np.int64))[done],
            returns=self._returns[done],
            lengths=self._lengths[done],
            successes=None if self._successes is None else self._successes[done],
            failed=self._failures[done] > 1,
            asked=self._count,
        )


def _players(rows: dict[str, Any]) -> NDArray[Any]:
    """Which player of its environment each row is."""
    owners = rows["env_id"]
    return rows.get("id", np.arange(len(owners)) - np.searchsorted(owners, owners))


def _merged(whole: Any, num_envs: int, ids: NDArray[Any], rows: Any) -> Any:
    """Infos of all environments, with new rows of some. What was not there before is zeros."""
    if isinstance(rows, dict):
        known = whole if isinstance(whole, dict) else {}
        return known | {
            key: _merged(known.get(key), num_envs, ids, value) for key, value in rows.items()
        }
    rows = np.asarray(rows)
    if whole is None or whole.dtype != rows.dtype:
        whole = np.zeros((num_envs, *rows.shape[1:]), rows.dtype)
    merged = whole.copy()
    merged[ids] = rows
    return merged
