"""FrameStore: stacks of frames in memory that has each frame once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import row_bytes

# Options that say of how many frames an observation consists, oldest first, on its first axis.
_OPTIONS = ("stack_num", "frame_stack")
_PIECE = 4096  # frames of a file's arrays


def frames_of(spec: EnvSpec, shape: tuple[int, ...]) -> int:
    """Of how many frames an observation consists.

    Args:
        spec: The task's.
        shape: That of an array of its observations. Vectors are no stacks: next to them, references
            to frames would be large.
    """
    count = max(int(getattr(spec.config, option, 1)) for option in _OPTIONS)
    return count if len(shape) > 1 and shape[0] % count == 0 else 1


def frame_bytes(spec: EnvSpec) -> int:
    """The size of an environment's observation without the frames that the one before has."""
    fields = spec.spaces.described["observation"]
    kinds = [(field["dtype"], field["shape"]) for field in fields]
    return sum(row_bytes(dtype, shape) // frames_of(spec, shape) for dtype, shape in kinds)


class FrameStore:
    """Rows of stacks as references to frames.

    A row that goes on where the row before has ended brings one frame, its newest. Of a row that
    does not, all frames are stored.

    Args:
        num_rows: How many rows there are. They are written one after the other, and after the last
            one the first one again.
        num_envs: How many stacks a row has.
        shape: That of a stack.
        dtype: That of its values.
        num_frames: Of how many frames a stack consists, with the oldest one first.

    Attributes:
        num_frames: The same.
        newest: The newest frame of each stack, by row and environment.
        others: Further frames.
        references: The numbers of the frames of each stack, with a row for each of ``newest``:
            ``others`` are numbered from behind the last one of ``newest``.
        last: References of stacks that end episodes, likewise.
        shape: That of a stack.
    """

    def __init__(
        self, num_rows: int, num_envs: int, shape: tuple[int, ...], dtype: Any, num_frames: int = 1
    ) -> None:
        self.shape = shape
        self.num_frames = num_frames
        self._num_envs = num_envs
        frame = (shape[0] // num_frames, *shape[1:]) if num_frames > 1 else shape
        # The system gives memory only to what is written.
        self.newest: Any = np.zeros((num_rows * num_envs, *frame), dtype)
        self.others: Any = np.zeros((0, *frame), dtype)
        self.references: Any = np.zeros((num_rows * num_envs, num_frames), np.intp)
        self.last: Any = np.zeros(self.references.shape, np.intp)  # zeros_like() would write it
        self._owned: dict[int, list[int]] = {}  # by row: the places of those others that it brought
        self._free: list[int] = []  # places of others
        self._is_checked = False

    def rows(self, row: int) -> slice:
        """Where the stacks of a row are."""
        return slice(row * self._num_envs, (row + 1) * self._num_envs)

    def keep(self, row: int, stacks: NDArray[Any], begins: NDArray[np.bool_]) -> None:
        """Writes a row.

        Args:
            row: Which one.
            stacks: Its stacks.
            begins: True where a stack does not go on where that of the row before has ended.

        Raises:
            ArgumentError: Observations are no stacks of frames, oldest first.
        """
        self.newest[self.rows(row)] = self._frames(stacks)[:, -1]
        self._free += self._owned.pop(row, [])
        references = self.references[self.rows(row)]
        references[:, -1] = np.arange(row * self._num_envs, (row + 1) * self._num_envs)
        if self.num_frames == 1:
            return
        last = (row - 1) % (len(self.newest) // self._num_envs)
        references[:, :-1] = self.references[self.rows(last), 1:]
        envs = np.flatnonzero(begins)
        if len(envs):
            references[envs, :-1] = self._add(row, self._frames(stacks)[envs, :-1])
        if not self._is_checked and len(envs) < self._num_envs:
            self._check(references, stacks)

    def keep_last(self, row: int, envs: NDArray[np.intp], stacks: NDArray[Any]) -> None:
        """Writes the stacks that end episodes, until the row is written again.

        Args:
            row: The row after which they ended.
            envs: Whose episodes.
            stacks: Their last stacks.
        """
        self.last[self.rows(row)][envs] = self._add(row, self._frames(stacks))

    def _add(self, row: int, frames: NDArray[Any]) -> NDArray[np.intp]:
        """Stores frames of shape ``(n, frames, ...)`` until a row is written again.

        Returns:
            Their references, of shape ``(n, frames)``.
        """
        shape = frames.shape[:2]
        count = shape[0] * shape[1]
        if count > len(self._free):
            self._make_room(max(count, len(self.others) // 2))
        places = [self._free.pop() for _ in range(count)]
        self._owned.setdefault(row, []).extend(places)
        self.others[places] = frames.reshape(count, *frames.shape[2:])
        return np.array(places, np.intp).reshape(shape) + len(self.newest)

    def _make_room(self, count: int) -> None:
        """Makes places for so many other frames."""
        first = len(self.others)
        more = np.zeros((count, *self.others.shape[1:]), self.others.dtype)
        self.others = np.concatenate([self.others, more])
        self._free += range(first, first + count)

    def gather(self, references: Any) -> Any:
        """Copies stacks.

        Args:
            references: Of shape ``(..., frames)``.

        Returns:
            An array of shape ``(..., *shape)``.
        """
        count = len(self.newest)
        frames = self.newest[references % count]
        is_other = references >= count
        if is_other.any():
            frames[is_other] = self.others[references[is_other] - count]
        return frames.reshape((*references.shape[:-1], *self.shape))

    def map(self, function: Callable[[Any], Any]) -> FrameStore:
        """One to read, with what a function makes of the arrays."""
        result = copy.copy(self)
        result.newest, result.others = function(self.newest), function(self.others)
        result.references = function(self.references)
        return result

    def saved(self, num_rows: int) -> Iterator[tuple[str, NDArray[Any]]]:
        """The arrays of the first rows, and what is there besides, by their names in files."""
        owners = np.full(len(self.others), -1)
        for row, places in self._owned.items():
            owners[places] = row
        yield from (("others", self.others), ("owners", owners))
        yield from self._filled(num_rows)

    def restore(self, name: str, saved: Mapping[str, NDArray[Any]], num_rows: int) -> None:
        """Reads what :meth:`saved` has returned.

        Args:
            name: What names in the file begin with.
            saved: The file.
            num_rows: How many rows it has.
        """
        self.others, owners = saved[f"{name}.others"], saved[f"{name}.owners"]
        self._owned, self._free = {}, []
        for place, row in enumerate(owners.tolist()):
            (self._free if row < 0 else self._owned.setdefault(row, [])).append(place)
        for key, array in self._filled(num_rows):
            array[:] = saved[f"{name}.{key}"]

    def _filled(self, num_rows: int) -> Iterator[tuple[str, NDArray[Any]]]:
        """Views of the first rows; of frames in pieces, because what is read takes its memory."""
        count = num_rows * self._num_envs
        for first in range(0, count, _PIECE):
            yield f"newest.{first}", self.newest[first : min(first + _PIECE, count)]
        yield from (("references", self.references[:count]), ("last", self.last[:count]))

    def _frames(self, stacks: NDArray[Any]) -> NDArray[Any]:
        """The same with an axis for the frames."""
        return stacks.reshape(len(stacks), self.num_frames, *self.newest.shape[1:])

    def _check(self, references: NDArray[np.intp], stacks: NDArray[Any]) -> None:
        self._is_checked = True
        if self.gather(references).tobytes() != stacks.tobytes():
            raise ArgumentError(
                "the pool's observations are no stacks that drop their oldest frame in a step: its "
                "frames cannot be kept once"
            )
