"""The models that callers give, as texts that other processes can read, too."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from envpool.errors import ArgumentError, shown

_EXPECTED = "expected a path, XML, bytes of a .mjb file, a mujoco.MjSpec or a mujoco.MjModel"


def model_text(model: Any) -> str:
    """The absolute path of a model's file, or its XML.

    Args:
        model: The path of a file (``.xml``, ``.urdf`` or ``.mjb``), XML, the bytes of a ``.mjb``
            file, or what the package ``mujoco`` has made: an ``MjSpec`` or an ``MjModel``. The last
            three become a file of this process, which goes with it.

    Raises:
        TypeError: It is none of these.
        ArgumentError: There is no such file, or the ``MjSpec`` does not compile.
    """
    if isinstance(model, bytes | bytearray | memoryview):
        return _kept(bytes(model))
    if isinstance(model, str) and model.lstrip().startswith("<"):
        return model
    if isinstance(model, str | os.PathLike):
        path = Path(model).expanduser().absolute()
        if not path.is_file():
            raise ArgumentError(f"model is {shown(os.fspath(model))}, and there is no file {path}")
        return str(path)
    if callable(getattr(model, "compile", None)):
        try:
            model = model.compile()
        except ValueError as error:
            raise ArgumentError(f"model does not compile: {error}") from error
    if type(model).__name__ == "MjModel":
        return _kept(_saved(model))
    raise TypeError(f"model is {shown(model)}, {_EXPECTED}")


def is_kept(text: str) -> bool:
    """True if a text of :func:`model_text` is a file that goes with this process."""
    return text.startswith(str(_folder(os.getpid())))


def _saved(model: Any) -> bytes:
    """The bytes that MuJoCo saves a model as."""
    import mujoco  # whoever has such a model has loaded it

    with tempfile.NamedTemporaryFile(suffix=".mjb") as file:
        mujoco.mj_saveModel(model, file.name, None)
        return Path(file.name).read_bytes()


def _kept(content: bytes) -> str:
    """The path of a file with this content, for as long as this process lives."""
    path = _folder(os.getpid()) / f"{hashlib.sha256(content).hexdigest()}.mjb"
    if not path.exists():
        path.write_bytes(content)
    return str(path)


@functools.cache
def _folder(process: int) -> Path:
    """The folder of a process, so that a forked child does not remove its parent's."""
    folder = Path(tempfile.mkdtemp(prefix="envpool-models-"))

    @atexit.register
    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    return folder
