"""SpaceLeaves: the parts of a space that are arrays, those that are not, and batches of both."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.spec.plans import Plan

# What native columns can have.
_DTYPES = frozenset(["bool", "float32", "float64"]) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_MOST_DIMENSIONS = 7
_NATIVE_CHARS = frozenset(np.dtype(name).char for name in _DTYPES)
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_KINDS = {
    spaces.Box: "box",
    spaces.Discrete: "discrete",
    spaces.MultiDiscrete: "multi_discrete",
    spaces.MultiBinary: "multi_binary",
}
# The infos of several agents, in the order in which cpp/bindings/python_players.cpp writes them.
_PLAYER_INFO = {"shape": (), "low": [-np.inf], "high": [np.inf], "space": "box", "per_player": True}
PLAYER_INFOS = [
    {"name": f"players.{name}", "dtype": dtype} | _PLAYER_INFO
    for name, dtype in (("id", "int32"), ("terminated", "bool"), ("truncated", "bool"))
]
Path = tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class Leaf:
    """A part of a space that has no parts itself.

    Attributes:
        path: The keys that lead to it: of Dicts their keys, of Tuples integers.
        space: The space of this part.
        name: A name for its column, unique among those of the whole space.
        is_array: Does it have a native column? Others are objects.
    """

    path: Path
    space: spaces.Space[Any]
    name: str
    is_array: bool

    def field(self, with_bounds: bool) -> dict[str, Any]:
        """The array as the native core describes it.

        Args:
            with_bounds: Also say which values it takes.
        """
        shape = self.space.shape
        described = {"name": self.name, "dtype": str(self.space.dtype), "shape": shape}
        return described | {"per_player": False} | (_bounds(self.space) if with_bounds else {})

    def of(self, value: Any) -> Any:
        """This part of an element of the whole space; errors as for :func:`part_of`."""
        return part_of(value, self.path)


class SpaceLeaves:
    """The leaves of a space in the order in which Gymnasium has them.

    Args:
        space: An environment's observation or action space.
        name: What the only leaf of a space without parts is called.

    Attributes:
        arrays: The leaves with a native column.
        objects: All others: texts, sequences, graphs and what else Gymnasium does not stack.
        is_leaf: True if the space has no parts.
        is_native: True if the native pool makes batches of the space by itself.
    """

    def __init__(self, space: spaces.Space[Any], name: str) -> None:
        self.space = space
        found = list(_find_leaves(space, ()))
        names = _names([path for path, _ in found], name)
        self.leaves = [
            Leaf(path, part, leaf_name, _is_array(part))
            for (path, part), leaf_name in zip(found, names, strict=True)
        ]
        self.arrays = [leaf for leaf in self.leaves if leaf.is_array]
        self.objects = [leaf for leaf in self.leaves if not leaf.is_array]
        self.is_leaf = [leaf.path for leaf in self.leaves] == [()]
        self._build = _builder(space)
        # Native results have no other keys than strings.
        self.is_native = not self.objects and _has_text_keys(space)

    def plan(self) -> Plan:
        """Returns the plan of a batch of observations, whose columns are ``obs.x``.

        That is the batch itself, unless there are objects or other keys than strings: then it is a
        tuple of the arrays, of which :meth:`batch` makes one.
        """
        columns = tuple(f"obs.{leaf.name}" for leaf in self.arrays)
        plan: Plan = self._build(iter(columns)) if self.is_native else columns
        return plan

    def batch(self, arrays: Any, objects: Sequence[tuple[Any, ...]]) -> Any:
        """The batch that Gymnasium's vector environments would make.

        Args:
            arrays: What the native pool returned by the plan.
            objects: For each row the leaves that are no arrays; not looked at if there are none.
        """
        if self.is_native:
            return arrays
        columns = iter(arrays)
        kinds = iter(zip(*objects, strict=True) if objects else [()] * len(self.objects))
        parts = [
            next(columns) if leaf.is_array else _stack(leaf.space, next(kinds))
            for leaf in self.leaves
        ]
        return self._build(iter(parts))

    def pick_objects(self, value: Any, casts: bool = False) -> tuple[Any, ...]:
        """The leaves of one element of the space that are no native arrays.

        Args:
            value: The element.
            casts: Convert those that are arrays nevertheless as Gymnasium's shared memory does.

        Raises:
            ValueError, TypeError: A part is missing, or does not go into a batch of its space's.
        """
        return tuple([_in_a_batch(leaf.space, leaf.of(value), casts) for leaf in self.objects])

    def assemble(self, arrays: Sequence[Any]) -> Any:
        """One element of a space without objects, of its leaves."""
        return self._build(iter(arrays))

    def split(self, batch: Any) -> tuple[NDArray[Any], ...]:
        """The arrays of a batch of elements, in the types that they have.

        Raises:
            ValueError, TypeError: The batch lacks a part; it is named.
        """
        return tuple(np.asarray(part_of(batch, leaf.path, "action")) for leaf in self.arrays)

    def split_if_plain(self, batch: Any) -> tuple[NDArray[Any], ...] | None:
        """The same, or None if rows of the batch are not of the space's shape, or no numbers."""
        try:
            arrays = self.split(batch)
        except (ValueError, TypeError):
            return None
        for leaf, array in zip(self.arrays, arrays, strict=True):
            if array.ndim == 0 or array.shape[1:] != leaf.space.shape:
                return None
            if array.dtype.char not in _NATIVE_CHARS:
                return None
        return arrays

    def split_rows(self, batch: Any, num_envs: int) -> list[Any]:
        """The elements of a batch, as Gymnasium's vector environments give them to environments.

        Args:
            batch: An element of the batched space.
            num_envs: The size of that.
        """
        return list(iterate(batch_space(self.space, num_envs), batch))


def describe(
    observation: SpaceLeaves,
    action: SpaceLeaves,
    num_agents: int | None,
    with_bounds: bool = True,
    infos: SpaceLeaves | None = None,
) -> dict[str, Any]:
    """The arrays of a pool as the native core describes them.

    Args:
        observation: The leaves of the observation space.
        action: The leaves of the action space.
        num_agents: How many agents an environment can have, whose spaces these are; None if it has
            one player.
        with_bounds: Also say which values they take.
        infos: The leaves of the space of infos that come as arrays; None if there are none.
    """
    observations = [leaf.field(with_bounds) for leaf in observation.arrays]
    actions = [leaf.field(with_bounds) for leaf in action.arrays]
    told = [] if infos is None else [leaf.field(True) for leaf in infos.arrays]
    if num_agents is not None:
        told = PLAYER_INFOS
        for field in observations + actions:
            field["per_player"] = True
        for field in actions:
            field["name"] = f"players.{field['name']}"
    return {
        "observation": observations,
        "action": actions,
        "info": told,
        "max_num_players": num_agents or 1,
    }


def _parts(space: spaces.Space[Any]) -> list[tuple[Any, spaces.Space[Any]]] | None:
    """The keys and spaces of what a Dict or Tuple consists of; None for other spaces."""
    if isinstance(space, spaces.Tuple):
        return list(enumerate(space.spaces))
    if isinstance(space, spaces.Dict):
        return list(space.items())
    return None


def _find_leaves(space: spaces.Space[Any], path: Path) -> Iterator[tuple[Path, spaces.Space[Any]]]:
    parts = _parts(space)
    if parts is None:
        yield path, space
    for key, part in parts or ():
        yield from _find_leaves(part, (*path, key))


def _builder(space: spaces.Space[Any]) -> Callable[[Iterator[Any]], Any]:
    """Returns a function that makes a tree like the space of its leaves, which come in order."""
    parts = _parts(space)
    if parts is None:
        return next
    items = [(key, _builder(part)) for key, part in parts]
    if isinstance(space, spaces.Tuple):
        return lambda leaves: tuple([build(leaves) for _, build in items])
    return lambda leaves: {key: build(leaves) for key, build in items}


def _has_text_keys(space: spaces.Space[Any]) -> bool:
    """True if all keys of Dicts are strings, as those of native results."""
    return all(
        (isinstance(key, str) or isinstance(space, spaces.Tuple)) and _has_text_keys(part)
        for key, part in _parts(space) or ()
    )


def _is_stacked(space: spaces.Space[Any]) -> bool:
    """True if Gymnasium makes an array of several of its elements."""
    return isinstance(space, tuple(_KINDS))


def _is_array(space: spaces.Space[Any]) -> bool:
    return (
        _is_stacked(space)
        and str(space.dtype) in _DTYPES
        and len(space.shape or ()) <= _MOST_DIMENSIONS
    )


def _names(paths: list[Path], single: str) -> list[str]:
    """Names for columns; dots nest, so that no name is the beginning of another."""
    if paths == [()]:
        return [single]
    keys = [[f"item{key}" if isinstance(key, int) else str(key) for key in path] for path in paths]
    names = [".".join(path) for path in keys]
    are_plain = all(_NAME.fullmatch(key) for path in keys for key in path)
    if are_plain and len({*names}) == len(names):
        return names
    return [f"leaf{i}" for i in range(len(names))]


def part_of(value: Any, path: Path, name: str = "observation") -> Any:
    """A part of an element of a space, or of a batch of these.

    Args:
        value: The element.
        path: Leads to the part.
        name: What the message calls the element.

    Raises:
        ArgumentError, TypeError: It lacks the part; the message says what is there instead.
    """
    part = value
    for i, key in enumerate(path):
        try:
            part = part[key]
        except (KeyError, IndexError, TypeError) as error:
            where = "".join(f"[{key!r}]" for key in path[:i])
            kind = TypeError if isinstance(error, TypeError) else ArgumentError
            raise kind(
                f"the {name}{where} is {shown(part)}, expected a dict or tuple with the part "
                f"{key!r}, which the space has"
            ) from error
    return part


def _in_a_batch(space: spaces.Space[Any], value: Any, casts: bool) -> Any:
    """An element as it is in a batch; of spaces that Gymnasium makes no arrays of, as it is."""
    if not _is_stacked(space):
        return value
    try:
        if not casts:
            return _stack(space, [value])[0]
        array = np.empty(space.shape or (), space.dtype)
        np.copyto(array.reshape(-1), np.asarray(value, space.dtype).flatten())
        return array
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"its observation does not fit into a batch: {error}") from error


def _stack(space: spaces.Space[Any], items: Sequence[Any]) -> Any:
    empty = create_empty_array(space, n=len(items))
    return concatenate(space, items, empty) if items else empty  # type: ignore[arg-type]


def _bounds(space: spaces.Space[Any]) -> dict[str, Any]:
    """Which values an array takes, for those who check it."""
    kind = next(name for kind, name in _KINDS.items() if isinstance(space, kind))
    low: Any
    match space:
        case spaces.Discrete():
            low, high = space.start, space.start + space.n - 1
        case spaces.MultiDiscrete():
            low, high = space.start, space.start + space.nvec - 1
        case spaces.MultiBinary():
            low, high = 0, 1
        case _:
            low, high = space.low, space.high  # type: ignore[attr-defined]
    return {"low": _limits(low, space.dtype), "high": _limits(high, space.dtype), "space": kind}


def _limits(values: Any, dtype: Any) -> list[float]:
    """The values as floats, infinite where the type has no others or no float is exact."""
    array = np.asarray(values)
    if array.size and (array == array.flat[0]).all():
        array = array.flat[0].reshape(1)
    numbers = array.astype(np.float64)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        numbers[array == limits.min] = -np.inf
        numbers[array == limits.max] = np.inf
    each: list[float] = numbers.ravel().tolist()
    return each
