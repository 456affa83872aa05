"""JaxBatch: environments of pure functions, compiled by JAX for a batch of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.group import Ids, Seeds
from envpool.errors import ArgumentError, import_or_say
from envpool.spec.fields import map_leaves

Tree = Any  # of JAX's arrays


class JaxEnv:
    """An environment as pure functions of JAX.

    Attributes:
        observation_space: Of one environment.
        action_space: Of one environment.
        info_space: Of its infos; None: there are none.
        takes_keys: True if :meth:`step` draws random numbers: then it gets a key.
        loops: True if environments are to be stepped one after the other, in a loop of the program.
            A batch computes both branches of all conditions, a loop only the one that is taken.
    """

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]
    info_space: spaces.Dict | None = None
    takes_keys = False
    loops = False

    def reset(self, key: Any) -> tuple[Tree, Tree, Tree]:
        """Begins an episode.

        Returns:
            Its state, an observation and a dict of infos.
        """
        raise NotImplementedError

    def step(self, state: Tree, action: Any, key: Any = None) -> tuple[Tree, ...]:
        """Steps the environment.

        Args:
            state: As a reset or a step has returned it.
            action: An element of the action space.
            key: For random numbers, if it takes one.

        Returns:
            The next state, observation, reward, terminated, truncated and a dict of infos.
        """
        raise NotImplementedError


class JaxBatch:
    """Environments whose states stay on JAX's device; each call is one compiled program.

    Environment i has a key of its own, ``PRNGKey(its seed)`` at its first reset. Each reset, and
    each step that takes a key, splits it: ``key, its = jax.random.split(key)``. So random numbers
    do not depend on which environments are stepped together. Programs have the same shapes
    whatever is stepped or reset, so each is compiled once: steps are of ``batch_size``
    environments, some of which may be left out, and resets come one after the other in a loop.

    Args:
        functions: The environment; see :class:`JaxEnv`.
        num_envs: How many there are.
        batch_size: How many are stepped together at most.

    Raises:
        ImportError: JAX is not installed.
        ArgumentError: The functions cannot be compiled for a batch, or return something else than
            the spaces say.
    """

    def __init__(self, functions: JaxEnv, num_envs: int, batch_size: int) -> None:
        self._jax = jax = import_jax()
        self.observation_space = functions.observation_space
        self.action_space = functions.action_space
        self.info_space = functions.info_space
        self._functions = functions
        self._num_envs, self._batch_size = num_envs, batch_size
        self._keys: Any = np.zeros((num_envs, 2), np.uint32)
        self._states, self._firsts = self._blank()
        self._run_resets = jax.jit(self._resets, donate_argnums=(0, 1))
        self._run_steps = jax.jit(self._steps, donate_argnums=(0, 1))

    def reset(self, seeds: Seeds, ids: Ids) -> tuple[Tree, Tree]:
        """Begins episodes, one after the other in one compiled loop."""
        given = [(i, seed) for i, seed in zip(ids.tolist(), seeds, strict=True) if seed is not None]
        if given:
            keys = np.array(self._keys)
            for env_id, seed in given:
                keys[env_id] = self._jax.random.PRNGKey(seed)
            self._keys = self._jax.numpy.asarray(keys)
        places = np.zeros(self._num_envs, np.int32)
        places[: len(ids)] = ids
        self._states, self._keys, firsts = self._run_resets(
            self._states, self._keys, self._firsts, places, len(ids)
        )
        count = len(ids)
        observation, info = self._jax.tree.map(lambda rows: np.asarray(rows)[:count], firsts)
        return observation, info

    def step(self, actions: Any, ids: Ids) -> tuple[Tree, Any, Any, Any, Tree]:
        """Steps environments in one compiled program."""
        # They are at their own places in the program's batch, if all have one.
        rows = ids if self._batch_size == self._num_envs else np.arange(len(ids))

        def pad(given: Any) -> Any:
            padded = np.zeros((self._batch_size, *given.shape[1:]), given.dtype)
            padded[rows] = given
            return padded

        padded = self._jax.tree.map(pad, actions)
        places = np.full(self._batch_size, self._num_envs, np.int32)
        places[rows] = ids
        self._states, self._keys, results = self._run_steps(
            self._states, self._keys, padded, places
        )
        is_all = np.array_equal(rows, np.arange(self._batch_size))
        take = np.asarray if is_all else lambda results: np.asarray(results)[rows]
        observation, reward, terminated, truncated, info = self._jax.tree.map(take, results)
        return observation, reward, terminated, truncated, info

    def get_state(self, env_id: int) -> list[Any]:
        """An environment's key and the arrays of its state, without JAX's classes."""
        arrays = [self._keys, *self._jax.tree.leaves(self._states)]
        return [np.array(array[env_id]) for array in arrays]

    def set_state(self, env_id: int, state: list[Any]) -> None:
        """Puts an environment into a saved state.

        Raises:
            ArgumentError: It is one of other environments.
        """
        whole = self._jax.numpy.asarray(self._keys), self._states
        arrays, structure = self._jax.tree.flatten(whole)
        kinds = [(array.shape[1:], array.dtype) for array in arrays]
        if kinds != [(array.shape, array.dtype) for array in state]:
            raise ArgumentError("the state is one of other environments, with other arrays")
        changed = [all_.at[env_id].set(one) for all_, one in zip(arrays, state, strict=True)]
        self._keys, self._states = self._jax.tree.unflatten(structure, changed)

    def _resets(
        self, states: Tree, keys: Any, firsts: Tree, places: Any, count: Any
    ) -> tuple[Tree, Any, Tree]:
        """The program of resets: of the first ``count`` of these places."""
        jax = self._jax

        def reset_one(row: Any, carry: Any) -> Any:
            states, keys, firsts = carry
            place = places[row]
            key, its = jax.random.split(keys[place])
            state, observation, info = self._functions.reset(its)
            states = jax.tree.map(lambda all_, one: all_.at[place].set(one), states, state)
            first = (observation, self._checked_info(info))
            firsts = jax.tree.map(lambda all_, one: all_.at[row].set(one), firsts, first)
            return states, keys.at[place].set(key), firsts

        loop: Any = jax.lax.fori_loop
        states, keys, firsts = loop(0, count, reset_one, (states, keys, firsts))
        return states, keys, firsts

    def _steps(
        self, states: Tree, keys: Any, actions: Any, places: Any
    ) -> tuple[Tree, Any, tuple[Any, ...]]:
        """The program of steps. A place that is ``num_envs`` stands for none."""
        tree_map = self._jax.tree.map
        is_whole = self._batch_size == self._num_envs
        is_there = places < self._num_envs

        def get(all_: Any) -> Any:
            return all_ if is_whole else all_.at[places].get(mode="clip")

        def put(all_: Any, new: Any) -> Any:
            if not is_whole:
                return all_.at[places].set(new, mode="drop")
            return self._jax.numpy.where(is_there.reshape((-1,) + (1,) * (new.ndim - 1)), new, all_)

        batch = get(keys), tree_map(get, states), actions
        if self._functions.loops:
            stepped: Any = self._jax.lax.map(lambda one: self._step_one(*one), batch)
        else:
            stepped = self._jax.vmap(self._step_one)(*batch)
        new_keys, after, results = stepped
        return tree_map(put, states, after), put(keys, new_keys), results

    def _step_one(self, key: Any, state: Tree, action: Any) -> tuple[Any, Tree, tuple[Any, ...]]:
        its = None
        if self._functions.takes_keys:
            key, its = self._jax.random.split(key)
        given = () if its is None else (its,)
        state, *results, info = self._functions.step(state, action, *given)
        return key, state, (*results, self._checked_info(info))

    def _checked_info(self, info: Tree) -> Tree:
        """The infos that the space has."""
        return {} if self.info_space is None else {key: info[key] for key in self.info_space}

    def _blank(self) -> tuple[Tree, Tree]:
        """States and first results of all environments, of zeros.

        Raises:
            ArgumentError: The functions cannot be compiled for a batch.
        """
        jax = self._jax
        key = jax.ShapeDtypeStruct((2,), np.uint32)
        action = map_leaves(
            lambda value: jax.ShapeDtypeStruct(np.shape(value), np.asarray(value).dtype),
            self.action_space.sample(),
        )
        try:
            state, observation, info = jax.eval_shape(self._functions.reset, key)
            batch = jax.tree.map(
                lambda one: jax.ShapeDtypeStruct((2, *one.shape), one.dtype), (key, state, action)
            )
            _, after, _ = jax.eval_shape(jax.vmap(self._step_one), *batch)
        except Exception as error:
            raise ArgumentError(
                "the environment cannot be compiled for a batch (jax.jit of jax.vmap): "
                f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            ) from error
        _require_same(jax, batch[1], after)
        blank = lambda one: jax.numpy.zeros((self._num_envs, *one.shape), one.dtype)  # noqa: E731
        states = jax.tree.map(blank, state)
        return states, jax.tree.map(blank, (observation, self._checked_info(info)))


def import_jax() -> Any:
    """JAX, which only some need.

    Raises:
        ImportError: It is not installed, or does not load.
    """
    return import_or_say(
        "jax", "environments of JAX need jax, which does not load ({}): pip install jax"
    )


def _require_same(jax: Any, before: Tree, after: Tree) -> None:
    """Refuses a step whose state has other shapes or types than that of a reset.

    It would have to be compiled again for each step.
    """
    old, new = _kinds(jax, before), _kinds(jax, after)
    for part in {**old, **new}:
        if old.get(part) != new.get(part):
            raise ArgumentError(
                f"after a step the state{part} is {new.get(part)}, after a reset {old.get(part)}: "
                "expected the same, because programs are compiled for one shape"
            )


def _kinds(jax: Any, batch: Tree) -> dict[str, str]:
    """The type and the shape of each part of an environment's state."""
    return {
        jax.tree_util.keystr(path): f"{part.dtype} of shape {part.shape[1:]}"
        for path, part in jax.tree_util.tree_leaves_with_path(batch)
    }
