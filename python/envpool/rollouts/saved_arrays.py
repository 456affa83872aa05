"""Files of NumPy's arrays, as numpy.savez makes them."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a file, which replaces one of this name when it is complete.

    Raises:
        OSError: It cannot be written.
    """
    unfinished = Path(f"{os.fspath(path)}.part")
    with unfinished.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    unfinished.replace(path)


@contextmanager
def open_arrays(path: str | os.PathLike[str]) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Opens a file, whose arrays are read when they are looked up.

    Raises:
        OSError: It cannot be read.
        ArgumentError: It has another format, lacks an array or is damaged.
    """
    with Path(path).open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ArgumentError(f"{path} has another format, or its end is missing")
    try:
        with np.load(path, allow_pickle=False) as arrays:
            yield arrays
    except ArgumentError:
        raise
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ArgumentError(f"{path} is damaged, or of another kind: {error}") from error
