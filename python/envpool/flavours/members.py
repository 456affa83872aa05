"""PoolMembers: what all pools of native environments have, whatever their API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envpool import _core
from envpool.flavours.arguments import (
    check_mask,
    check_reset_options,
    check_states,
    one_of,
    split_fields,
)
from envpool.flavours.attributes import Attributes
from envpool.flavours.face import Face
from envpool.flavours.native import make_native
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.render.camera import Camera
from envpool.spec.env_spec import EnvSpec
from envpool.spec.plans import envpool_plans
from envpool.spec.values import require_bits, seeds_for


class PoolMembers(Face, Attributes):
    """A base of the classes of pools of native environments.

    Args:
        spec: What to make.

    Attributes:
        num_envs: How many environments there are.
        config: The values of all options.
        all_env_ids: The environments' ids.
        render_mode: How they are drawn; None: not at all.
    """

    _pool: _core.Pool
    _camera_class = Camera
    # The plans of results, as the API returns them or nearly so; and what else `make_native` takes.
    _plans = staticmethod(envpool_plans)
    _native_options: ClassVar[dict[str, Any]] = {}

    def __init__(self, spec: EnvSpec) -> None:
        self.num_envs: int = spec.config.num_envs
        self.config: dict[str, Any] = spec.config._asdict()
        self.all_env_ids: NDArray[np.int32] = np.arange(self.num_envs, dtype=np.int32)
        self.render_mode = spec.config.render_mode
        self._camera = self._camera_class(spec)
        self._spec = spec
        self._pool = self._make_native(spec)
        self._native_spec = None if isinstance(spec, PythonEnvSpec) else spec
        if spec.config.episodes is not None:
            self._follow(spec.config.episodes, spec.config.record is not None)
        self._restores = 0  # how often set_state() has changed environments
        self._add_pool_methods()
        self.closed = False

    def _make_native(self, spec: EnvSpec) -> _core.Pool:
        """The native pool."""
        return make_native(spec, self._plans(spec.spaces.contents), **self._native_options)

    def _add_pool_methods(self) -> None:
        """Adds the family's own methods, which ask for the options of each environment.

        They are attributes because a ``__getattr__`` would make every other attribute slower, and
        know the native pool because a pool that its attributes refer to is not freed at once.
        """
        spec, pool = self._spec, self._pool

        def make(name: str) -> Callable[..., Any]:
            def method(*args: Any, **kwargs: Any) -> Any:
                return spec.pool_method(name, pool.get_options(None))(*args, **kwargs)

            return method

        for name in spec.pool_methods():
            setattr(self, name, make(name))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _split_action(
        self, action: dict[str, Any], env_id: ArrayLike | None = None
    ) -> tuple[Any, ArrayLike | None]:
        """Splits a dict into the native pool's actions and the environments' ids.

        Raises:
            ValueError: The dict has an unknown key, or lacks one; or other players act.
            TypeError: The players' ids are no integers.
            RuntimeError: An environment of the players cannot be stepped now.
        """
        action, env_id, owners = split_fields(self._spec, action, env_id)
        if owners is not None:
            self._pool.check_players(env_id, owners)
        return action, env_id

    def _check_reset(
        self, env_id: ArrayLike | None, seed: Any, options: Any
    ) -> tuple[ArrayLike | None, list[int | None], dict[str, Any]]:
        """The ids, seeds and reset options that the native pool takes."""
        options = self._check_options(options)
        if "reset_mask" in options:
            if env_id is not None:
                raise ValueError("env_id and options['reset_mask'] cannot be given together")
            mask = check_mask(options.pop("reset_mask"), self.num_envs)
            env_id = np.flatnonzero(mask).astype(np.int32)
        seeds: list[int | None] = []
        if seed is not None:
            ids = self.all_env_ids if env_id is None else np.asarray(env_id)
            # The pool itself reports wrong ids.
            if ids.ndim == 1 and np.isin(ids, self.all_env_ids).all():
                seeds = seeds_for(seed, ids.tolist(), self.num_envs, or_none=True)
                require_bits(seeds, ids.tolist(), self._spec.known.seed_bits)
        return env_id, seeds, options

    def _check_options(self, options: Any) -> dict[str, Any]:
        """A copy of the options of a reset, which may include a reset_mask."""
        return check_reset_options(self._native_spec, options)

    def get_state(
        self, env_ids: ArrayLike | None = None, *, env_id: ArrayLike | None = None
    ) -> list[bytes]:
        """Saves environments: everything that their next steps depend on.

        That includes the random generator, the steps of the episode so far and whether an
        auto-reset comes next, but neither the last observation nor requests in flight.

        Args:
            env_ids: The environments, integers; all of them if left out.
            env_id: Another name of ``env_ids``, as it is in all calls that take ids.

        Returns:
            For each environment an opaque ``bytes`` object, which can be stored and loaded.

        Raises:
            TypeError, ValueError: The ids are not valid.
            RuntimeError: An environment is running, has failed, or does not support snapshots.
        """
        return self._pool.get_state(one_of(env_ids, env_id))

    def set_state(
        self,
        states: Iterable[bytes | bytearray | memoryview],
        env_ids: ArrayLike | None = None,
        *,
        env_id: ArrayLike | None = None,
    ) -> None:
        """Puts environments into states that :meth:`get_state` saved.

        From there, a rollout continues exactly as it would have continued from the original. In
        Gymnasium's own API, an environment whose state was set needs no first reset.

        Args:
            states: One per environment; the same one may be given several times. They may come from
                another environment, pool, API or process, but must come from an environment of the
                same type with the same options and ``max_episode_steps``.
            env_ids: The environments, integers; all of them if left out.
            env_id: Another name of ``env_ids``.

        Raises:
            TypeError: The states are not bytes, or the ids not integers.
            ValueError: A state is damaged, or comes from another task, other options or another
                version; or there is a wrong number of them. Nothing has been changed then.
            RuntimeError: An environment is running, or fails to read a state.
        """
        self._pool.set_state(check_states(states), one_of(env_ids, env_id))
        self._restores += 1

    def __len__(self) -> int:
        return self.num_envs
