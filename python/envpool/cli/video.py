"""Files of moving pictures."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from envpool.errors import install


class Writer(Protocol):
    """Writes a file of moving pictures, which :meth:`close` completes.

    Args:
        path: The file, which is replaced.
        fps: Pictures per second.

    Attributes:
        most_fps: The highest ``fps`` that such a file can have.
        kept_per_pixel: How many bytes of each pixel stay in memory until the file is complete.
        count: How many pictures there are so far.

    Raises:
        ImportError: The library that writes such files is not installed.
        ValueError: ``fps`` is too high or too low.
    """

    most_fps: ClassVar[float]
    kept_per_pixel: ClassVar[int]
    count: int

    def __init__(self, path: Path, fps: float) -> None: ...

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Append a picture, RGB of shape ``(height, width, 3)``; all have the same shape.

        Raises:
            RuntimeError: It cannot be written.

        """
        ...

    def close(self) -> None:
        """Complete the file; without pictures there is none.

        Raises:
            RuntimeError: It cannot be written.

        """
        ...


_LONGEST_DELAY = 65535  # of a GIF, in units of 10 ms


class GifWriter:
    """Writes a GIF that repeats for ever; see :class:`Writer`.

    Its pictures have 256 colours each, and its delays are multiples of 10 ms.
    """

    # Shorter delays than 20 ms are not what viewers show.
    most_fps: ClassVar[float] = 50.0
    kept_per_pixel: ClassVar[int] = 1

    def __init__(self, path: Path, fps: float) -> None:
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g} for a GIF")
        if 100 / fps > _LONGEST_DELAY:
            least = 100 / _LONGEST_DELAY
            raise ValueError(f"--fps is {fps:g}, expected at least {least:g} for a GIF")
        self._pillow = _load("PIL.Image", "pillow")
        self._path, self._delay = path, 10 * round(100 / fps)
        self._pictures: list[Any] = []
        self.count = 0

    def add(self, frame: NDArray[np.uint8]) -> None:
        """See :meth:`Writer.add`."""
        # Quantised at once, which takes a third of the memory.
        self._pictures.append(self._pillow.fromarray(frame).quantize(256))
        self.count += 1

    def close(self) -> None:
        """See :meth:`Writer.close`."""
        if not self._pictures:
            return
        first, *others = self._pictures
        options = {"append_images": others, "duration": self._delay, "loop": 0}
        try:
            first.save(self._path, save_all=True, **options)
        except OSError as error:
            raise _unwritten(self._path, error) from error


class Mp4Writer:
    """Writes a video with the codec H.264; see :class:`Writer`.

    It has even numbers of rows and columns: an odd one is made even by repeating the last.
    """

    most_fps: ClassVar[float] = 1000.0
    kept_per_pixel: ClassVar[int] = 0

    def __init__(self, path: Path, fps: float) -> None:
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g}")
        imageio: Any = _load("imageio.v2", "imageio")
        _load("imageio_ffmpeg", "imageio-ffmpeg")
        # Otherwise it scales pictures to multiples of 16.
        self._file = imageio.get_writer(path, format="FFMPEG", fps=fps, macro_block_size=2)
        self._path = path
        self.count = 0

    def add(self, frame: NDArray[np.uint8]) -> None:
        """See :meth:`Writer.add`."""
        height, width, _ = frame.shape
        even = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge")
        try:
            self._file.append_data(even)
        except OSError as error:
            raise _unwritten(self._path, error) from error
        self.count += 1

    def close(self) -> None:
        """See :meth:`Writer.close`."""
        self._file.close()
        # ffmpeg may still fail then, and nobody asks it whether it did.
        if self.count and not (self._path.is_file() and self._path.stat().st_size):
            raise _unwritten(self._path, "ffmpeg left no file")


WRITERS: dict[str, type[GifWriter] | type[Mp4Writer]] = {".gif": GifWriter, ".mp4": Mp4Writer}


def check_out(path: Path) -> None:
    """Refuse a path that no file can be written to.

    Raises:
        ValueError: Its name ends with something else than those of :data:`WRITERS`, it is in no
            folder, or nothing may be written there.

    """
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"--out is {str(path)!r}, expected a name that ends with .gif or .mp4")
    if not path.parent.is_dir():
        raise ValueError(f"--out is {str(path)!r}, but there is no folder {str(path.parent)!r}")
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(
            f"--out is {str(path)!r}, where no file can be written: {reason}"
        ) from None


def _unwritten(path: Path, reason: object) -> RuntimeError:
    # ffmpeg's errors come with its whole output; what is wrong is in the first line.
    line = next(iter(str(reason).strip().splitlines()), "no reason is known")
    return RuntimeError(f"{path} cannot be written: {line}")


def _load(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: {install('render')} ({error})") from error
