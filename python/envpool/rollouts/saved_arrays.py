"""SavedArrays: a file of NumPy's arrays, as numpy.savez makes it, with a header."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError

# Arrays are written and read in pieces of about so many bytes: what is read takes its memory twice.
_PIECE = 2**24
_HEADER = "envpool"


def write_arrays(
    path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Writes a file, which replaces one of this name when it is complete.

    Args:
        path: The file.
        header: What :func:`json.dumps` takes.
        arrays: The arrays, of one axis or more.

    Raises:
        OSError: It cannot be written.
    """
    pieces = {_HEADER: np.array(json.dumps(header))}
    for name, array in arrays.items():
        rows = _rows_of_piece(array)
        pieces |= {
            f"{name}.{first}": array[first : first + rows] for first in range(0, len(array), rows)
        }
    unfinished = Path(f"{os.fspath(path)}.part")
    with unfinished.open("wb") as file:
        np.savez(file, **pieces)  # type: ignore[arg-type]
    unfinished.replace(path)


def _rows_of_piece(array: NDArray[Any]) -> int:
    return max(1, _PIECE // max(1, array[:1].nbytes))


class SavedArrays:
    """A file of arrays, to be read.

    Args:
        path: What :func:`write_arrays` has written.

    Attributes:
        header: The header.

    Raises:
        OSError: It cannot be opened.
        ArgumentError: It is another kind of file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        with Path(path).open("rb") as file:
            is_zip = zipfile.is_zipfile(file)
        if not is_zip:
            raise ArgumentError(f"{self._path} has another format, or its end is missing")
        self._pieces: Any = np.load(path, allow_pickle=False)
        self.header: dict[str, Any] = json.loads(str(self._piece(_HEADER)))

    def fill(self, name: str, array: NDArray[Any]) -> None:
        """Reads an array into one of its shape and dtype.

        Raises:
            ArgumentError: The file is damaged.
        """
        rows = _rows_of_piece(array)
        for first in range(0, len(array), rows):
            array[first : first + rows] = self._piece(f"{name}.{first}")

    def close(self) -> None:
        """Closes the file."""
        self._pieces.close()

    def _piece(self, name: str) -> Any:
        try:
            return self._pieces[name]
        except (KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise ArgumentError(f"{self._path} is damaged, or no file of envpool's") from error
