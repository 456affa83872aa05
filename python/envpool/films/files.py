"""Files of moving pictures: GIFs and videos, and the object that stands for one."""

from __future__ import annotations

import base64
import html
import os
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, import_optional, shown

USUAL_FPS = 30  # of tasks that have no time of their own
_MOST_EMBEDDED = 2**24  # bytes of a file that a notebook gets a copy of


class _Kind(NamedTuple):
    """What the files with one ending can have.

    Attributes:
        least_fps: The fewest pictures per second.
        most_fps: The most.
        media_type: What browsers call such a file.
        block: Their numbers of rows and columns are multiples of it.
        options: Further arguments of ``imageio_ffmpeg.write_frames``.
    """

    least_fps: float
    most_fps: float
    media_type: str
    block: int
    options: dict[str, Any]


# Each picture of a GIF has its own 256 colours, and its delay is a multiple of 10 ms: at most 65535
# of them, and two at least, because viewers show shorter ones otherwise.
_COLOURS = (
    "split[a][b];[a]palettegen=stats_mode=single:reserve_transparent=0[colours];"
    "[b][colours]paletteuse=new=1:dither=none"
)
_GIF = {"codec": "gif", "pix_fmt_out": "pal8", "quality": None, "output_params": ["-vf", _COLOURS]}
_KINDS = {
    ".gif": _Kind(100 / 65535, 50.0, "image/gif", 1, _GIF),
    ".mp4": _Kind(0.001, 1000.0, "video/mp4", 2, {}),
}


class Film:
    """A file of moving pictures, which a notebook shows. ``open`` and the like take it as a path.

    Args:
        path: The file.
        pictures: How many there are.
        fps: How many of them are shown per second.
    """

    def __init__(self, path: Path, pictures: int, fps: float) -> None:
        self.path, self.pictures, self.fps = path, pictures, fps

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
) -> Film:
    """Writes a film.

    Args:
        path: The file, whose name ends in .gif or .mp4; None: a temporary one.
        fps: Pictures per second; None: the task's own rate, as far as such a file can have it.
        metadata: The task's, in which that rate is, if it has one.
        pictures: RGB, each of shape ``(height, width, 3)``. If this raises, the file has what there
            was until then; but a temporary one is removed, and so is any after Ctrl-C.

    Raises:
        ArgumentError: See :func:`check_path`; ``fps`` is nothing that such a file can have; there
            are no pictures; or one is empty, or has another size than the first.
        ImportError: What writes such files is not installed.
        RuntimeError: The file cannot be written.
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
        count = _write(kind, chosen, float(fps), pictures)
    except BaseException as error:
        if path is None or isinstance(error, KeyboardInterrupt):  # it would be cut off
            chosen.unlink(missing_ok=True)
        raise
    film = Film(chosen, count, float(fps))
    if path is None:
        weakref.finalize(film, chosen.unlink, missing_ok=True)
    return film


def _write(kind: _Kind, path: Path, fps: float, pictures: Iterable[NDArray[np.uint8]]) -> int:
    """Writes pictures, completes the file also after an error, and returns their number."""
    ffmpeg = import_optional("imageio_ffmpeg", "imageio-ffmpeg", "render")
    count, writer = 0, None
    shape: tuple[int, ...] = ()
    try:
        for picture in pictures:
            shape = shape or picture.shape
            if picture.shape != shape or not picture.size:
                raise ArgumentError(
                    f"picture {count} of {path} has the shape {picture.shape}, expected "
                    + (f"{shape} as those before" if count else "rows and columns")
                )
            # An odd number of rows or columns is made even by repeating the last.
            missing = [(0, -length % kind.block) for length in shape[:2]]
            padded = np.pad(picture, [*missing, (0, 0)], "edge")
            if writer is None:
                size = padded.shape[1], padded.shape[0]
                # Of half a picture, which Ctrl-C may leave, ffmpeg would say that it is broken.
                own = {"macro_block_size": 1, "ffmpeg_log_level": "fatal"} | kind.options
                writer = ffmpeg.write_frames(path, size, fps=fps, **own)
                writer.send(None)
            try:
                writer.send(padded.tobytes())
            except OSError as error:  # in the first line of ffmpeg's whole output
                reason = str(error).partition("\n")[0]
                raise RuntimeError(f"{path} cannot be written: {reason}") from error
            count += 1
    finally:
        if writer is not None:
            writer.close()
    if not count:
        raise ArgumentError(f"{path} was not written: there are no pictures")
    # ffmpeg may still have failed at the end, and nobody asks it whether it did.
    if not (path.is_file() and path.stat().st_size):
        raise RuntimeError(f"{path} cannot be written: ffmpeg left no file")
    return count


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
    try:
        is_new = not path.exists()
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except (OSError, ValueError) as error:  # of what can be no path, the second
        raise ArgumentError(
            f"{name} is {str(path)!r}, where no file can be written: {error}"
        ) from None
    return path
