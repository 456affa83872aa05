"""The environments of pgx, Jumanji, gymnax and Craftax: loops over upstream's own functions.

Each environment runs alone, by functions that JAX has compiled for one, with the keys that the
documentation of our pools promises. Nothing of our adapters is in them.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from envpool.batched.ids import batched_source
from envpool.oracles.upstreams import Oracle
from envpool.tasks.registration import make, make_spec

_EVERY = 7  # of so many actions one is drawn of all, be it legal or not


class Functions(NamedTuple):
    """An upstream environment as two functions, and what they return in our terms.

    Attributes:
        reset: Takes a key; returns the state, an observation and infos.
        step: Takes a state, an action and a key; returns the state, an observation, the reward,
            ``terminated``, ``truncated`` and infos.
        takes_keys: Whether a step draws random numbers.
    """

    reset: Callable[[Any], tuple[Any, ...]]
    step: Callable[[Any, Any, Any], tuple[Any, ...]]
    takes_keys: bool


class Environments(Oracle):
    """The environments of all packages that have loops here."""

    def ours(self, task_id: str, num_envs: int, **options: Any) -> Any:
        """See :class:`Oracle`."""
        return _Ours(make(task_id, "gymnasium", num_envs=num_envs, **options))

    def theirs(self, task_id: str, seeds: Sequence[int], **options: Any) -> Any:
        """See :class:`Oracle`."""
        spec = make_spec(task_id, **options)
        package, _, name = str(batched_source(task_id)).partition(":")
        return Loops(_FUNCTIONS[package](name), len(seeds), spec.action_space)


class Loops:
    """Some environments one after the other, which begin another episode in the step after the end.

    Args:
        functions: The environment.
        num_envs: How many there are.
        action_space: Of one environment.
    """

    def __init__(self, functions: Functions, num_envs: int, action_space: Any) -> None:
        self._jax = jax = importlib.import_module("jax")
        self._reset, self._step = jax.jit(functions.reset), jax.jit(functions.step)
        self._takes_keys = functions.takes_keys
        key = jax.random.PRNGKey(0)
        state, *_ = jax.eval_shape(functions.reset, key)
        *_, self._infos = jax.eval_shape(functions.step, state, action_space.sample(), key)
        self._keys, self._states = [key] * num_envs, [None] * num_envs
        self._are_over = [True] * num_envs
        self.action_space = _Moves(action_space, num_envs)

    def reset(self, *, seed: Sequence[int]) -> tuple[Any, dict[str, Any]]:
        """Begins first episodes."""
        self._keys = [self._jax.random.PRNGKey(each) for each in seed]
        observation, *_, info = self._rows([self._begin(i) for i in range(len(seed))])
        return observation, info

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Steps all; those that have ended begin another episode, whatever their action."""
        return self._rows(
            [
                self._begin(i) if self._are_over[i] else self._go_on(i, action)
                for i, action in enumerate(actions)
            ]
        )

    def close(self) -> None:
        """Does nothing: there is nothing to release."""

    def _begin(self, i: int) -> tuple[Any, ...]:
        self._states[i], observation, info = self._reset(self._next_key(i))
        zeros = {name: np.zeros(part.shape, part.dtype) for name, part in self._infos.items()}
        return observation, 0.0, False, False, zeros | info

    def _go_on(self, i: int, action: Any) -> tuple[Any, ...]:
        key = self._next_key(i) if self._takes_keys else None
        self._states[i], *result = self._step(self._states[i], action, key)
        return tuple(result)

    def _next_key(self, i: int) -> Any:
        self._keys[i], its = self._jax.random.split(self._keys[i])
        return its

    def _rows(self, results: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """The results of all environments as those of one call."""
        stacked = self._jax.tree.map(lambda *rows: np.stack(rows), *results)
        observation, reward, terminated, truncated, info = stacked
        self._are_over = (terminated | truncated).tolist()
        self.action_space.mask = _mask_in(info, observation)
        return observation, reward.astype(np.float32), terminated, truncated, info


class _Moves:
    """Draws actions for all environments: mostly legal ones, where a mask says what is legal."""

    def __init__(self, space: Any, num_envs: int) -> None:
        self._space, self._num_envs = space, num_envs
        self.mask: Any = None

    def seed(self, seed: int) -> None:
        self._space.seed(seed)
        self._random = np.random.default_rng(seed)

    def sample(self) -> Any:
        sampled = np.stack([self._space.sample() for _ in range(self._num_envs)])
        is_for_all = self._random.integers(_EVERY) == 0
        if (
            self.mask is None
            or is_for_all
            or self.mask.shape[1:] != (getattr(self._space, "n", 0),)
        ):
            return sampled
        return (self._random.random(self.mask.shape) * self.mask).argmax(axis=1)


class _Ours:
    """Our pool, with no infos but those of the environments."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self.close = pool.close

    def reset(self, *, seed: Sequence[int]) -> tuple[Any, dict[str, Any]]:
        observation, info = self._pool.reset(seed=list(seed))
        return observation, self._own(info)

    def step(self, actions: Any) -> tuple[Any, ...]:
        *result, info = self._pool.step(actions)
        return (*result, self._own(info))

    def _own(self, info: dict[str, Any]) -> dict[str, Any]:
        return {name: info[name] for name in self._pool.spec.interface.info_space or ()}


def _mask_in(*found: Any) -> Any:
    for each in found:
        if isinstance(each, dict) and "action_mask" in each:
            return each["action_mask"]
    return None


def _fields(value: Any) -> Any:
    """Named tuples and data classes as dicts."""
    if not hasattr(value, "_asdict") and not dataclasses.is_dataclass(value):
        return value
    fields = value._asdict() if hasattr(value, "_asdict") else vars(value)
    return {name: _fields(part) for name, part in fields.items()}


def _of_pgx(name: str) -> Functions:
    pgx, go = importlib.import_module("pgx"), importlib.import_module("pgx.go")
    game = go.Go(size=13) if name == "go_13x13" else pgx.make(name)  # which make() does not know
    takes_keys = name in {"2048", "backgammon"} or name.startswith("minatar")

    def info(state: Any) -> dict[str, Any]:
        mask = state.legal_action_mask.astype(np.int8)
        return {
            "current_player": state.current_player,
            "action_mask": mask,
            "rewards": state.rewards,
        }

    def reset(key: Any) -> tuple[Any, ...]:
        state = game.init(key)
        return state, state.observation, info(state)

    def step(before: Any, action: Any, key: Any) -> tuple[Any, ...]:
        state = game.step(before, action, *((key,) if takes_keys else ()))
        reward = state.rewards[before.current_player]
        return state, state.observation, reward, state.terminated, state.truncated, info(state)

    return Functions(reset, step, takes_keys)


def _of_jumanji(name: str) -> Functions:
    environment = importlib.import_module("jumanji").make(name)

    def reset(key: Any) -> tuple[Any, ...]:
        state, timestep = environment.reset(key)
        return state, _fields(timestep.observation), {}

    def step(state: Any, action: Any, _: Any) -> tuple[Any, ...]:
        state, timestep = environment.step(state, action)
        ends, discount = timestep.last(), timestep.discount.max()
        terminated, truncated = ends & (discount == 0), ends & (discount != 0)
        observation = _fields(timestep.observation)
        return state, observation, timestep.reward.sum(), terminated, truncated, {}

    return Functions(reset, step, takes_keys=False)


def _of_gymnax(name: str) -> Functions:
    environment, params = importlib.import_module("gymnax").make(name)
    return _of_step_env(environment, params)


def _of_craftax(name: str) -> Functions:
    module = importlib.import_module("craftax.craftax_env")
    environment = module.make_craftax_env_from_name(name, auto_reset=False)
    return _of_step_env(environment, environment.default_params)


def _of_step_env(environment: Any, params: Any) -> Functions:
    def reset(key: Any) -> tuple[Any, ...]:
        observation, state = environment.reset_env(key, params)
        return state, observation, {}

    def step(state: Any, action: Any, key: Any) -> tuple[Any, ...]:
        observation, state, reward, is_over, infos = environment.step_env(
            key, state, action, params
        )
        if hasattr(environment, "is_truncated"):  # of gymnax, whose is_over is of the state alone
            truncated = environment.is_truncated(state, params)
        else:
            truncated = state.timestep >= params.max_timesteps
            is_over = environment.is_terminal(state, params.replace(max_timesteps=2**31 - 1))
        return (
            *(state, observation, reward, is_over, truncated),
            {key.replace("/", "_"): infos[key] for key in infos},
        )

    return Functions(reset, step, takes_keys=True)


_FUNCTIONS = {
    "pgx": _of_pgx,
    "jumanji": _of_jumanji,
    "gymnax": _of_gymnax,
    "craftax": _of_craftax,
}
