"""Files of moving pictures."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from envpool.drawing import INSTALL


class Writer(Protocol):
    """Writes a file of moving pictures; a context manager that completes it.

    Args:
        path: The file, which is replaced.
        fps: Pictures per second.

    Attributes:
        most_fps: The highest ``fps`` that such a file can have.
        count: How many pictures there are so far.

    Raises:
        ImportError: The library that writes such files is not installed.
        ValueError: ``fps`` is too high.
    """

    most_fps: ClassVar[float]
    count: int

    def __init__(self, path: Path, fps: float) -> None: ...

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Append a picture, RGB of shape ``(height, width, 3)``; all have the same shape."""
        ...

    def __enter__(self) -> Writer: ...

    def __exit__(self, *exception: object) -> None: ...


class GifWriter:
    """Writes a GIF that repeats for ever; see :class:`Writer`.

    Its pictures have 256 colours each, and its delays are multiples of 10 ms.
    """

    # Shorter delays than 20 ms are not what viewers show.
    most_fps: ClassVar[float] = 50.0

    def __init__(self, path: Path, fps: float) -> None:
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g} for a GIF")
        self._pillow = _load("PIL.Image", "pillow")
        self._path, self._delay = path, 10 * round(100 / fps)
        self._pictures: list[Any] = []
        self.count = 0

    def add(self, frame: NDArray[np.uint8]) -> None:
        """See :meth:`Writer.add`."""
        # Quantised at once, which takes a third of the memory.
        self._pictures.append(self._pillow.fromarray(frame).quantize(256))
        self.count += 1

    def __enter__(self) -> GifWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pictures:
            first, *others = self._pictures
            first.save(
                self._path, save_all=True, append_images=others, duration=self._delay, loop=0
            )


class Mp4Writer:
    """Writes a video with the codec H.264; see :class:`Writer`.

    It has even numbers of rows and columns: an odd one is made even by repeating the last.
    """

    most_fps: ClassVar[float] = 1000.0

    def __init__(self, path: Path, fps: float) -> None:
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g}")
        imageio: Any = _load("imageio.v2", "imageio")
        _load("imageio_ffmpeg", "imageio-ffmpeg")
        # Otherwise it scales pictures to multiples of 16.
        self._file = imageio.get_writer(path, format="FFMPEG", fps=fps, macro_block_size=2)
        self.count = 0

    def add(self, frame: NDArray[np.uint8]) -> None:
        """See :meth:`Writer.add`."""
        height, width, _ = frame.shape
        self._file.append_data(np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge"))
        self.count += 1

    def __enter__(self) -> Mp4Writer:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()


WRITERS: dict[str, type[GifWriter] | type[Mp4Writer]] = {".gif": GifWriter, ".mp4": Mp4Writer}


def check_out(path: Path) -> None:
    """Refuse a path that no file can be written to.

    Raises:
        ValueError: Its name ends with something else than those of :data:`WRITERS`, or it is in no
            folder.

    """
    if path.suffix.lower() not in WRITERS:
        raise ValueError(f"--out is {str(path)!r}, expected a name that ends with .gif or .mp4")
    if not path.parent.is_dir():
        raise ValueError(f"--out is {str(path)!r}, but there is no folder {str(path.parent)!r}")


def _load(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: {INSTALL} ({error})") from error
