"""Pools of environments written in Python, in the APIs that native pools speak."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.flavours.arguments import IDS, check_timeout, take_fields
from envpool.flavours.base import EnvPool
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.render.camera import Camera
from envpool.workers.pool_side.pool import PythonPool

_PATIENCE_S = 5.0  # with what does not close, after an exception


class PythonCamera(Camera):
    """Takes the pictures that environments draw themselves."""

    def take(self, pool: Any, env_ids: Any = None, view: Any = None) -> NDArray[np.uint8]:
        """See :meth:`Camera.take`; ``view`` must be None.

        Raises:
            ValueError: The pictures differ in size, or are none.
        """
        ids = self._choose(env_ids)
        if view is not None:
            raise ArgumentError(
                f"camera_id is {shown(view)}, expected None: environments written in Python "
                "are told their camera in env_kwargs"
            )
        return drawn(pool, ids)


def drawn(pool: PythonPool, env_ids: Any = None) -> NDArray[np.uint8]:
    """The pictures that environments draw themselves.

    Args:
        pool: What runs them.
        env_ids: Which ones; all if left out.

    Raises:
        ArgumentError: They return none.
        EnvironmentFailure: One failed to draw.
    """
    pictures = np.stack(pool.call("render", env_ids=env_ids))
    if pictures.dtype != np.uint8 or pictures.ndim != 4 or pictures.shape[3] != 3:  # noqa: PLR2004
        raise ArgumentError(
            f"render() of the environments returned {pictures.dtype} of shape "
            f"{pictures.shape[1:]}, expected uint8 of shape (height, width, 3)"
        )
    return pictures


class PythonEnvPool(EnvPool):
    """A pool of environments written in Python, where it differs from native ones.

    Actions are a batch of the action space's elements with a row per id, where those of Dicts are
    dicts of batches; or a dict with the keys ``action`` and ``env_id``. Where there are several
    agents, there is a row for each that is still there, or one for each row of the last result, and
    perhaps a key ``players.env_id``. Once closed, such a pool stays so.

    Args:
        spec: The options, and what the environments say of themselves.
        pool: What runs the environments.
    """

    _camera_class = PythonCamera

    def __init__(self, spec: PythonEnvSpec, pool: PythonPool) -> None:
        self._pool: Any = pool
        super().__init__(spec)

    def _make_native(self, spec: Any) -> Any:
        return self._pool

    def _split_action(
        self, action: dict[str, Any], env_id: ArrayLike | None = None
    ) -> tuple[Any, ArrayLike | None]:
        has_players = bool(self._pool.possible_agents)
        action = _without_players(action) if has_players else action
        space = self._spec.action_space
        parts: list[Any] = list(space) if isinstance(space, spaces.Dict) else ["action"]
        values, env_id, owners = take_fields(parts, action, env_id)
        is_dict = isinstance(space, spaces.Dict)
        batch = dict(zip(parts, values, strict=True)) if is_dict else values[0]
        if owners is not None and has_players:
            self._pool.native.check_players(env_id, owners)
        elif owners is not None and env_id is not None and not np.array_equal(owners, env_id):
            raise ArgumentError(
                f"players.env_id is {shown(owners)}, expected {shown(env_id)}, as env_id: each "
                "environment has one player"
            )
        return batch, env_id

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
        return tuple(self._pool.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of all environments; errors as for :meth:`call`."""
        return tuple(self._pool.get_attr(name))

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of all environments; errors as for :meth:`call`.

        Args:
            name: The attribute's name, also one of a wrapper's.
            values: A list, tuple or array with one for each environment, or one for all.

        Raises:
            ValueError: There is a wrong number of values.
        """
        is_one_each = isinstance(values, list | tuple | np.ndarray)
        self._pool.set_attr(name, values if is_one_each else [values] * self.num_envs)

    def close(self, timeout: float | None = None, terminate: bool = False, **_: Any) -> None:
        """Closes the environments and ends their processes; may be called again.

        Args:
            timeout: Seconds to wait for environments; then their processes are ended. None: they
                are waited for as long as it takes, with a warning after five seconds; but a step
                or reset no longer than ``step_timeout``.
            terminate: End the processes at once.

        Raises:
            envpool.errors.EnvironmentFailure: An environment failed to close; all has ended.
        """
        timeout = None if timeout is None else check_timeout(timeout)
        self.closed = True
        self._camera.close()
        self._pool.close(timeout=timeout, terminate=terminate)

    def __exit__(self, *exception: object) -> None:
        # What is raised should not have to wait for an environment that hangs.
        self.close(timeout=None if exception[0] is None else _PATIENCE_S)


def _without_players(action: dict[str, Any]) -> dict[str, Any]:
    """Without the dict ``players``, and without that in front of keys.

    The parts of an action, and the rows' ids as ``env_id``, may be in it, as in native pools.
    """
    players = action.get("players")
    if isinstance(players, dict):
        others = {key: value for key, value in action.items() if key != "players"}
        action = others | {f"players.{key}": value for key, value in players.items()}
    return {
        key.removeprefix("players.") if isinstance(key, str) and key not in IDS else key: value
        for key, value in action.items()
    }
