"""Pools of environments written in Python, in the APIs that native pools speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.flavours.base import EnvPool
from envpool.flavours.python_actions import read_action, read_players_action
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.flavours.python_stats import PythonPoolStats
from envpool.spec.plans import IDS, Plans, with_statistics
from envpool.spec.spaces import nest
from envpool.workers.pool import PythonPool
from envpool.workers.spaces import SpaceLeaves


def envpool_plans(observation: SpaceLeaves, infos: list[str], has_statistics: bool) -> Plans:
    """EnvPool's dialect of Gymnasium's API; the environments' infos are added to what it has.

    Args:
        observation: The leaves of the observation space.
        infos: The names of the native infos.
        has_statistics: Are there statistics of episodes?
    """
    columns = IDS | _info_columns(infos) | {"elapsed_step": "@elapsed_step"}
    info = nest(with_statistics(columns, "_episode") if has_statistics else columns)
    row = observation.plan("obs.")
    step = (row, "@reward", "@terminated", "@truncated", info)
    # The last observations of episodes come with the infos.
    final: Any = ({}, {"elapsed_step": "@final_elapsed_step"})
    return Plans(step=step, reset=(row, info), final_step=(*step, final))


def dm_plans(observation: SpaceLeaves, infos: list[str], has_statistics: bool) -> Plans:
    """dm_env's API, which has no infos; arguments as for :func:`envpool_plans`."""
    entries = IDS | {leaf.name: f"obs.{leaf.name}" for leaf in observation.arrays}
    entries |= _info_columns(infos)
    entries = with_statistics(entries, "episode.done") if has_statistics else entries
    step = ("@step_type", "@reward", "@discount", nest(entries))
    return Plans(step=step, reset=step, final_step=step)


def _info_columns(infos: list[str]) -> dict[str, str]:
    return {name: f"info.{name}" for name in infos}


class PythonEnvPool(EnvPool):
    """What pools of environments written in Python have that others lack, or have otherwise.

    Once closed, such a pool stays so.

    Args:
        spec: The options, and what the environments say of themselves.
        pool: What runs the environments.
    """

    def __init__(self, spec: PythonEnvSpec, pool: PythonPool) -> None:
        self._python = pool
        self._action_leaves = SpaceLeaves(spec.action_space, "action")
        super().__init__(spec)

    def _make_native(self, spec: Any) -> Any:
        return self._python

    def step(self, action: Any, env_id: ArrayLike | None = None) -> Any:
        """Steps environments; see :meth:`EnvPool.step`.

        Args:
            action: A batch of the action space's elements with a row per id, where those of Dicts
                are dicts of batches. Instead, a dict with the keys ``action`` and ``env_id``. Where
                there are several agents, it has a row for each that is still there, or one for each
                row of the last result, and perhaps a key ``players.env_id``.
            env_id: The ids.
        """
        action, env_id = self._read_action(action, env_id)
        try:
            return self._to_output(self._python.step(action, env_id))
        except EnvironmentFailure as failure:
            raise self._with_output(failure) from failure.__cause__

    def send(self, action: Any, env_id: ArrayLike | None = None) -> None:
        """Starts steps and returns at once; arguments and errors as for :meth:`step`."""
        self._python.send(*self._read_action(action, env_id))

    def _read_action(self, action: Any, env_id: ArrayLike | None) -> tuple[Any, ArrayLike | None]:
        """What the pool takes, and the ids. If there are several agents, theirs are checked."""
        if not self._python.possible_agents:
            return read_action(self._action_leaves, action, env_id)
        action, env_id, owners = read_players_action(self._action_leaves, action, env_id)
        if owners is not None:
            self._python.check_players(env_id, owners)
        return action, env_id

    def _check_options(self, options: Any) -> dict[str, Any]:
        # Which there are, the environments know themselves.
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options is {shown(options)}, expected a dict")
        return dict(options or {})

    def _check_reset(self, env_id: ArrayLike | None, seed: Any, options: Any) -> Any:
        env_id, seeds, options = super()._check_reset(env_id, seed, options)
        return env_id, seeds, options or None

    def _interface(self) -> NoReturn:
        raise NotImplementedError(
            "xla() is not available for environments written in Python, only for native ones: use "
            "step() or send() and recv(), from JAX by jax.experimental.io_callback"
        )

    def xla_failures(self) -> list[EnvironmentFailure]:
        """None, because there are no programs."""
        return []

    def stats(self, reset: bool = False) -> PythonPoolStats:
        """Counts what the pool did and where its time went; see :meth:`EnvPool.stats`."""
        return PythonPoolStats.from_native(self._python.stats(bool(reset)))

    def render(self, env_ids: ArrayLike | None = None, camera_id: int | None = None) -> Any:
        """Has environments draw themselves, or shows one in a window; see :meth:`EnvPool.render`.

        Args:
            env_ids: The environments; ``render_env_id`` if left out.
            camera_id: Must be None: they have no cameras that we know of.

        Raises:
            ValueError: The pictures differ in size, or are none.
        """
        if self.render_mode is None:
            raise RuntimeError("render() needs a render_mode, and this pool was made without one")
        if camera_id is not None:
            raise ArgumentError(
                f"camera_id is {shown(camera_id)}, expected None: environments written in Python "
                "are told their camera in env_kwargs"
            )
        ids = np.atleast_1d(self.config["render_env_id"] if env_ids is None else env_ids)
        if self.render_mode == "human" and ids.size != 1:
            raise ArgumentError(
                f"env_ids has {ids.size} entries, expected 1: render_mode 'human' shows one "
                "environment"
            )
        pictures = np.stack(self._python.render(ids))
        if pictures.dtype != np.uint8 or pictures.ndim != 4 or pictures.shape[3] != 3:  # noqa: PLR2004
            raise ArgumentError(
                f"render() of the environments returned {pictures.dtype} of shape "
                f"{pictures.shape[1:]}, expected uint8 of shape (height, width, 3)"
            )
        if self.render_mode != "human":
            return pictures
        self._camera.show(pictures[0])
        return None

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of all environments, or reads what is no method.

        Args:
            name: The method's name, also one of a wrapper's.
            *args: What it is called with.
            **kwargs: What it is called with by name.

        Returns:
            What the environments return, one each.

        Raises:
            RuntimeError: An environment is running.
            envpool.errors.EnvironmentFailure: One raised an exception.
        """
        return tuple(self._python.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of all environments; errors as for :meth:`call`."""
        return tuple(self._python.get_attr(name))

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        """Sets an attribute of all environments; errors as for :meth:`call`.

        Args:
            name: The attribute's name, also one of a wrapper's.
            values: One for each environment.

        Raises:
            ValueError: There is a wrong number of values.
        """
        self._python.set_attr(name, values)

    def close(self, timeout: float | None = None, terminate: bool = False, **_: Any) -> None:
        """Closes the environments and ends their processes; may be called again.

        Args:
            timeout: Seconds to wait for environments; then their processes are ended.
            terminate: End the processes at once.

        Raises:
            envpool.errors.EnvironmentFailure: An environment failed to close; all has ended.
        """
        self.closed = True
        self._camera.close()
        self._python.close(timeout=timeout, terminate=terminate)
