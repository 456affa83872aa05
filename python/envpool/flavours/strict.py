"""EnvPoolVectorEnv: behaves exactly like a Gymnasium vector environment, but is run by a pool."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, MutableMapping
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ClosedEnvironmentError, Error, ResetNeeded
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.flavours.arguments import one_of
from envpool.flavours.face import ClosedPool, Settled, WholeFace
from envpool.flavours.generators import random_generators
from envpool.flavours.gymnasium import make_metadata
from envpool.flavours.members import PoolMembers
from envpool.flavours.strict_results import StrictResults
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import require_pool_memory
from envpool.spec.plans import gymnasium_plans
from envpool.spec.values import require_bits, seeds_for

_UNKNOWN_SEED = -1  # as Gymnasium has it
_NOT_COPIED = ("_pool", "_camera", "env_spec", "config")  # every environment makes its own

_AFTER_CLOSE = "{} is called after close(): make a new environment"
# What the native pool's methods are called for, where that is always the same.
_CALLED_FOR = {
    **{name: name for name in ("step", "reset", "render", "get_state", "set_state", "stats")},
    "discard": "reset",
    "describe": "render",
}


class SeedError(ArgumentError, TypeError, Error):
    """A seed is of a wrong type or value, for which Gymnasium has one class."""


class EnvPoolVectorEnv(WholeFace, PoolMembers, VectorEnv):
    """Does what ``gymnasium.vector.SyncVectorEnv`` does with Gymnasium's own environments.

    Unlike in EnvPool's dialect, ``observation_space`` and ``action_space`` are those of the whole
    batch, rewards are float64, infos have only the keys of Gymnasium's environment, every call
    returns a row for every environment, and a closed environment stays closed.

    Args:
        spec: What to make; see :func:`envpool.make_spec`. It must not be asynchronous.

    Attributes:
        env_spec: The spec from which it was made; ``spec`` is Gymnasium's.
        is_async: False, since all environments are stepped at once.

    Raises:
        ValueError: The pool would be asynchronous, or the task is for several players.
    """

    is_async = False
    copy = Settled()
    observation_mode = Settled()
    _pool: Any
    _plans = staticmethod(gymnasium_plans)
    _native_options: ClassVar[dict[str, Any]] = {"reward_dtype": "float64"}

    def __init__(self, spec: EnvSpec) -> None:
        if spec.config.batch_size != spec.config.num_envs:
            raise ValueError(
                f"batch_size is {spec.config.batch_size}, expected num_envs: a Gymnasium vector "
                "environment returns all rows; envpool.make() makes asynchronous pools"
            )
        if spec.spaces.most_players > 1:
            raise ValueError("a Gymnasium vector environment has one player per environment")
        require_pool_memory(spec, has_batched_spaces=True)
        self.spec = None  # Gymnasium's, which make_vec sets
        self.copy = True  # what a call has returned, no later one changes
        self.observation_mode = "same"
        self.metadata = make_metadata(spec)
        self.autoreset_mode = self.metadata["autoreset_mode"]
        self.single_observation_space = spec.spaces.strict_observation
        self.single_action_space = spec.spaces.strict_action
        self.observation_space = batch_space(self.single_observation_space, spec.config.num_envs)
        self.action_space = batch_space(self.single_action_space, spec.config.num_envs)
        self.env_spec = spec  # while ``spec`` is Gymnasium's
        self._seeds: list[int] = spec.options.seeds()
        self._results = StrictResults(spec)
        self._shows = spec.config.render_mode == "human"
        PoolMembers.__init__(self, spec)

    def _begin_reset(self, seed: Any, options: Any) -> tuple[Any, ...]:
        try:
            everyone = range(self.num_envs)
            seeds = (
                seeds_for(seed, everyone, self.num_envs, or_none=True) if seed is not None else []
            )
            require_bits(seeds, range(len(seeds)), self._spec.known.seed_bits)
        except (TypeError, ValueError) as error:
            raise SeedError(str(error)) from None
        ids, _, reset_options = self._check_reset(None, None, options)
        mask = None if ids is None else np.isin(self.all_env_ids, ids)
        each = self.all_env_ids if mask is None else np.flatnonzero(mask)
        chosen = {i: seeds[i] for i in each} if seeds else {}
        # The seeds, the mask and the options of this reset, which _to_output reads.
        self._begin((chosen, mask, options), resets_all=mask is None or bool(mask.all()))
        return ids, list(chosen.values()), reset_options, ids is not None

    def allow_single_resets(self) -> None:
        """Lets environments be reset one by one before the first ``reset()`` of all.

        A step refuses those that have no episode by then, without auto-reset.
        """
        self._was_reset = True

    def _begin_step(self, actions: Any) -> Any:
        if isinstance(actions, dict):
            actions, env_id = self._split_action(actions)
            if env_id is not None:
                raise ValueError("actions has the key 'env_id', but all environments are stepped")
        if self._results.depends_on_actions:
            self._results.note_actions(actions)
        self._begin(None)
        return actions

    def _refuse(self, error: Exception, *arguments: Any) -> None:
        if self._begun is not None and isinstance(error, TypeError):
            raise ArgumentError(str(error)) from None  # of an option, as Gymnasium's environments
        if self._begun is None and np.ndim(arguments[0]) == 0:  # nothing to iterate over
            raise TypeError(str(error)) from None

    def _hand_over(self, failure: EnvironmentFailure) -> None:
        if self._begun is not None:
            seeds, mask, options = self._begun
            mask = None if mask is None else np.delete(mask, failure.env_ids)
            self._begun = seeds, mask, options
        super()._hand_over(failure)

    def _to_output(self, results: Any) -> Any:
        if self._begun is None:
            return self._results.convert(results)
        seeds, mask, options = self._begun
        if mask is not None and isinstance(options, MutableMapping):
            options.pop("reset_mask", None)
        for i, value in seeds.items():
            self._seeds[i] = self._seeds[i] if value is None else value
        self._was_reset = True
        return self._results.convert(results, mask)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Draws all environments as they are, or shows one of them in a window.

        Returns:
            With ``render_mode="rgb_array"`` a picture of each environment, RGB, uint8 of shape
            ``(height, width, 3)``. With ``"human"`` None: every ``reset()`` and ``step()`` shows
            the environment ``render_env_id``.

        Raises:
            RuntimeError: There is no render mode, or no window of this size; an environment has
                failed, or fails to draw itself.
            ValueError: There is no camera ``render_camera_id``.
            ImportError: pygame is missing, which shows the window, and with which Gymnasium's
                renderers draw.
            gymnasium.error.ResetNeeded: Before the first ``reset()``.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
        """
        if self.render_mode is not None and not self._was_reset:
            raise ResetNeeded("reset() the environments before they can be rendered")
        if self.render_mode == "human":
            self._camera.show(self._camera.take(self._pool)[0])
            return None
        return tuple(self._camera.take(self._pool, self.all_env_ids))

    def _get_states(self) -> tuple[NDArray[Any] | None, ...]:
        if not self._was_reset:
            return (None,) * self.num_envs
        if self.closed:
            raise ClosedEnvironmentError("get_attr() is called after close()")
        return super()._get_states()

    def _set_states(self, states: Iterable[Any]) -> None:
        if not self._was_reset:
            raise ResetNeeded("reset() the environments before their state can be set")
        super()._set_states(states)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The environments' random generators: who draws from one moves it on."""
        return random_generators(self._pool)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The last seeds of the environments' random generators; -1 after set_state()."""
        return tuple(self._seeds)

    def set_state(  # noqa: D102 - the base class has it
        self,
        states: Iterable[bytes | bytearray | memoryview],
        env_ids: ArrayLike | None = None,
        *,
        env_id: ArrayLike | None = None,
    ) -> None:
        super().set_state(states, env_ids, env_id=env_id)
        env_ids = one_of(env_ids, env_id)
        ids = self.all_env_ids if env_ids is None else np.asarray(env_ids)
        self._was_reset |= len(ids) == self.num_envs
        for i in ids:
            self._seeds[i] = _UNKNOWN_SEED

    def close_extras(self, **kwargs: Any) -> None:
        """Closes everything; :meth:`close` calls it the first time."""
        if not isinstance(self._pool, ClosedPool):
            self._pool.close()
            self._camera.close()
            self._pool = ClosedPool(_AFTER_CLOSE, _CALLED_FOR)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy goes on from here, with the same bytes."""
        not_copied = {*_NOT_COPIED, *self._spec.pool_methods()}
        state = {name: value for name, value in vars(self).items() if name not in not_copied}
        if not self.closed:
            state["_native"] = self._pool.get_options(None), self._pool.get_state(None)
        # A recording is of one pool.
        state["_spec"] = self._spec.changed(record=None) if self._spec.config.record else self._spec
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        EnvPoolVectorEnv.__init__(self, state["_spec"])
        native = state.pop("_native", None)
        if native is None:
            self.close()
        else:
            self._pool.set_options(native[0], None)
            self._pool.set_state(native[1], None)
        vars(self).update(state)
