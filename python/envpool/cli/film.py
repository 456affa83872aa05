"""``python -m envpool film``: moving pictures of a task, as a GIF or a video."""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import typer
from numpy.typing import NDArray

import envpool
from envpool.cli.console import (
    OptionArguments,
    TaskArgument,
    errors_as_messages,
    finite,
    make_console,
    make_progress,
    parse_options,
)
from envpool.cli.policies import Policy, make_policy
from envpool.errors import import_optional
from envpool.spec.memory import require_memory

# Options that have an argument of their own here, or that the command sets itself.
_ARGUMENTS = {
    "seed": "--seed",
    "num_envs": "--num-envs",
    **dict.fromkeys(("batch_size", "render_mode", "autoreset_mode"), ""),
}
_STEPS = 300
_LONGEST_DELAY = 65535  # of a GIF, in units of 10 ms
USUAL_FPS = 30  # of tasks that have no time of their own

FpsOption = Annotated[
    float, typer.Option(min=0.0, callback=finite, help="Frames per second; 0: the task's own rate.")
]


def film_task(
    task: TaskArgument,
    *,
    out: Annotated[
        Path, typer.Option(help="The file; its name ends in .gif or .mp4.", show_default=False)
    ],
    policy: Annotated[
        str, typer.Option(help="Who plays: random, MODULE:FUNCTION, or ppo.py:load:FILE.")
    ] = "random",
    steps: Annotated[
        int, typer.Option(min=0, help=f"How many steps; 0: {_STEPS}, or no limit with --episodes.")
    ] = 0,
    episodes: Annotated[
        int, typer.Option(min=0, help="End after this many, in all environments together.")
    ] = 0,
    fps: FpsOption = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="That of the first environment.")] = 0,
    num_envs: Annotated[
        int, typer.Option(min=1, help="How many environments, side by side in a grid.")
    ] = 1,
    option: OptionArguments = None,
) -> None:
    """Film how a policy plays a task: write a GIF or a video."""
    with errors_as_messages():
        check_out(out)
        options = parse_options(option, _ARGUMENTS)
        pool = envpool.make_gymnasium(
            task, num_envs=num_envs, seed=seed, render_mode="rgb_array", **options
        )
    with pool:
        with errors_as_messages():
            act = make_policy(policy, pool.spec, seed)
            if not episodes:
                _require_memory(out, pool, steps or _STEPS)
            writer = make_writer(out, fps, pool.metadata)
        with completing(writer):
            ended = _film(pool, act, writer, steps or (0 if episodes else _STEPS), episodes)
    make_console().print(f"{writer.summary()}; {ended} episodes ended")


@functools.wraps(film_task)
def record_task(**kwargs: Any) -> None:
    """Warn of the old name, and film."""
    make_console(stderr=True).print("warning: record is called film now; the old name will go")
    film_task(**kwargs)


def _require_memory(out: Path, pool: envpool.GymnasiumEnvPool, steps: int) -> None:
    width, height = pool.spec.frame_size
    need = steps * pool.num_envs * width * height * _writer_class(out).kept_per_pixel
    require_memory(need, f"{steps} pictures in one file need", ["--steps"])


@contextmanager
def completing(writer: Writer) -> Iterator[None]:
    """Complete the file, also after an error; Ctrl-C leaves none, which would be cut off."""
    try:
        try:
            yield
        finally:
            is_interrupted = isinstance(sys.exception(), KeyboardInterrupt)
            if not is_interrupted:
                with errors_as_messages():
                    writer.close()
    except KeyboardInterrupt:
        writer.discard()
        raise


def _film(
    pool: envpool.GymnasiumEnvPool, act: Policy, writer: Writer, steps: int, episodes: int
) -> int:
    """Step until the limits, of which 0 is none; returns how many episodes ended."""
    ended = taken = 0
    with make_progress() as progress:
        bar = progress.add_task("steps" if steps else "episodes", total=steps or episodes)
        with errors_as_messages():
            observation, info = pool.reset()
            over = np.zeros(pool.num_envs, bool)
            writer.add(grid(pool.render(pool.all_env_ids)))
        while not (0 < steps <= taken or 0 < episodes <= ended):
            action = act(observation, info, over)
            with errors_as_messages():
                observation, _, terminated, truncated, info = pool.step(action)
                writer.add(grid(pool.render(pool.all_env_ids)))
            taken += 1
            over = terminated | truncated
            ended += int(over.sum())
            progress.update(bar, completed=taken if steps else ended, refresh=True)
    return ended


def grid(frames: NDArray[np.uint8]) -> NDArray[Any]:
    """Put pictures side by side, in rows about as long as there are rows; the rest is black.

    Args:
        frames: Of shape ``(n, height, width, 3)``.

    Returns:
        One picture, of shape ``(rows * height, columns * width, 3)``.

    """
    count, height, width, channels = frames.shape
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    cells = np.zeros((rows * columns, height, width, channels), np.uint8)
    cells[:count] = frames
    split = cells.reshape(rows, columns, height, width, channels)
    return split.swapaxes(1, 2).reshape(rows * height, columns * width, channels)


class Writer(ABC):
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

    def __init__(self, path: Path, fps: float) -> None:
        self._path, self._fps, self.count = path, fps, 0

    @abstractmethod
    def add(self, frame: NDArray[np.uint8]) -> None:
        """Append a picture, RGB of shape ``(height, width, 3)``; all have the same shape.

        Raises:
            RuntimeError: It cannot be written.

        """

    @abstractmethod
    def close(self) -> None:
        """Complete the file; without pictures there is none.

        Raises:
            RuntimeError: It cannot be written.

        """

    def discard(self) -> None:
        """End it without a file."""
        self._path.unlink(missing_ok=True)

    def summary(self) -> str:
        """Say what is in the file."""
        seconds = self.count / self._fps
        return f"{self._path}: {self.count} pictures, {seconds:.1f} s at {self._fps:g} per second"

    def _unwritten(self, reason: object) -> RuntimeError:
        # ffmpeg's errors come with its whole output; what is wrong is in the first line.
        line = next(iter(str(reason).strip().splitlines()), "no reason is known")
        return RuntimeError(f"{self._path} cannot be written: {line}")


class GifWriter(Writer):
    """Writes a GIF that repeats for ever.

    Its pictures have 256 colours each, and its delays are multiples of 10 ms.
    """

    # Shorter delays than 20 ms are not what viewers show.
    most_fps: ClassVar[float] = 50.0
    kept_per_pixel: ClassVar[int] = 1

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g} for a GIF")
        if 100 / fps > _LONGEST_DELAY:
            least = 100 / _LONGEST_DELAY
            raise ValueError(f"--fps is {fps:g}, expected at least {least:g} for a GIF")
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
        delay = 10 * round(100 / self._fps)
        try:
            first.save(self._path, save_all=True, append_images=others, duration=delay, loop=0)
        except OSError as error:
            raise self._unwritten(error) from error


class Mp4Writer(Writer):
    """Writes a video with the codec H.264.

    It has even numbers of rows and columns: an odd one is made even by repeating the last.
    """

    most_fps: ClassVar[float] = 1000.0
    kept_per_pixel: ClassVar[int] = 0

    def __init__(self, path: Path, fps: float) -> None:
        super().__init__(path, fps)
        if fps > self.most_fps:
            raise ValueError(f"--fps is {fps:g}, expected at most {self.most_fps:g}")
        imageio = import_optional("imageio.v2", "imageio", "render")
        import_optional("imageio_ffmpeg", "imageio-ffmpeg", "render")
        # Without the block size, imageio scales pictures to multiples of 16.
        self._file = imageio.get_writer(path, format="FFMPEG", fps=fps, macro_block_size=2)

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
        if self.count and not (self._path.is_file() and self._path.stat().st_size):
            raise self._unwritten("ffmpeg left no file")


_WRITERS: dict[str, type[Writer]] = {".gif": GifWriter, ".mp4": Mp4Writer}


def _writer_class(path: Path) -> type[Writer]:
    return _WRITERS[path.suffix.lower()]


def make_writer(path: Path, fps: float, metadata: Mapping[str, Any]) -> Writer:
    """Make what writes a file.

    Args:
        path: One that :func:`check_out` does not refuse.
        fps: Pictures per second; 0: the task's own rate, as far as such a file can have it.
        metadata: The task's, in which that rate is, if it has one.
    """
    kind = _writer_class(path)
    return kind(path, fps or min(metadata.get("render_fps", USUAL_FPS), kind.most_fps))


def check_out(path: Path) -> None:
    """Refuse a path that no file can be written to.

    Raises:
        ValueError: Its name ends with something else than .gif or .mp4, it is in no
            folder, or nothing may be written there.

    """
    if path.suffix.lower() not in _WRITERS:
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
