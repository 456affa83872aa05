"""Plays the episodes of an evaluation: each has its environment and its seed by its number."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.evaluation.evaluation import Evaluation
from envpool.films.filming import chosen
from envpool.films.policies import Policy, as_policy, random_policy_of
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.fields import map_leaves, with_rows
from envpool.spec.values import check_seed, integer
from envpool.tasks.registration import make_gymnasium

USUAL_ENVS = 32
NEEDED = {"autoreset_mode": "NextStep", "record_episode_statistics": True}
_SUCCESS = ("success", "is_success")
_MOST_SEED = 2**63 - 1

# What plays: from observations, infos, who has nothing to play, and whose episode begins.
Player: TypeAlias = Callable[[Any, Any, NDArray[np.bool_], NDArray[np.bool_]], Any]


def evaluate(
    policy: Any,
    task_or_pool: Any,
    episodes: int = 200,
    seed: int = 0,
    **options: Any,
) -> Evaluation:
    """Plays a number of episodes, and says how good the policy is.

    Episode k begins by ``reset(seed=seed + k)``, in the environment k modulo ``num_envs``. So there
    are exactly as many as were asked for, long ones as well as short ones, and the results of a
    policy that is a function of the observation do not depend on the number of environments,
    threads or workers. They are those of a loop over Gymnasium's single environment.

    An episode in which the environment fails is played once more with the same seed, and counted
    as failed if that fails, too. Ctrl-C returns the episodes that are finished.

    Args:
        policy: A function that gets a batch of observations, with a row for each environment, and
            returns their actions. If it takes two arguments, it also gets the info. Or an object
            with Stable-Baselines3's ``predict``, which may be recurrent; its actions are its
            deterministic ones. None: random actions. The rows of environments that have played all
            their episodes stay as they were, and actions for them are not used.
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
    """
    integer("episodes", episodes, 1, sys.maxsize)
    check_seed(seed, "seed")
    integer("seed", seed, 0, _MOST_SEED - episodes)
    if isinstance(task_or_pool, str):
        options = {"num_envs": min(USUAL_ENVS, episodes)} | options | NEEDED
        with make_gymnasium(task_or_pool, **options) as pool:
            return evaluate(policy, pool, episodes, seed)
    _check_pool(task_or_pool)
    if options:
        raise TypeError(f"there are options ({', '.join(options)}), and the pool is made already")
    if hasattr(policy, "predict"):
        return play(task_or_pool, _predicting(policy), episodes, seed)
    act = random_policy_of(task_or_pool, seed) if policy is None else as_policy(policy)
    return play(task_or_pool, of_policy(act), episodes, seed)


def play(pool: GymnasiumEnvPool, player: Player, episodes: int, seed: int) -> Evaluation:
    """Plays the episodes of :func:`evaluate`, in a pool that was made with ``NEEDED``."""
    course = _Course(pool, episodes, seed, player)
    try:
        course.run()
    except KeyboardInterrupt:
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
    needed = NEEDED | {"batch_size": pool.num_envs}  # each step returns all rows
    for name, value in needed.items():
        if pool.config[name] != value:
            raise ArgumentError(f"the pool's {name} is {pool.config[name]!r}, expected {value!r}")
    if pool.spec.spaces.most_players > 1:
        raise ArgumentError("the task is for several players, expected one per environment")


def of_policy(act: Policy) -> Player:
    """What plays as this policy does."""
    return lambda observation, info, idle, begins: act(observation, info, idle)


def _predicting(model: Any) -> Player:
    state: Any = None

    def act(observation: Any, info: Any, idle: Any, begins: NDArray[np.bool_]) -> Any:
        nonlocal state
        action, state = model.predict(
            observation, state=state, episode_start=begins, deterministic=True
        )
        return action

    return act


class _Course:
    """An evaluation under way.

    Args:
        pool: What is played.
        episodes: How many.
        seed: That of the first.
        act: Who plays.
    """

    def __init__(self, pool: GymnasiumEnvPool, episodes: int, seed: int, act: Player) -> None:
        self._pool, self._act, self._seed, self._count = pool, act, seed, episodes
        self._returns = np.full(episodes, np.nan)
        self._lengths = np.zeros(episodes, np.int64)
        self._successes = np.zeros(episodes, bool)
        self._has_successes = False
        self._failures = np.zeros(episodes, np.int64)  # at most 2
        self.is_done = np.zeros(episodes, bool)
        self._episode = np.arange(pool.num_envs)  # what each environment plays
        self._seen: Any = None  # observations and infos of all environments
        self._begins = np.ones(pool.num_envs, bool)
        self._may_begin = True  # in the next step, or one has in the last

    def run(self) -> None:
        """Plays all episodes."""
        step = 0
        with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
            bar = progress.add_task("episodes", total=self._count)
            self._begin(self._pool.all_env_ids)
            has_ended = True
            while True:
                if has_ended:  # in most steps, nothing has
                    is_idle = self._episode >= self._count
                    ids = np.flatnonzero(~is_idle)
                    progress.update(bar, completed=int(self.is_done.sum()))
                if not ids.size:
                    return
                step += 1
                action = chosen(self._act, step, *self._seen, is_idle, self._begins)
                has_ended = self._step(action, ids)

    def _step(self, action: Any, ids: NDArray[Any]) -> bool:
        """Takes a step in these environments; returns True if an episode has ended."""
        if len(ids) < self._pool.num_envs:
            action = map_leaves(lambda array: np.asarray(array)[ids], action)
        failed: list[int] = []
        try:
            results = self._pool.step(action, ids)
        except EnvironmentFailure as failure:
            failed, results = failure.to_reset, failure.results
        has_ended = bool(failed)
        if results is not None:
            observation, _, terminated, truncated, info = results
            self._see(observation, info)
            if self._may_begin:
                self._begins[info["env_id"]] = begins = info["elapsed_step"] == 0
                self._choose(info["env_id"][begins])
                self._may_begin = bool(begins.any())  # or else there are none to forget
            is_over = terminated | truncated
            if is_over.any():
                has_ended = self._may_begin = True
                self._note(info["env_id"][is_over], info, is_over)
        if failed:
            self._begin(self._fail(failed))
        return has_ended

    def _choose(self, ids: NDArray[Any]) -> None:
        """Says what these environments play after their episodes."""
        following = self._episode[ids] + self._pool.num_envs
        ids, following = ids[following < self._count], following[following < self._count]
        if ids.size:
            self._pool.next_episode(ids, [self._seed + int(k) for k in following])

    def _begin(self, ids: NDArray[Any]) -> None:
        """Resets these environments, with the seeds of the episodes that they play now."""
        while (ids := ids[self._episode[ids] < self._count] if self._seen else ids).size:
            seeds = [self._seed + int(k) for k in self._episode[ids]]
            failed: list[int] = []
            try:
                results = self._pool.reset(ids, seed=seeds)
            except EnvironmentFailure as failure:
                if self._seen is None:  # there is no row for what was never reset
                    raise
                failed, results = failure.to_reset, failure.results
            if results is not None:
                self._see(*results)
                begun = results[1]["env_id"]
                self._begins[begun] = True
                self._choose(begun)
            ids = self._fail(failed)

    def _see(self, observation: Any, info: Any) -> None:
        ids = info["env_id"]
        if len(ids) == self._pool.num_envs:
            self._seen = observation, info
        else:
            before, infos = self._seen
            infos = _merged(infos, self._pool.num_envs, ids, info)
            self._seen = with_rows(before, ids, observation), infos

    def _note(self, ids: NDArray[Any], info: Any, rows: NDArray[np.bool_]) -> None:
        """Notes how episodes have ended, and goes on to the next ones."""
        episode = self._episode[ids]
        self._returns[episode] = info["episode"]["r"][rows]
        self._lengths[episode] = info["episode"]["l"][rows]
        for name in _SUCCESS:
            if name in info:
                self._has_successes = True
                self._successes[episode] = np.asarray(info[name])[rows] > 0
        self.is_done[episode] = True
        self._episode[ids] += self._pool.num_envs

    def _fail(self, failed: list[int]) -> NDArray[Any]:
        """Notes what has failed, once or for good; returns the same environments."""
        ids = np.array(failed, np.int32)
        episode = self._episode[ids]
        self._failures[episode] += 1
        is_twice = self._failures[episode] > 1
        self.is_done[episode[is_twice]] = True
        self._episode[ids[is_twice]] += self._pool.num_envs
        return ids

    def results(self) -> Evaluation:
        """What there is by now."""
        done = self.is_done
        return Evaluation(
            task=self._pool.spec.id or self._pool.spec.known.name,
            seeds=(self._seed + np.arange(self._count, dtype=np.int64))[done],
            returns=self._returns[done],
            lengths=self._lengths[done],
            successes=self._successes[done] if self._has_successes else None,
            failed=np.isnan(self._returns[done]) & (self._failures[done] > 1),
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
