"""Files of moving pictures: GIFs and videos, and the object that stands for one."""

from __future__ import annotations

import base64
import html
import os
import sys
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, import_optional, shown
from envpool.spec.memory import require_memory

USUAL_FPS = 30  # of tasks that have no time of their own
_LONGEST_DELAY = 65535  # of a GIF, in units of 10 ms
_MOST_EMBEDDED = 2**24  # bytes of a file that a notebook gets a copy of


class Film:
    """A file of moving pictures, which a notebook shows. ``open`` and the like take it as a path.

    Args:
        writer: What has written it.
        is_temporary: True if the file goes when this object goes.

    Attributes:
        path: The file.
        pictures: How many there are.
        fps: How many of them are shown per second.
    """

    def __init__(self, writer: Writer, *, is_temporary: bool = False) -> None:
        self.path, self.pictures, self.fps = writer.path, writer.count, writer.fps
        if is_temporary:
            weakref.finalize(self, self.path.unlink, missing_ok=True)

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        seconds = self.pictures / self.fps
        return f"{self.path}: {self.pictures} pictures, {seconds:.1f} s at {self.fps:g} per second"

    def _repr_html_(self) -> str:
        """What a notebook shows: the film itself, unless its file is large or gone."""
        told = html.escape(repr(self))
        size = self.path.stat().st_size if self.path.is_file() else 0
        if not 0 < size <= _MOST_EMBEDDED:
            return f"<p>{told}, in a file of {size / 1e6:.1f} MB, which is not shown here</p>"
        kind = _WRITERS[self.path.suffix.lower()].media_type
        data = f"data:{kind};base64,{base64.b64encode(self.path.read_bytes()).decode()}"
        style = 'style="max-width: 100%"'
        if kind.startswith("video"):
            return f'<video src="{data}" title="{told}" {style} controls loop></video>'
        return f'<img src="{data}" title="{told}" {style}>'


def write_film(
    path: str | os.PathLike[str] | None,
    fps: float | None,
    metadata: Mapping[str, Any],
    pictures: Iterable[NDArray[np.uint8]],
    most: int | None = None,
) -> Film:
    """Writes a film.

    Args:
        path: The file, whose name ends in .gif or .mp4; None: a temporary one.
        fps: Pictures per second; None: the task's own rate, as far as such a file can have it.
        metadata: The task's, in which that rate is, if it has one.
        pictures: RGB, each of shape ``(height, width, 3)``. If this raises, the file has what there
            was until then; but a temporary one is removed, and so is any after Ctrl-C.
        most: How many pictures there can be, if that is known.

    Raises:
        ArgumentError: See :func:`check_path` and :class:`Writer`; or there are no pictures.
        ImportError: What writes such files is not installed.
        MemoryError: So many pictures do not fit into memory.
        RuntimeError: The file cannot be written.
    """
    chosen = _temporary_path() if path is None else check_path(path)
    try:
        kind = _WRITERS[chosen.suffix.lower()]
        usual = min(metadata.get("render_fps") or USUAL_FPS, kind.most_fps)
        writer = kind(chosen, usual if fps is None else fps)
        with completing(writer):
            for picture in pictures:
                if most and not writer.count:
                    need = most * kind.kept_per_pixel * picture.size // 3
                    require_memory(need, f"{most} pictures in one file need", ["steps"])
                writer.add(picture)
        if not writer.count:
            raise ArgumentError(f"{chosen} was not written: there are no pictures")
    except BaseException:
        if path is None:
            chosen.unlink(missing_ok=True)
        raise
    return Film(writer, is_temporary=path is None)


def _temporary_path() -> Path:
    handle, name = tempfile.mkstemp(".mp4", "envpool-")
    os.close(handle)
    return Path(name)


def check_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Refuses a path that no film can be written to.

    Args:
        path: The path.
        name: What messages call it.

    Raises:
        TypeError: It is none.
        ArgumentError: Its name ends with something else than .gif or .mp4, it is in no folder, or
            nothing may be written there.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} is {shown(path)}, expected the name of a file")
    path = Path(os.fspath(path))
    if path.suffix.lower() not in _WRITERS:
        raise ArgumentError(f"{name} is {str(path)!r}, expected a name that ends with .gif or .mp4")
    if not path.parent.is_dir():
        raise ArgumentError(f"{name} is {str(path)!r}, but there is no folder {str(path.parent)!r}")
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(
            f"{name} is {str(path)!r}, where no file can be written: {reason}"
        ) from None
    return path


@contextmanager
def completing(writer: Writer) -> Iterator[None]:
    """Completes the file, also after an error; Ctrl-C leaves none, which would be cut off."""
    try:
        try:
            yield
        finally:
            is_interrupted = isinstance(sys.exception(), KeyboardInterrupt)
            if not is_interrupted:
                writer.close()
    except KeyboardInterrupt:
        writer.discard()
        raise


class Writer(ABC):
    """Writes a file of moving pictures, which :meth:`close` completes.

    Args:
        path: The file, which is replaced.
        fps: Pictures per second.

    Attributes:
        least_fps: The lowest ``fps`` that such a file can have.
        most_fps: The highest one.
        kept_per_pixel: How many bytes of each pixel stay in memory until the file is complete.
        media_type: What such files are called in the web.
        count: How many pictures there are so far.

    Raises:
        ImportError: The library that writes such files is not installed.
        ArgumentError: ``fps`` is too high or too low.
    """

    least_fps: ClassVar[float]
    most_fps: ClassVar[float]
    kept_per_pixel: ClassVar[int]
    media_type: ClassVar[str]

    def __init__(self, path: Path, fps: Any) -> None:
        if not (
            isinstance(fps, int | float | np.number) and self.least_fps <= fps <= self.most_fps
        ):
            raise ArgumentError(
                f"fps is {shown(fps)}, expected {self.least_fps:g} <= fps <= {self.most_fps:g} for "
                f"{path.suffix.lower()}"
            )
        self.path = path
        self.fps = float(fps)
        self.count = 0

    @abstractmethod
    def add(self, frame: NDArray[np.uint8]) -> None:
        """Appends a picture, RGB of shape ``(height, width, 3)``; all have the same shape.

        Raises:
            RuntimeError: It cannot be written.
        """

    @abstractmethod
    def close(self) -> None:
        """Completes the file; without pictures there is none.

        Raises:
            RuntimeError: It cannot be written.
        """

    def discard(self) -> None:
        """Ends it without a file."""
        self.path.unlink(missing_ok=True)

    def _unwritten(self, reason: object) -> RuntimeError:
        # ffmpeg's errors come with its whole output; what is wrong is in the first line.
        line = next(iter(str(reason).strip().splitlines()), "no reason is known")
        return RuntimeError(f"{self.path} cannot be written: {line}")


class GifWriter(Writer):
    """Writes a GIF that repeats for ever.

    Its pictures have 256 colours each, and its delays are multiples of 10 ms.
    """

    least_fps: ClassVar[float] = 100 / _LONGEST_DELAY
    # Shorter delays than 20 ms are not what viewers show.
    most_fps: ClassVar[float] = 50.0
    kept_per_pixel: ClassVar[int] = 1
    media_type: ClassVar[str] = "image/gif"

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        self._pillow = import_optional("PIL.Image", "pillow", "render")
        self._pictures: list[Any] = []

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
        delay = 10 * round(100 / self.fps)
        try:
            first.save(self.path, save_all=True, append_images=others, duration=delay, loop=0)
        except OSError as error:
            raise self._unwritten(error) from error


class Mp4Writer(Writer):
    """Writes a video with the codec H.264.

    It has even numbers of rows and columns: an odd one is made even by repeating the last.
    """

    least_fps: ClassVar[float] = 0.001
    most_fps: ClassVar[float] = 1000.0
    kept_per_pixel: ClassVar[int] = 0
    media_type: ClassVar[str] = "video/mp4"

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        imageio = import_optional("imageio.v2", "imageio", "render")
        import_optional("imageio_ffmpeg", "imageio-ffmpeg", "render")
        # Without the block size, imageio scales pictures to multiples of 16. Of half a picture,
        # which Ctrl-C may leave, ffmpeg would say that it is broken.
        self._file = imageio.get_writer(
            path, format="FFMPEG", fps=fps, macro_block_size=2, ffmpeg_log_level="fatal"
        )

    def add(self, frame: NDArray[np.uint8]) -> None:
        """See :meth:`Writer.add`."""
        height, width, _ = frame.shape
        even = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge")
        try:
            self._file.append_data(even)
        except OSError as error:
            raise self._unwritten(error) from error
        self.count += 1

    def discard(self) -> None:
        """See :meth:`Writer.discard`."""
        with suppress(Exception):  # ffmpeg may have ended by Ctrl-C, too
            self._file.close()
        super().discard()

    def close(self) -> None:
        """See :meth:`Writer.close`."""
        self._file.close()
        # ffmpeg may still fail then, and nobody asks it whether it did.
        if self.count and not (self.path.is_file() and self.path.stat().st_size):
            raise self._unwritten("ffmpeg left no file")


_WRITERS: dict[str, type[Writer]] = {".gif": GifWriter, ".mp4": Mp4Writer}
