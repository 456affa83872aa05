"""Files of moving pictures: GIFs and videos, and the object that stands for one."""

from __future__ import annotations

import base64
import html
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, import_optional, shown
from envpool.spec.memory import require_memory

USUAL_FPS = 30  # of tasks that have no time of their own
_LONGEST_DELAY = 65535  # of a GIF, in units of 10 ms
_MOST_EMBEDDED = 2**24  # bytes of a file that a notebook gets a copy of


class _Gif:
    """A GIF that repeats for ever, of 256 colours per picture; delays are multiples of 10 ms."""

    least_fps = 100 / _LONGEST_DELAY
    most_fps = 50.0  # shorter delays than 20 ms are not what viewers show
    media_type = "image/gif"

    def __init__(self, path: Path, fps: float) -> None:
        self._path, self._delay = path, 10 * round(100 / fps)
        self._pillow = import_optional("PIL.Image", "pillow", "render")
        self._pictures: list[Any] = []

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Appends a picture; all have the same shape."""
        # Quantised at once, which takes a third of the memory.
        self._pictures.append(self._pillow.fromarray(frame).quantize(256))

    def close(self) -> None:
        """Completes the file."""
        first, *others = self._pictures
        options = {"duration": self._delay, "loop": 0}
        first.save(self._path, save_all=True, append_images=others, **options)

    def abandon(self) -> None:
        """Ends it, whatever there is in the file."""


class _Mp4:
    """A video with the codec H.264, with :class:`_Gif`'s methods.

    It has even numbers of rows and columns: an odd one is made even by repeating the last.
    """

    least_fps = 0.001
    most_fps = 1000.0
    media_type = "video/mp4"

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        imageio = import_optional("imageio.v2", "imageio", "render")
        import_optional("imageio_ffmpeg", "imageio-ffmpeg", "render")
        # Without the block size, imageio scales pictures to multiples of 16. Of half a picture,
        # which Ctrl-C may leave, ffmpeg would say that it is broken.
        self._file = imageio.get_writer(
            path, format="FFMPEG", fps=fps, macro_block_size=2, ffmpeg_log_level="fatal"
        )

    def add(self, frame: NDArray[np.uint8]) -> None:
        height, width, _ = frame.shape
        self._file.append_data(np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), "edge"))

    def close(self) -> None:
        self._file.close()
        # ffmpeg may still fail then, and nobody asks it whether it did.
        if not (self._path.is_file() and self._path.stat().st_size):
            raise OSError("ffmpeg left no file")

    def abandon(self) -> None:
        with suppress(Exception):  # ffmpeg may have ended by Ctrl-C, too
            self._file.close()


_KINDS: dict[str, type[_Gif | _Mp4]] = {".gif": _Gif, ".mp4": _Mp4}


class Film:
    """A file of moving pictures, which a notebook shows. ``open`` and the like take it as a path.

    Args:
        path: The file.
        pictures: How many there are.
        fps: How many of them are shown per second.
        is_temporary: True if the file goes when this object goes.
    """

    def __init__(
        self, path: Path, pictures: int, fps: float, *, is_temporary: bool = False
    ) -> None:
        self.path, self.pictures, self.fps = path, pictures, fps
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
        kind = _KINDS[self.path.suffix.lower()].media_type
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
        most: How many there are at most; None: nobody knows.

    Raises:
        ArgumentError: See :func:`check_path`; ``fps`` is nothing that such a file can have; there
            are no pictures; or one is empty, or has another size than the first.
        ImportError: What writes such files is not installed.
        RuntimeError: The file cannot be written.
        MemoryError: So many pictures of a GIF, which is in memory until it is complete, do not fit.
    """
    chosen = _temporary_path() if path is None else check_path(path)
    try:
        kind = _KINDS[chosen.suffix.lower()]
        if fps is None:
            fps = min(metadata.get("render_fps") or USUAL_FPS, kind.most_fps)
        if not (
            isinstance(fps, int | float | np.number) and kind.least_fps <= fps <= kind.most_fps
        ):
            raise ArgumentError(
                f"fps is {shown(fps)}, expected {kind.least_fps:g} <= fps <= {kind.most_fps:g} for "
                f"{chosen.suffix.lower()}"
            )
        count = _write(kind, chosen, float(fps), pictures, most)
    except BaseException as error:
        if path is None or isinstance(error, KeyboardInterrupt):  # it would be cut off
            chosen.unlink(missing_ok=True)
        raise
    return Film(chosen, count, float(fps), is_temporary=path is None)


def _write(
    kind: type[_Gif | _Mp4],
    path: Path,
    fps: float,
    pictures: Iterable[NDArray[np.uint8]],
    most: int | None,
) -> int:
    """Writes pictures, completes the file also after an error, and returns their number."""
    count, writer = 0, kind(path, fps)
    shape: tuple[int, ...] = ()
    try:
        for picture in pictures:
            shape = shape or picture.shape
            if picture.shape != shape or not picture.size:
                raise ArgumentError(
                    f"picture {count} of {path} has the shape {picture.shape}, expected "
                    + (f"{shape} as those before" if count else "rows and columns")
                )
            if most and not count and kind is _Gif:
                require_memory(
                    most * picture.size // 3, f"{most} pictures in a GIF need", ["steps"]
                )
            with _told(path):
                writer.add(picture)
            count += 1
    finally:
        if count and not isinstance(sys.exception(), KeyboardInterrupt):
            with _told(path):
                writer.close()
        else:
            writer.abandon()
    if not count:
        raise ArgumentError(f"{path} was not written: there are no pictures")
    return count


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Makes a RuntimeError of what the system or ffmpeg refuses."""
    try:
        yield
    except OSError as error:
        # ffmpeg's errors come with its whole output; what is wrong is in the first line.
        line = next(iter(str(error).strip().splitlines()), "no reason is known")
        raise RuntimeError(f"{path} cannot be written: {line}") from error


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
    if path.suffix.lower() not in _KINDS:
        raise ArgumentError(f"{name} is {str(path)!r}, expected a name that ends with .gif or .mp4")
    if not path.parent.is_dir():
        raise ArgumentError(f"{name} is {str(path)!r}, but there is no folder {str(path.parent)!r}")
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except (OSError, ValueError) as error:  # of what can be no path, the second
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"{name} is {str(path)!r}, where no file can be written: {reason}"
        ) from None
    return path
