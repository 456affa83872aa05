"""AsyncRollout: steps of all environments, each as far as it has come, whoever steps them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envpool.errors import EnvironmentFailure
from envpool.flavours.arguments import check_timeout
from envpool.flavours.base import EnvPool
from envpool.flavours.dm import DMEnvPool
from envpool.flavours.python_pools import PythonEnvPool
from envpool.rollouts.arrays import HasArrays, arrange, require_no_mask, require_pool, require_room
from envpool.rollouts.env_rows import EnvRows
from envpool.spec.fields import Field, leaves_of, map_leaves
from envpool.spec.memory import row_bytes
from envpool.spec.plans import envpool_plans
from envpool.spec.values import integer


class AsyncRollout(HasArrays):
    """Some steps of each environment of a pool that returns whichever are ready.

    Rows are kept by environment, so step t of one is beside step t of the others, whenever they
    were received. Who is ahead goes on meanwhile: what is more than ``num_steps`` waits for the
    rollout that follows. Rows are copied, into arrays that are made once, each of them contiguous;
    see :class:`RolloutArrays` for their shapes.

    >>> import envpool, numpy
    >>> pool = envpool.make("CartPole-v1", "gymnasium", num_envs=8, batch_size=4)
    >>> rollout = envpool.AsyncRollout(pool, num_steps=16)
    >>> rollout.reset()
    >>> while not rollout.is_full:
    ...     env_id, observation = rollout.recv()
    ...     rollout.send(numpy.zeros(4, int), env_id)
    >>> rollout.reward.shape
    (16, 8)
    >>> rollout.begin()

    Args:
        pool: What :func:`envpool.make`, :func:`envpool.make_python` and their like return, in
            Gymnasium's or an old gym's API: environments of one player each, with auto-reset.
            While the rollout is used, nobody else steps or resets it.
        num_steps: How many steps of each environment it has.

    Attributes:
        pool: The pool.
        num_steps: How many steps it has.
        arrays: All arrays, which are also attributes of the rollout itself: ``observation``,
            ``action``, ``reward``, ``terminated``, ``truncated``, ``info``, ``final_obs`` and
            ``final_info``. Of environments written in Python only the pool's own infos are kept.

    Raises:
        TypeError: ``pool`` is something else.
        ArgumentError: This pool's results cannot be kept so; the message says why. Or a number is
            too small.
        MemoryError: It would not fit.
    """

    def __init__(self, pool: EnvPool, num_steps: int) -> None:
        require_pool(pool, "rows of this pool cannot be kept in a rollout", why_no_rows)
        self.pool = pool
        self.num_steps = integer("num_steps", num_steps, 1)
        spec, num_envs = pool._spec, pool.num_envs
        ends = pool._spec.config.autoreset_mode == "SameStep"
        plan = envpool_plans(spec.spaces.contents)["final_step" if ends else "step"]
        fields = {
            name: spec.spaces.columns[name.removeprefix("final_")] for name in leaves_of(plan)
        }
        row = sum(row_bytes(field["dtype"], field["shape"]) for field in fields.values())
        require_room(self.num_steps, num_envs, row)

        def zeros(field: Field, length: int) -> NDArray[Any]:
            return np.zeros((length, num_envs, *field["shape"]), field["dtype"])

        columns = {name: zeros(field, self.num_steps + 1) for name, field in fields.items()}
        actions = [zeros(field, self.num_steps) for field in spec.spaces.action_fields]
        results = map_leaves(columns.__getitem__, plan)
        self._results = EnvRows(results, self.num_steps + 1, num_envs)
        self._actions = EnvRows(tuple(actions), self.num_steps, num_envs)
        self._has_one_action = len(actions) == 1
        super().__init__(arrange(spec, columns, actions))
        self._row_counts = np.zeros(num_envs, np.intp)  # of each environment
        self._num_complete = 0  # environments with all of their steps
        self._is_broken = False

    @property
    def step_counts(self) -> NDArray[np.intp]:
        """How many steps each environment has so far, those of the next rollout included.

        -1 before what a reset showed was received.
        """
        return self._row_counts - 1

    @property
    def is_full(self) -> bool:
        """True if each environment has all of its steps."""
        return self._num_complete == self.pool.num_envs

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> None:
        """Begins the rollout: starts new episodes of all environments, and returns at once.

        Args:
            seed: As for the pool's ``async_reset``.
            options: As for the pool's ``async_reset``; without a mask.

        Raises:
            TypeError, ValueError: An argument is not valid. Nothing has changed then.
            RuntimeError: An environment is running: receive its results from the pool first.
        """
        require_no_mask(options)
        self.pool.async_reset(seed=seed, options=options)
        self._results.forget()
        self._actions.forget()
        self._row_counts[:] = 0
        self._num_complete = 0
        self._is_broken = False

    def recv(self, timeout: float | None = None) -> tuple[NDArray[np.int32], Any]:
        """Waits for the next batch, and keeps its rows.

        Args:
            timeout: As for the pool's ``recv``.

        Returns:
            ``(env_id, observation)`` of the batch; no later call changes them.

        Raises:
            RuntimeError: Too few environments are running, or the rollout must be reset.
            TimeoutError: The time is up.
            envpool.errors.EnvironmentFailure: An environment failed. The rollout lacks rows.
        """
        self._require_whole()
        timeout = None if timeout is None else check_timeout(timeout)
        try:
            results = self.pool._pool.recv(False, timeout)
        except EnvironmentFailure as failure:
            self._is_broken = True
            self.pool._fail(failure)
        env_id: NDArray[np.int32] = results[4]["env_id"]
        numbers = self._row_counts[env_id]
        self._results.keep(results, env_id, numbers)
        self._row_counts[env_id] = numbers + 1
        self._num_complete += int(np.count_nonzero(numbers == self.num_steps))
        return env_id, results[0]

    def send(self, action: Any, env_id: ArrayLike) -> None:
        """Starts steps, returns at once, and keeps what they were given.

        Args:
            action: As for the pool's ``send``.
            env_id: The environments.

        Raises:
            TypeError, ValueError: An argument is not valid. Nothing has changed then.
            RuntimeError: An environment is running, or the rollout must be reset.
        """
        self._require_whole()
        if isinstance(action, dict):
            action, _ = self.pool._split_action(action, env_id)
        ids = np.asarray(env_id)
        self.pool.send(action, ids)
        given = (action,) if self._has_one_action else action
        arrays = tuple(np.asarray(part) for part in given)
        self._actions.keep(arrays, ids, self._row_counts[ids] - 1)

    def begin(self) -> None:
        """Begins the next rollout where this one has ended.

        The last row of each environment moves to its first place, and its steps ahead follow.

        Raises:
            RuntimeError: It is not full, or must be reset.
        """
        self._require_whole()
        if not self.is_full:
            last = int(self._row_counts.argmin())
            raise RuntimeError(
                f"environment {last} has {max(self.step_counts[last], 0)} of {self.num_steps} "
                "steps: recv() until the rollout is full"
            )
        self._results.advance(self.num_steps)
        self._actions.advance(self.num_steps)
        self._row_counts -= self.num_steps
        self._num_complete = int(np.count_nonzero(self._row_counts > self.num_steps))

    def _require_whole(self) -> None:
        if self._is_broken:
            raise RuntimeError(
                "an environment of the rollout has failed, so rows are missing: reset() it"
            )


def why_no_rows(pool: EnvPool) -> str:
    """Why rows of a pool's results cannot be kept by environment; empty if they can."""
    if isinstance(pool, DMEnvPool):
        return "it speaks dm_env's API"
    if isinstance(pool, PythonEnvPool) and pool._spec.config.autoreset_mode == "SameStep":
        return "last observations of environments written in Python are no arrays"
    if isinstance(pool, PythonEnvPool) and len(pool._spec.spaces.action_fields) > 1:
        return "actions of environments written in Python that have several parts are no arrays"
    return ""
