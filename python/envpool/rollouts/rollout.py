"""Rollout: steps of all environments of a synchronous pool, which its threads write in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool import _core
from envpool.errors import EnvironmentFailure, import_or_say
from envpool.flavours.base import EnvPool
from envpool.flavours.python_pools import PythonEnvPool
from envpool.rollouts.arrays import (
    Columns,
    HasArrays,
    RolloutArrays,
    arrange,
    require_no_mask,
    require_pool,
    require_room,
    views,
)
from envpool.rollouts.copied_slots import CopiedSlots
from envpool.rollouts.frame_store import frame_bytes
from envpool.rollouts.lazy_frames import LazyFrames
from envpool.spec.fields import map_leaves
from envpool.spec.memory import row_bytes
from envpool.spec.values import integer

if TYPE_CHECKING:
    from torch import device as Device  # noqa: N812 - a class


class Rollout(HasArrays):
    """Some steps of all environments of a pool, as on-policy learners collect them.

    The pool's threads write results where they stay: a step copies only the action, allocates
    nothing and makes no arrays. All arrays are made once, and are the same in each rollout that
    follows; see :class:`RolloutArrays` for their shapes. Slot 0 has what a reset showed, or the
    last row of the rollout before; :meth:`step` fills the next one.

    >>> import envpool, numpy
    >>> pool = envpool.make("CartPole-v1", "gymnasium", num_envs=8)
    >>> rollout = envpool.Rollout(pool, num_steps=16)
    >>> observation = rollout.reset(seed=1)
    >>> while not rollout.is_full:
    ...     observation = rollout.step(numpy.zeros(8, int))
    >>> rollout.reward.shape, rollout.observation.shape
    ((16, 8), (17, 8, 4))
    >>> observation = rollout.begin()  # goes on where this one has ended

    The arrays are over one piece of memory with all that belongs to a step in a row. So they are
    not contiguous: index them by step and environment, or take :meth:`minibatch`, instead of a
    ``reshape``, which copies all of it.

    With ``lazy_frames``, each frame of stacked observations is stored once, and ``observation`` is
    :class:`LazyFrames`, which puts stacks together when they are indexed. A step then copies one
    frame of each environment, and all else is in contiguous arrays.

    Args:
        pool: A synchronous pool of native environments of one player each, as
            :func:`envpool.make` returns it in any API. Its other methods may be called, too; after
            a step or reset of the pool's own, the rollout must be reset.
        num_steps: How many steps it has.
        lazy_frames: Store each frame once, instead of as often as it is in stacks.

    Attributes:
        pool: The pool.
        num_steps: How many steps it can have.
        num_envs: How many environments step.
        step_count: How many steps it has so far.
        arrays: All arrays, which are also attributes of the rollout itself: ``observation``,
            ``action``, ``reward``, ``terminated``, ``truncated``, ``info``, ``final_obs`` and
            ``final_info``.

    Raises:
        TypeError: ``pool`` is something else.
        ArgumentError: The results of this pool cannot be written into a rollout; the message says
            why. Or ``num_steps`` is less than 1.
        MemoryError: It would not fit.
    """

    def __init__(self, pool: EnvPool, num_steps: int, *, lazy_frames: bool = False) -> None:
        require_pool(pool, "this pool cannot write into a rollout", _why_not)
        self._native: _core.Pool = pool._pool
        self.num_steps = integer("num_steps", num_steps, 1)
        self.num_envs = pool.num_envs
        self.pool = pool
        columns: Columns = self._native.columns()
        row = frame_bytes(pool._spec) if lazy_frames else 0
        # Last observations are written rarely, and those of lazy frames are counted already.
        skipped = ("final_", "obs.") if lazy_frames else ("final_",)
        row += sum(
            row_bytes(*its[:2]) for name, its in columns.items() if not name.startswith(skipped)
        )
        require_room(self.num_steps, self.num_envs, row)
        num_slots = self.num_steps + 1
        self._slots = self._native.make_slots(num_slots, 1 if lazy_frames else num_slots)
        self._actions = [
            np.zeros((self.num_steps, self.num_envs, *field["shape"]), field["dtype"])
            for field in pool._spec.spaces.action_fields
        ]
        self._columns = columns
        written = kept = views(self._slots.memory, columns, self.num_envs, np.dtype)
        self._copied: CopiedSlots | None = None
        if lazy_frames:
            batch = {name: column[0] for name, column in written.items()}
            self._copied = CopiedSlots(pool, batch, num_slots)
            kept = self._copied.columns
        super().__init__(arrange(pool._spec, kept, self._actions))
        # What step() returns and writes to, made once: to index arrays takes as long as to step.
        shown = map_leaves(written.__getitem__, pool._spec.spaces.contents.observation)
        self._shown = [_slot_of(shown, slot) for slot in range(num_slots)]
        self._given = [[array[step] for array in self._actions] for step in range(self.num_steps)]
        self.step_count = 0

    @property
    def is_full(self) -> bool:
        """True if it has all of its steps."""
        return self.step_count == self.num_steps

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Begins the rollout with new episodes of all environments.

        What a step that was interrupted has left is dropped.

        Args:
            seed: As for the pool's ``reset``.
            options: As for the pool's ``reset``; without a mask.

        Returns:
            The observation in slot 0.

        Raises:
            TypeError, ValueError: An argument is not valid. Nothing has changed then.
            RuntimeError: An environment is running.
            envpool.errors.EnvironmentFailure: An environment failed.
        """
        require_no_mask(options)
        _, seeds, read = self.pool._check_reset(None, seed, options)
        self._native.discard()
        try:
            self._native.reset_into(self._slots, seeds, read)
        except EnvironmentFailure as failure:
            self.pool._fail(failure)
        self._begin()
        return self._shown[0]

    def _begin(self) -> None:
        self.step_count = 0
        if self._copied is not None:
            self._copied.keep(0)

    def step(self, action: Any) -> Any:
        """Steps all environments, and keeps what they were given.

        Args:
            action: As for the pool's ``step``.

        Returns:
            The observation in the slot that was filled. It stays as it is until the next rollout
            fills that slot, and with ``lazy_frames`` until the next step: copy what you keep
            longer.

        Raises:
            TypeError, ValueError: An action is not valid. Nothing has changed then.
            RuntimeError: The rollout is full, or must be reset: at first; after a call that failed
                or was interrupted; after a step or reset of the pool's own.
            envpool.errors.EnvironmentFailure: An environment failed. The rollout lacks a step.
        """
        if isinstance(action, dict):
            action, _ = self.pool._split_action(action)
        try:
            slot = self._native.step_into(self._slots, action)
        except EnvironmentFailure as failure:
            self.pool._fail(failure)
        self.step_count = slot
        given = self._given[slot - 1]
        if len(given) == 1:
            given[0][...] = action
        else:
            for array, part in zip(given, action, strict=True):
                array[...] = part
        if self._copied is not None:
            self._copied.keep(slot)
        return self._shown[slot]

    def begin(self) -> Any:
        """Begins the next rollout where this one has ended: its last row moves to slot 0.

        That is the only copy, of a slot.

        Returns:
            The observation in slot 0.

        Raises:
            RuntimeError: There was no reset, or a call failed or was interrupted.
        """
        self._slots.restart()
        self._begin()
        return self._shown[0]

    def to(self, device: str | Device = "cpu") -> RolloutArrays:
        """The rollout as PyTorch's tensors, which all of its results reach in one copy.

        Args:
            device: Where to. On ``"cpu"`` nothing is copied: the tensors are over the same memory,
                and show later rollouts, too.

        Raises:
            ImportError: PyTorch is not installed.
        """
        pytorch = import_or_say(
            "torch", "rollout.to() needs PyTorch, which does not load ({}): pip install torch"
        )
        if self._copied is not None:
            return self.arrays.map(lambda part: _moved(part, pytorch.from_numpy, device))
        memory = pytorch.from_numpy(self._slots.memory).to(device)
        actions = [pytorch.from_numpy(array).to(device) for array in self._actions]
        columns = views(memory, self._columns, self.num_envs, lambda name: getattr(pytorch, name))
        return arrange(self.pool._spec, columns, actions)


def _slot_of(batches: Any, slot: int) -> Any:
    """A slot of arrays that have all of them, or one for all."""
    return map_leaves(lambda array: array[slot % len(array)], batches)


def _moved(part: Any, tensor: Callable[[Any], Any], device: str | Device) -> Any:
    """An array or frames as tensors on a device; on the CPU over the same memory."""
    if not isinstance(part, LazyFrames):
        return tensor(part).to(device)
    if str(device) == "cpu":
        return part.seen_as(tensor)
    return part.map(lambda array: tensor(array).to(device))


def _why_not(pool: EnvPool) -> str:
    """Why a native pool cannot write into a rollout; empty if it can."""
    if isinstance(pool, PythonEnvPool):
        return "processes of Python write its results; AsyncRollout copies them"
    if not isinstance(pool._pool, _core.Pool):
        return "Python computes its rewards or begins its episodes, and sees no slots"
    if pool.is_async:
        return (
            f"its batch_size is {pool.config['batch_size']} and num_envs {pool.num_envs}, so which "
            "environments a batch has is known only at its end; AsyncRollout keeps their rows"
        )
    return ""
