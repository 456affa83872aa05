"""How long a pool's calls take, with random actions."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

import envpool
from envpool.spec.arrays import ArraySpec

ROUNDS = 5
_ACTION_BATCHES = 8


def seconds_per_call(
    pool: envpool.GymnasiumEnvPool, seconds: float, asynchronous: bool
) -> Iterator[float]:
    """Measure the seconds per call :data:`ROUNDS` times, in about ``seconds`` altogether.

    A call is a ``step()``, or if ``asynchronous`` a ``recv()`` and a ``send()``.
    """
    actions = itertools.cycle(random_actions(pool.spec, pool.config["batch_size"]))
    call = _start_async(pool) if asynchronous else _start_sync(pool)
    calls = _calls_within(call, actions, seconds / ROUNDS)
    pool.stats(reset=True)  # without the warming up
    for _ in range(ROUNDS):
        yield _time(call, actions, calls) / calls


def seconds_per_step(env: VectorEnv[Any, Any, Any], seconds: float) -> Iterator[float]:
    """The same for steps of a vector environment with Gymnasium's methods."""
    env.action_space.seed(0)
    actions = itertools.cycle([env.action_space.sample() for _ in range(_ACTION_BATCHES)])
    env.reset(seed=0)
    calls = _calls_within(env.step, actions, seconds / ROUNDS)
    for _ in range(ROUNDS):
        yield _time(env.step, actions, calls) / calls


def _start_sync(pool: envpool.GymnasiumEnvPool) -> Callable[[Any], object]:
    _, info = pool.reset()
    if pool.spec.most_players == 1:
        return pool.step

    def step(action: Any) -> None:
        nonlocal info
        *_, info = pool.step(of_players(pool.spec, action, info))

    return step


def _start_async(pool: envpool.GymnasiumEnvPool) -> Callable[[Any], object]:
    pool.async_reset()

    def receive_and_send(action: Any) -> None:
        *_, info = pool.recv()
        if pool.spec.most_players > 1:
            action = of_players(pool.spec, action, info)
        pool.send(action, info["env_id"])

    return receive_and_send


def of_players(spec: envpool.EnvSpec, action: dict[str, Any], info: dict[str, Any]) -> Any:
    """Cut a batch of actions to the players that there are.

    Args:
        spec: Of a task of several players.
        action: What :func:`random_action` makes.
        info: What came with the last observation.

    """
    rows = {True: len(info["players"]["env_id"]), False: len(info["env_id"])}
    return {
        field["name"]: action[field["name"]][: rows[field["per_player"]]]
        for field in spec.action_fields
    }


def _calls_within(call: Callable[[Any], object], actions: Iterator[Any], seconds: float) -> int:
    """Find how many calls take about ``seconds``, which also warms the pool up."""
    calls = 1
    while (elapsed := _time(call, actions, calls)) < seconds / 4:
        calls *= 2
    return max(1, round(calls * seconds / elapsed))


def _time(call: Callable[[Any], object], actions: Iterator[Any], calls: int) -> float:
    start = time.perf_counter()
    for action in itertools.islice(actions, calls):
        call(action)
    return time.perf_counter() - start


def random_actions(spec: envpool.EnvSpec, rows: int) -> list[Any]:
    """Make a few batches of random actions, in the dtypes that need no conversion."""
    random = np.random.default_rng(0)
    return [random_action(spec, rows, random) for _ in range(_ACTION_BATCHES)]


def random_action(spec: envpool.EnvSpec, rows: int, random: np.random.Generator) -> Any:
    """Make a batch of random actions: an array, or a dict of arrays if there are several.

    If there can be several players, it is a dict with as many rows as there can ever be.
    """
    arrays = {name: spec.action_array_spec[name] for name in spec.action_names}
    rows *= spec.most_players
    action = {name: _random_array(array, rows, random) for name, array in arrays.items()}
    if len(action) > 1 or spec.most_players > 1:
        return action
    return next(iter(action.values()))


def _random_array(array: ArraySpec, rows: int, random: np.random.Generator) -> NDArray[Any]:
    shape = (rows, *array.shape[1:])
    if array.dtype.kind == "f":
        low = np.where(np.isinf(array.minimum), np.minimum(array.maximum, 0) - 1, array.minimum)
        high = np.where(np.isinf(array.maximum), np.maximum(array.minimum, 0) + 1, array.maximum)
        return random.uniform(low, high, shape).astype(array.dtype)
    return random.integers(array.minimum, array.maximum, shape, array.dtype, endpoint=True)
