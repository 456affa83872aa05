"""Pools that return PyTorch's tensors: over the pool's own memory, or on a GPU by a single copy."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from envpool.errors import ArgumentError, import_or_say, shown
from envpool.flavours.base import EnvPool
from envpool.spec.fields import leaves_of, map_leaves

if TYPE_CHECKING:
    from torch import Tensor
    from torch import device as Device  # noqa: N812 - a class

_ALIGNMENT = 64  # bytes; a multiple of each type's size
_DEVICES = "expected 'cpu', 'cuda' or 'cuda:N'"


@functools.cache
def _import_torch() -> Any:
    """PyTorch, which is as large as all else together, and so is not loaded before it is needed.

    Raises:
        ImportError: It is not installed, or does not load.
    """
    return import_or_say(
        "torch", "envpool.torch needs PyTorch, which does not load ({}): pip install torch"
    )


def torch(pool: EnvPool, device: str | Device = "cpu") -> TorchPool:
    """Lets a pool return and take PyTorch's tensors.

    >>> import envpool
    >>> env = envpool.torch(envpool.make("CartPole-v1", "gymnasium", num_envs=64))
    >>> observation, info = env.reset()
    >>> observation.dtype
    torch.float32

    Args:
        pool: What :func:`envpool.make` and its like return, in any API.
        device: Where the tensors shall be: ``"cpu"``, where they are over the memory of the pool's
            own arrays, or a GPU, as ``"cuda"`` or ``"cuda:1"``, which they reach as one copy per
            batch, on PyTorch's current stream, for which no call waits.

    Returns:
        The same pool with tensors where ``pool``, which can still be used, has arrays.

    Raises:
        TypeError: ``pool`` is something else, or returns tensors already.
        ArgumentError: There is no such device.
        ImportError: PyTorch is not installed.
    """
    if isinstance(pool, TorchPool):
        raise TypeError(f"pool is {shown(pool)}, which returns tensors already")
    if not isinstance(pool, EnvPool):
        raise TypeError(
            f"pool is {shown(pool)}, expected a pool of envpool.make(). (For gymnasium.make_vec "
            "there is gymnasium.wrappers.vector.NumpyToTorch)"
        )
    wanted = _checked(device)
    kind: Any = type(pool)
    made: TorchPool = object.__new__(_class_of(kind))
    made._begin(pool, wanted)  # its __init__ would make another native pool
    return made


def _checked(device: Any) -> Device:
    """PyTorch's device of this name.

    Raises:
        ArgumentError: There is none, or it is of a kind that pools do not copy to.
    """
    pytorch = _import_torch()
    try:
        found: Device = pytorch.device(device)
    except (RuntimeError, TypeError):
        raise ArgumentError(f"device is {shown(device)}, {_DEVICES}") from None
    if found.type not in ("cpu", "cuda"):
        raise ArgumentError(f"device is {shown(device)}, {_DEVICES}")
    if found.type == "cuda" and (found.index or 0) >= (count := pytorch.cuda.device_count()):
        there = f"there are {count} GPUs, from 'cuda:0' on" if count else "there is no GPU"
        raise ArgumentError(f"device is {shown(device)}, expected one that PyTorch finds: {there}")
    return found


@functools.cache
def _class_of(kind: Any) -> Any:
    """The class of pools of this kind that return tensors."""
    return type(f"Torch{kind.__name__}", (TorchPool, kind), {"__module__": kind.__module__})


class TorchPool(EnvPool):
    """A pool as :func:`envpool.torch` returns it.

    It has all methods of the pool that it was made of, and is the same environments. Results are
    the same trees; each array of numbers or bools in them is a tensor, and what PyTorch has no type
    for (text, objects) stays as it is. Actions and ids may be tensors, on any device.

    Attributes:
        bare: The pool that it was made of, which returns arrays.
    """

    def _begin(self, pool: EnvPool, device: Device) -> None:
        """Takes the place of ``__init__``: the pool is there already."""
        vars(self).update(vars(pool))
        self.bare = pool
        pytorch = _import_torch()
        self._tensor_type, self._from_numpy = pytorch.Tensor, pytorch.from_numpy
        self._bfloat16 = pytorch.bfloat16
        self._device = device
        self._is_on_gpu = device.type == "cuda"

    def _to_output(self, results: tuple[Any, ...]) -> Any:
        arrays = super()._to_output(results)
        try:
            tensors = map_leaves(self._from_numpy, arrays)
        except TypeError:  # of one of them, and to ask for each would take longer
            tensors = map_leaves(self._to_tensor, arrays)
        return self._to_gpu(tensors) if self._is_on_gpu else tensors

    def _to_tensor(self, leaf: Any) -> Any:
        """A tensor over an array's memory, if PyTorch has such a type."""
        try:
            return self._from_numpy(leaf)
        except TypeError:
            return leaf

    def _to_gpu(self, results: Any) -> Any:
        """Results with their tensors on the GPU."""
        tensors = [leaf for leaf in leaves_of(results) if isinstance(leaf, self._tensor_type)]
        copies = dict(zip(map(id, tensors), moved(tensors, self._device), strict=True))
        return map_leaves(lambda leaf: copies.get(id(leaf), leaf), results)

    def _to_numpy(self, leaf: Any) -> Any:
        """An array over a tensor's memory, or a copy of what is on another device."""
        if isinstance(leaf, list):
            return [self._to_numpy(part) for part in leaf]
        if not isinstance(leaf, self._tensor_type):
            return leaf
        if leaf.dtype == self._bfloat16:  # which NumPy has not
            leaf = leaf.float()
        return leaf.numpy(force=True)

    def step(  # noqa: D102 - the base class has it
        self, action: Any, env_id: ArrayLike | None = None, env_ids: ArrayLike | None = None
    ) -> Any:
        return super().step(*map_leaves(self._to_numpy, (action, env_id, env_ids)))

    def send(  # noqa: D102
        self, action: Any, env_id: ArrayLike | None = None, env_ids: ArrayLike | None = None
    ) -> None:
        super().send(*map_leaves(self._to_numpy, (action, env_id, env_ids)))

    def _check_reset(self, env_id: ArrayLike | None, seed: Any, options: Any) -> Any:
        return super()._check_reset(*map_leaves(self._to_numpy, (env_id, seed, options)))

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Closes the pool that this one was made of; its arguments are that one's."""
        self.bare.close(*args, **kwargs)

    @property
    def closed(self) -> bool:  # type: ignore[override]
        """True if the pool that this one was made of was closed."""
        return bool(self.bare.closed)

    def __del__(self) -> None:
        """Closes nothing, as that of an old Gymnasium does: the bare pool may be in use."""


def moved(tensors: Sequence[Tensor], device: Device | str) -> list[Tensor]:
    """Copies of tensors on a GPU, which one copy from pinned memory brings there.

    It is work of the current stream, and nobody waits for it. PyTorch, whose allocator has the
    pinned memory, gives it to nobody else before the copy is over; so no block of the pool has to
    stay until then.

    Args:
        tensors: What to copy, all of it in the processor's memory.
        device: Where to.
    """
    pytorch = _import_torch()
    tensors = [tensor.contiguous() for tensor in tensors]
    starts, end = [], 0
    for tensor in tensors:
        starts.append(end)
        end += -(-tensor.nbytes // _ALIGNMENT) * _ALIGNMENT
    dtypes = {tensor.dtype for tensor in tensors}

    def parts(memory: Tensor) -> Iterator[Tensor]:
        typed = {dtype: memory.view(dtype) for dtype in dtypes}
        for tensor, start in zip(tensors, starts, strict=True):
            place = start // tensor.itemsize
            yield typed[tensor.dtype].as_strided(tensor.shape, tensor.stride(), place)

    staged = pytorch.empty(end, dtype=pytorch.uint8, pin_memory=pytorch.cuda.is_available())
    # By NumPy: PyTorch's threads, with which it copies pictures, would take the pool's cores.
    memory = staged.numpy()
    for start, tensor in zip(starts, tensors, strict=True):
        memory[start : start + tensor.nbytes] = tensor.view(-1).view(pytorch.uint8).numpy()
    return list(parts(staged.to(device, non_blocking=True)))
