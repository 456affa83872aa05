"""Plays the episodes of an evaluation: each has its environment and its seed by its number."""

from __future__ import annotations

import contextlib
import itertools
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.evaluation.evaluation import Evaluation
from envpool.films.filming import chosen, pool_of
from envpool.films.policies import Policy, policy_of, sees_info
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.fields import map_leaves, with_rows
from envpool.spec.values import integer

USUAL_ENVS = 32
NEEDED = {"autoreset_mode": "NextStep", "record_episode_statistics": True}
_SUCCESS = ("success", "is_success")
_MOST_SEED = 2**63 - 1


def evaluate(
    policy: Any, task_or_pool: Any, episodes: int = 200, seed: int = 0, **options: Any
) -> Evaluation:
    """Plays a number of episodes, and says how good the policy is.

    Episode k begins as by ``reset(seed=seed + k)``, in the environment k modulo ``num_envs``. So
    there are exactly as many as were asked for, long ones as well as short ones, and the results of
    a policy that is a function of the observation do not depend on the number of environments,
    threads or workers. They are those of a loop over Gymnasium's single environment.

    An episode in which the environment fails is played once more with the same seed, and counted
    as failed if that fails, too. Ctrl-C returns the episodes that are finished. Where episodes end
    with a life and the game goes on, whole games are played; that takes a pool.

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
    integer("seed", seed, 0, _MOST_SEED - episodes)
    is_task = isinstance(task_or_pool, str)
    if is_task:
        options = _scheduled(episodes, seed, options)
    else:
        _check_pool(task_or_pool)
    with pool_of(task_or_pool, options) as pool:
        course = _Course(pool, policy_of(policy, pool, seed), episodes, seed)
        course.is_scheduled = is_task
        course.sees_info = policy is None or sees_info(policy)
        return course.run()


def _scheduled(episodes: int, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """Options of a pool whose environments begin their episodes of an evaluation by themselves."""
    options = {"num_envs": min(USUAL_ENVS, episodes)} | options | NEEDED
    count = integer("num_envs", options["num_envs"], 1)
    each = -(-episodes // count)
    seeds = seed + np.arange(each * count).reshape(each, count).T % episodes
    return {"episodes": seeds, **options}


def _check_pool(pool: Any) -> None:
    if not isinstance(pool, GymnasiumEnvPool):
        raise TypeError(
            f"task_or_pool is {shown(pool)}, expected a task's id or a pool of "
            'envpool.make or make_python(..., env_type="gymnasium")'
        )
    needed = NEEDED | {"batch_size": pool.num_envs}  # each step returns all rows
    for name, value in needed.items():
        if pool.config[name] != value:
            raise ArgumentError(f"the pool's {name} is {pool.config[name]!r}, expected {value!r}")
    if pool.config.get("episodes") is not None:
        raise ArgumentError("the pool has a schedule of episodes, expected one without")


class _Course:
    """An evaluation under way.

    It goes on in rounds, of which there is one if nothing fails: in each, environments begin with
    the episode that they are to play now, and play all the others after it, or until they fail.

    Args:
        pool: What is played.
        act: Who plays.
        episodes: How many.
        seed: That of the first.

    Attributes:
        is_scheduled: True while environments begin the right episodes by themselves.
        sees_info: False if the policy has no use for infos.
    """

    is_scheduled = False
    sees_info = True

    def __init__(self, pool: GymnasiumEnvPool, act: Policy, episodes: int, seed: int) -> None:
        self._pool, self._act, self._count, self._seed = pool, act, episodes, seed
        self._players = pool.spec.spaces.most_players
        shape = (episodes, self._players)[: 1 + (self._players > 1)]
        self._returns = np.full(shape, np.nan)
        self._lengths = np.zeros(episodes, np.int64)
        self._successes = np.zeros(episodes, bool)
        self._has_successes = False
        self._failures = np.zeros(episodes, np.int64)  # at most 2
        self._is_done = np.zeros(episodes, bool)
        self._num_done = 0
        self._episode = list(range(pool.num_envs))  # what each environment plays
        self._totals = np.zeros((pool.num_envs, self._players))  # only of several players
        self._ids = pool.all_env_ids  # who is stepped
        self._seen: Any = None  # observations, infos, and whose episodes are over
        self._numbers = itertools.count(1)  # of steps

    def run(self) -> Evaluation:
        """Plays all episodes, and returns what they have come to."""
        try:
            with Progress(transient=True, disable=not sys.stderr.isatty()) as self._progress:
                self._bar = self._progress.add_task("episodes", total=self._count)
                while (ids := self._with_episodes(self._pool.all_env_ids)).size:
                    self._begin(ids)
                    while self._ids.size:
                        self._step()
                    self.is_scheduled = False
        except KeyboardInterrupt:
            if not self._num_done:
                raise
        finally:
            with contextlib.suppress(RuntimeError):  # some run still
                self._pool.next_episode()
        return self._results()

    def _begin(self, ids: NDArray[np.int32]) -> None:
        """Begins a round of these environments."""
        if self._seen is None and self._players == 1:
            ids = self._pool.all_env_ids  # as policies get a row of each
        seeds = None if self.is_scheduled else self._seeds(ids)
        try:
            results = self._pool.reset(ids, seed=seeds)
        except EnvironmentFailure as failure:
            if self._seen is None:  # there is no row for what was never reset
                raise
            self._fail(failure.to_reset)
            results = failure.results
        self._ids = ids[:0]
        if results is not None:
            observation, info = results
            self._ids = info["env_id"].astype(np.intp)  # with which NumPy finds rows soonest
            self._see(observation, info, np.zeros(len(self._ids), bool))
            self._ids = self._with_episodes(self._ids)

    def _step(self) -> None:
        """Steps the environments that play, until there is something to be noted."""
        failed: Any = ()
        try:
            observation, reward, is_over, info = self._quiet_steps()
        except EnvironmentFailure as failure:
            failed = failure.to_reset
            self._ids = np.setdiff1d(self._ids, failed)
            if failure.results is None:
                self._fail(failed)
                return
            observation, reward, terminated, truncated, info = failure.results
            is_over = terminated | truncated
        self._see(observation, info, is_over)
        if self._players > 1:
            owners = info["players"]["env_id"]
            places = np.arange(len(owners)) - np.searchsorted(owners, owners)
            np.add.at(self._totals, (owners, info["players"].get("id", places)), reward)
        if rows := info["_episode"].nonzero()[0].tolist():
            self._note(rows, info)
        if "_failure" in info:  # the pool goes on after failures
            failed = info["env_id"][info["_failure"]].tolist()
        elif self.is_scheduled and np.count_nonzero(is_over) > len(rows):
            raise ArgumentError(
                "the task has episodes that end with a life, and games that go on, which a task's "
                "id cannot stand for: give evaluate() a pool"
            )
        if len(failed):
            self._fail(failed)

    def _quiet_steps(self) -> tuple[Any, Any, NDArray[np.bool_], Any]:
        """Steps the environments that play until an episode ends; with several players, once.

        Returns:
            The last step's observations, rewards, ends and infos, which are not seen yet.
        """
        are_all = self._players == 1 and len(self._ids) == self._pool.num_envs
        act, step, ids = self._act, self._pool.step, None if are_all else self._ids
        for number in self._numbers:
            action = chosen(act, number, *self._seen)
            if not are_all:
                action = self._of_those_who_play(action)
            observation, reward, terminated, truncated, info = step(action, ids)
            is_over = terminated | truncated
            if np.count_nonzero(is_over) or self._players > 1:
                break
            if are_all:
                self._seen = observation, info, is_over
            else:
                self._see(observation, info, is_over)
        return observation, reward, is_over, info

    def _see(self, observation: Any, info: Any, is_over: NDArray[np.bool_]) -> None:
        """Shows the policy these rows of the environments that play, and whose episode is over."""
        num_envs = self._pool.num_envs
        if self._players == 1 and len(self._ids) < num_envs:
            before, infos, _ = self._seen
            observation = with_rows(before, self._ids, observation)
            if self.sees_info:
                info = _merged(infos, num_envs, self._ids, info)
                ended, is_over = is_over, np.ones(num_envs, bool)
                is_over[self._ids] = ended
        self._seen = observation, info, is_over

    def _of_those_who_play(self, action: Any) -> Any:
        """The rows of an action that are for environments that play."""
        if self._players == 1:
            return map_leaves(lambda array: np.asarray(array)[self._ids], action)
        info = self._seen[1]
        plays = {
            len(rows["env_id"]): np.isin(rows["env_id"], self._ids)
            for rows in (info, info["players"])
        }
        # What has another number of rows, the pool refuses.
        return map_leaves(
            lambda array: np.asarray(array)[plays.get(len(array), slice(None))], action
        )

    def _note(self, rows: list[int], info: Any) -> None:
        """Notes how the episodes in these rows have ended, and lets their environments go on."""
        env_ids, returns, lengths = info["env_id"], info["episode"]["r"], info["episode"]["l"]
        told = [info[name] for name in _SUCCESS if name in info]
        for row in rows:  # they are few
            env_id = int(env_ids[row])
            episode = self._episode[env_id]
            self._returns[episode] = returns[row] if self._players == 1 else self._totals[env_id]
            self._lengths[episode] = lengths[row]
            self._successes[episode] = any(each[row] > 0 for each in told)
            self._go_on(env_id)
        if self._players > 1:
            self._totals[env_ids[rows]] = 0
        self._has_successes = self._has_successes or bool(told)
        if not self.is_scheduled and (ids := self._with_episodes(env_ids[rows])).size:
            self._pool.next_episode(ids, self._seeds(ids))
        self._progress.update(self._bar, completed=self._num_done)

    def _go_on(self, env_id: int) -> None:
        """Lets an environment go on to its next episode, if it has one."""
        episode = self._episode[env_id]
        self._is_done[episode] = True
        self._num_done += 1
        self._episode[env_id] = episode + self._pool.num_envs
        if self._episode[env_id] >= self._count:
            self._ids = self._ids[self._ids != env_id]

    def _with_episodes(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Those of these environments that have an episode to play."""
        return ids[[self._episode[env_id] < self._count for env_id in ids.tolist()]]

    def _seeds(self, ids: NDArray[Any]) -> list[int]:
        """The seeds of the episodes that these environments play; of idle ones, any."""
        return [self._seed + self._episode[env_id] % self._count for env_id in ids.tolist()]

    def _fail(self, failed: Any) -> None:
        """Notes what has failed, once or for good; it begins again in the next round."""
        self._ids = np.setdiff1d(self._ids, failed)
        self._totals[failed] = 0
        for env_id in failed:
            self._failures[self._episode[env_id]] += 1
            if self._failures[self._episode[env_id]] > 1:
                self._go_on(env_id)

    def _results(self) -> Evaluation:
        """What there is by now."""
        done = self._is_done
        return Evaluation(
            task=self._pool.spec.id or self._pool.spec.known.name,
            seeds=(self._seed + np.arange(self._count, dtype=np.int64))[done],
            returns=self._returns[done],
            lengths=self._lengths[done],
            successes=self._successes[done] if self._has_successes else None,
            failed=self._failures[done] > 1,
            asked=self._count,
        )


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
