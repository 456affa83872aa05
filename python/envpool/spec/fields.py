"""Fields: the arrays of an environment, as Gymnasium and dm_env describe them; rows of batches."""

from __future__ import annotations

import functools
import keyword
import math
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, TypedDict

import gymnasium.spaces
import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import import_or_say, install
from envpool.spec.memory import require_memory


class Field(TypedDict):
    """One array of an environment, as the native core describes it (the SDK's field.h)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    low: list[float]
    high: list[float]
    space: str
    per_player: bool


def bounds(field: Field) -> tuple[NDArray[Any], NDArray[Any]]:
    """The least and largest value of each element, of the field's dtype and shape, to be read only.

    Raises:
        MemoryError: A space of that shape would not fit.
    """
    dtype, shape = np.dtype(field["dtype"]), field["shape"]
    # A Box copies both, and makes arrays of bools while it checks them.
    require_memory(
        (2 * dtype.itemsize + 3) * math.prod(shape),
        f"the space of {field['name']}, of shape {shape}, needs",
        ["the options that make it so large"],
    )
    least: Any = -np.inf
    most: Any = np.inf
    if dtype == np.bool_:
        least, most = False, True
    elif dtype.kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max

    def expand(values: Sequence[float]) -> NDArray[Any]:
        exact = [least if v == -np.inf else most if v == np.inf else v for v in values]
        array = np.array(exact, dtype=dtype)
        return np.broadcast_to(array[0], shape) if len(exact) == 1 else array.reshape(shape)

    return expand(field["low"]), expand(field["high"])


def is_uniform(values: NDArray[Any]) -> bool:
    """True if there are elements, all with the same value."""
    return values.size > 0 and bool((values == values.flat[0]).all())


def gymnasium_space(field: Field, spaces: Any = gymnasium.spaces) -> Any:
    """The space of one environment's (or one player's) array.

    Args:
        field: The array.
        spaces: Whose spaces to make: Gymnasium's module, or ``gym.spaces``.
    """
    dtype: Any = np.dtype(field["dtype"])
    low, high = bounds(field)
    start = {"start": low[()]} if low.any() else {}
    # An old gym knows no start: there a Box of integers has to do.
    is_known = not start or spaces is gymnasium.spaces
    match field["space"]:
        case "discrete" if is_known:
            return spaces.Discrete(int(high - low) + 1, **start)
        case "multi_discrete" if is_known:
            return spaces.MultiDiscrete((high - low + 1).astype(np.int64), dtype=dtype, **start)
        case "multi_binary":
            shape = field["shape"]  # Gymnasium's tasks give the length of a vector as a number
            return spaces.MultiBinary(shape[0] if len(shape) == 1 else shape)
        case _:
            return spaces.Box(low, high, shape=field["shape"], dtype=dtype.type)


def gymnasium_structure(
    structure: str, fields: Sequence[Field], spaces: Any = gymnasium.spaces
) -> Any:
    """The space of a whole observation or action; ``spaces`` as for :func:`gymnasium_space`."""
    if structure == "single":
        return gymnasium_space(fields[0], spaces)
    made = {field["name"]: gymnasium_space(field, spaces) for field in fields}
    if structure == "tuple":
        return spaces.Tuple(tuple(made.values()))
    return spaces.Dict(nest(made, spaces.Dict))


def conform(space: gymnasium.spaces.Space[Any], value: Any) -> Any:
    """A batch of observations in the dtypes, the structure and the order of keys of their space.

    Discrete and MultiBinary have dtypes of their own in Gymnasium, and Dict sorts its keys. A Tuple
    may come as one array with a column for each of its parts. Text, which environments write as
    bytes, becomes a tuple of strings, which is how Gymnasium batches it.
    """
    if isinstance(space, gymnasium.spaces.Text):
        return tuple(decode_text(value))
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: conform(part, value[key]) for key, part in space.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        parts = value if isinstance(value, tuple) else value.T
        return tuple(conform(part, column) for part, column in zip(space, parts, strict=True))
    return value if value.dtype == space.dtype else value.astype(space.dtype)


def decode_text(text: NDArray[np.uint8]) -> str | list[str]:
    """Text that an environment has written as UTF-8, with zeros up to the length of its field.

    Args:
        text: uint8 of shape ``(length,)``, or a batch of shape ``(n, length)``.

    Returns:
        A string, or a list of ``n`` strings.
    """
    text = np.ascontiguousarray(text, np.uint8)
    rows = text.view(f"S{text.shape[-1]}")[..., 0]  # which end before the zeros
    decoded = [row.decode(errors="replace") for row in rows.reshape(-1).tolist()]
    return decoded[0] if text.ndim == 1 else decoded


def map_leaves(function: Callable[[Any], Any], nested: Any) -> Any:
    """The same dicts and tuples with what a function makes of their arrays.

    Args:
        function: What to call for each array, or whatever is neither a dict nor a tuple.
        nested: Dicts and tuples, also named ones, of arrays; or one array.
    """
    if isinstance(nested, dict):
        return {key: map_leaves(function, part) for key, part in nested.items()}
    kind = type(nested)
    if kind is tuple:
        return tuple([map_leaves(function, part) for part in nested])
    if isinstance(nested, tuple):  # dm_env's are named
        return kind(*[map_leaves(function, part) for part in nested])
    return function(nested)


def leaves_of(nested: Any) -> list[Any]:
    """The arrays of dicts and tuples, in their order."""
    found: list[Any] = []
    map_leaves(found.append, nested)
    return found


def batch_of_one(nested: Any) -> Any:
    """The batch whose only row this is: an array, or dicts and tuples of them."""
    return map_leaves(lambda array: np.asarray(array)[None], nested)


def count_rows(batch: Any) -> int:
    """The length of the arrays in a batch of observations."""
    while isinstance(batch, dict | tuple):
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    return len(batch)


def with_rows(batch: Any, ids: NDArray[np.int32], rows: Any) -> Any:
    """A copy of a batch with other rows in some places.

    Args:
        batch: Dicts and tuples of arrays, or one array.
        ids: The places.
        rows: What comes there, likewise.
    """
    left = iter(leaves_of(rows))

    def replaced(array: NDArray[Any]) -> NDArray[Any]:
        copy = array.copy()
        copy[ids] = next(left)
        return copy

    return map_leaves(replaced, batch)


def row_of(batch: Any, row: int) -> Any:
    """One row of a batch of observations, copied out of it.

    A single integer becomes Python's, which is what Gymnasium's environments return where the space
    is Discrete; another single number becomes an array of shape (), which a Box contains. A tuple
    of strings is a batch of Text.
    """
    if isinstance(batch, dict):
        return {key: row_of(value, row) for key, value in batch.items()}
    if isinstance(batch, tuple):
        is_text = isinstance(batch[0], str)
        return batch[row] if is_text else tuple(row_of(value, row) for value in batch)
    if batch.ndim > 1:
        return batch[row].copy()
    return batch[row].item() if batch.dtype.kind in "iu" else np.array(batch[row])


def nest(flat: dict[str, Any], make: Any = dict) -> dict[str, Any]:
    """Turns dotted keys into nested mappings made by ``make``, in order."""
    nested: dict[str, Any] = {}
    for path, value in flat.items():
        key, _, rest = path.partition(".")
        if rest:
            nested.setdefault(key, {})[rest] = value
        else:
            nested[key] = value
    return {
        key: make(nest(value, make)) if type(value) is dict else value
        for key, value in nested.items()
    }


def columns_of(described: dict[str, Any]) -> dict[str, Field]:
    """All columns that results can have, but for those of final rows.

    Args:
        described: What ``_core.EnvType.spec`` tells of an environment.
    """
    observation = {f"obs.{field['name']}": field for field in described["observation"]}
    info = {f"info.{field['name']}": field for field in described["info"]}
    own = {f"@{field['name']}": field for field in _core.own_columns}
    return observation | info | own


def import_dm_env(module: str = "dm_env") -> ModuleType:
    """A module of dm_env, which only those have who use ``env_type="dm"``.

    Raises:
        ImportError: It is not installed; the message says how to.
    """
    needs = 'env_type "dm" needs dm_env, which does not load ({}): '
    found: ModuleType = import_or_say(module, needs + install("dm"))
    return found


def dm_spec(field: Field) -> Any:
    """dm_env's spec of one environment's (or one player's) array."""
    specs = import_dm_env("dm_env.specs")
    low, high = bounds(field)
    dtype = np.dtype(field["dtype"])
    if field["space"] == "discrete" and int(low) == 0:
        return specs.DiscreteArray(int(high) + 1, dtype=dtype, name=field["name"])
    if is_uniform(low) and is_uniform(high):  # scalars, as EnvPool's are
        low, high = low.flat[0], high.flat[0]
    return specs.BoundedArray(field["shape"], dtype, low, high, name=field["name"])


def identifier(name: str) -> str:
    """The name with everything replaced that a named tuple's field cannot have."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if keyword.iskeyword(plain) or not plain.isidentifier() else plain


@functools.cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A type of named tuples that can be pickled, though no module has it."""
    plain: Any = namedtuple(name, fields)  # type: ignore[misc]
    return type(name, (plain,), {"__slots__": (), "__reduce__": _reduce})


def _reduce(values: Any) -> tuple[Any, ...]:
    return _rebuild, (type(values).__name__, values._fields, tuple(values))


def _rebuild(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return named_tuple(name, fields)(*values)


class NestedTuple:
    """Turns nested dicts with certain keys into nested named tuples.

    dm_env's users read ``timestep.observation.obs``.

    Args:
        name: The name of the outermost named tuple type.
        template: A dict with the keys, and dicts where others are nested.
    """

    def __init__(self, name: str, template: dict[str, Any]) -> None:
        self.type = named_tuple(name, tuple(identifier(key) for key in template))
        self._inner = {
            key: NestedTuple(identifier(key), value)
            for key, value in template.items()
            if isinstance(value, dict)
        }

    def build(self, values: dict[str, Any]) -> Any:
        """The named tuple of these values, whose keys come in the template's order."""
        inner = self._inner
        return self.type(
            *(inner[key].build(value) if key in inner else value for key, value in values.items())
        )
