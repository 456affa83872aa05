"""The exceptions that only this package raises, and what their messages say."""

from __future__ import annotations

import difflib
import importlib
import re
import reprlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_MOST_SHOWN = 200  # characters of a value
_MOST_TOLD = 1000  # characters of a message
_MOST_SAID = 40  # of these, about what was left out
# Gym's names of Atari's games, which say there what options say here.
_GYM_ATARI = re.compile(
    r"(?P<game>[A-Z]\w*?)(-ram|-ramNoFrameskip|-ramDeterministic|NoFrameskip|Deterministic)?-v[04]"
)
_LONGEST_NAME = 200  # characters; what is longer was not meant for a name


# Like repr, but it looks only at the beginning of what is long.
_repr = reprlib.Repr()
_repr.maxlevel = 4
_repr.maxtuple = _repr.maxlist = _repr.maxdict = _repr.maxset = _repr.maxfrozenset = 8
_repr.maxstring = _repr.maxlong = _repr.maxother = _MOST_SHOWN


def shortened(text: str, most: int = _MOST_TOLD) -> str:
    """The text without its middle, if it is long: what is wrong is at both ends of a message."""
    if len(text) <= most:
        return text
    half = (most - _MOST_SAID) // 2
    return f"{text[:half]}... ({len(text) - 2 * half} more characters) ...{text[-half:]}"


def shown(value: object) -> str:
    """A value that a caller gave, for a message: its repr, but of bounded length."""
    return shortened(_repr.repr(value), _MOST_SHOWN)


def described(error: BaseException) -> str:
    """An exception in words, of bounded length: its type and its message."""
    return shortened(f"{type(error).__name__}: {error}")


class UnknownTaskError(KeyError, AssertionError):
    """There is no task of this name. EnvPool's make_spec raises a KeyError, its make asserts."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message's repr


class ArgumentError(ValueError, AssertionError, RuntimeError):
    """An argument's value is not allowed.

    It is a ValueError. As callers may also catch what other packages raise, it is an
    AssertionError and a RuntimeError, too: EnvPool asserts options and raises RuntimeErrors for
    wrong shapes, and Gymnasium's environments assert their actions.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class RemoteError(RuntimeError):
    """Replaces a worker's exception that cannot be pickled. Its message is the traceback."""


class EnvironmentFailure(RuntimeError):  # noqa: N818 - a failure of an environment, not of a call
    """Environments of a pool raised exceptions.

    After a failed step or reset, an environment cannot be used until it is reset. The results of
    the other environments of the batch are not lost: they are in ``results``. For environments
    written in Python, ``__cause__`` is the exception of the first one that failed.

    Attributes:
        env_ids: The ids of the environments that failed.
        messages: The messages of their exceptions.
        results: What the call would have returned, with the rows of the other environments only.
            None if it would have returned nothing.
        tracebacks: For environments written in Python, the traceback of each exception as text.
        to_reset: The ids of the environments that have to be reset before their next step because
            of this failure. If a worker has ended, these include its other environments, which may
            have a row in ``results``.
    """

    def __init__(
        self,
        failures: Sequence[tuple[int, str]],
        results: Any,
        advice: str = "reset it before its next step",
    ) -> None:
        self._failures = [(env_id, shortened(message)) for env_id, message in failures]
        self.env_ids = [env_id for env_id, _ in self._failures]
        self.messages = [message for _, message in self._failures]
        self.results = results
        self.tracebacks: list[str] = []
        self.to_reset = list(self.env_ids) if advice else []
        described = "; ".join(
            f"environment {env_id}: {message}" for env_id, message in self._failures
        )
        self._advice = advice
        told = f" ({advice})" if advice else ""
        super().__init__(shortened(described, 4 * _MOST_TOLD) + told)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._failures, self.results, self._advice), vars(self)


def did_you_mean(name: object, known: Iterable[str], count: int = 3) -> str:
    """A sentence part that suggests the nearest of the known names, or nothing."""
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return ""
    known = list(known)
    game = _GYM_ATARI.fullmatch(name.rpartition("/")[2])
    if game and (other := f"{game['game']}-v5") in known:
        return f"; did you mean {other!r}?"
    lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), lower, n=count, cutoff=0.5)
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(lower[match]) for match in near) + "?"


def import_optional(module: str, package: str, extra: str) -> Any:
    """A module that only an extra of ours needs.

    Args:
        module: Its name.
        package: What it is called where it is missed.
        extra: See :func:`install`.

    Raises:
        ImportError: It is not installed, or does not load.
    """
    return import_or_say(module, f"this needs {package}: {install(extra)} ({{}})")


def import_or_say(module: str, message: str) -> Any:
    """A module that not everybody has.

    Args:
        module: Its name.
        message: Says what needs it, and what installs it, with ``{}`` for what Python says.

    Raises:
        ImportError: It is not installed, or does not load.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(message.format(error)) from error


def left_out() -> list[str]:
    """Returns the families that the build was told to leave out, by their folders in cpp/envs."""
    file = Path(__file__).with_name("left_out.txt")
    return file.read_text("utf-8").replace(";", " ").split() if file.exists() else []


def no_library(library: str) -> str:
    """A sentence about a native library that is not in its package.

    Args:
        library: Its dotted name, or that of the family's package.
    """
    import platform  # here, because nearly nobody needs it

    parts = library.split(".")
    family = "_".join(part for part in parts[2:] if not part.startswith("_"))
    if parts[0] == "envpool" and family in left_out():
        return (
            f"this envpool was built without {family}: ENVPOOL_FAMILIES named others. "
            "In a checkout, this builds all families: pip install ."
        )
    system = f"{platform.system()} on {platform.machine()}"
    ours = "; docs/start/install.md says where which families are built"
    return (
        f"the native library {library} is not in this installation, so it was not built for this "
        f"system, {system}{ours if library.startswith('envpool.') else ''}"
    )


def install(extra: str) -> str:
    """The command that installs what an extra of ours names, wherever ours came from.

    Args:
        extra: One of ``[project.optional-dependencies]``, such as ``render``.
    """
    return f'pip install "envpool-next[{extra}]"'
