"""Letters: what goes between a pool and its workers and is no array, as bytes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import cloudpickle
import numpy as np
from numpy.typing import ArrayLike

from envpool.errors import RemoteError, shortened
from envpool.workers.numbers import flatten, restore

_MOST_OF_TRACEBACK = 20_000  # characters


class Reply(NamedTuple):
    """What goes along with an environment's row.

    Attributes:
        info: The environment's infos.
        objects: The parts of its observation that are no arrays.
        final_info: The infos of the episode that ended in this step and was followed by another;
            None if there was none.
        final_observation: That episode's last observation.
    """

    info: dict[str, Any]
    objects: tuple[Any, ...] = ()
    final_info: dict[str, Any] | None = None
    final_observation: Any = None


class Letters:
    """Values that go through pickles.

    Args:
        by_value: Is what the other process reads to know the classes and functions of this one's
            ``__main__``, which it never runs?
    """

    def __init__(self, by_value: bool = False) -> None:
        self._by_value = by_value

    def write(self, value: Any) -> bytes:
        """The value as bytes."""
        try:
            letter = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception:  # cloudpickle may do more, and says why if it does not
            return _cloudpickled(value)
        if self._by_value and b"__main__" in letter:
            return _cloudpickled(value)
        return letter

    def read(self, letter: bytes) -> Any:
        """The value of such bytes."""
        return pickle.loads(letter)

    def carry(
        self,
        letters: list[bytes | None],
        env_ids: ArrayLike | None,
        call: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        """Makes a call that hands letters over.

        Args:
            letters: One for each environment that gets one, or None; or none at all.
            env_ids: To whom; None: to all environments.
            call: What is called.
            *arguments: With what.
        """
        return call(*arguments)

    def write_reply(self, env_id: int, reply: Reply) -> bytes:
        """What goes along with an environment's row."""
        info, forms = flatten(reply.info)
        return self.write((info, forms, *reply[1:]))

    def read_reply(self, letter: bytes) -> Reply:
        """What came along with a row."""
        info, forms, *others = pickle.loads(letter)
        return Reply(restore(info, forms), *others)

    def write_error(self, error: BaseException) -> bytes:
        """An exception as bytes, with its traceback as text."""
        try:
            pickled = self.write(error)
        except Exception:
            pickled = None
        trace = shortened("".join(traceback.format_exception(error)), _MOST_OF_TRACEBACK)
        return pickle.dumps((describe_error(error), trace, pickled))

    def read_error(self, letter: bytes | str) -> tuple[str, BaseException | None, str]:
        """What an exception said, the exception itself, and its traceback.

        The exception tells the remote traceback, too. One that cannot be pickled comes as a
        :class:`RemoteError`.

        Args:
            letter: By :meth:`write_error`; or a text, if there is no exception.
        """
        if isinstance(letter, str):
            return letter, None, letter
        message, trace, pickled = pickle.loads(letter)
        try:
            error = pickle.loads(pickled)
            error.add_note(f"Where it was raised, in a worker:\n{trace}")
        except Exception:
            error = RemoteError(trace)
        return message, error, trace


class LocalLetters(Letters):
    """Values that stay as they are, because both sides are in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[bytes, Reply] = {}
        self._values: dict[bytes, Any] = {}
        self._latest: dict[int, bytes | None] = {}  # by the environment that it was sent to
        self._count = 0

    def write(self, value: Any) -> bytes:
        """A key for the value."""
        self._count += 1
        key = b"value %d" % self._count
        self._values[key] = value
        return key

    def read(self, letter: bytes) -> Any:
        """The value, which is read once."""
        return self._values.pop(letter)

    def write_reply(self, env_id: int, reply: Reply) -> bytes:
        """A key for what goes along with an environment's row."""
        key = b"row %d" % env_id  # it has one row at a time
        self._rows[key] = reply
        return key

    def read_reply(self, letter: bytes) -> Reply:
        """What came along with a row."""
        return self._rows.pop(letter)

    def write_error(self, error: BaseException) -> bytes:
        """A key for the exception."""
        return self.write(error)

    def read_error(self, letter: bytes | str) -> tuple[str, BaseException | None, str]:
        """What an exception said, the exception itself, and its traceback."""
        if isinstance(letter, str):
            return letter, None, letter
        error = self.read(letter)
        return describe_error(error), error, "".join(traceback.format_exception(error))

    def carry(
        self,
        letters: list[bytes | None],
        env_ids: ArrayLike | None,
        call: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        """See :meth:`Letters.carry`; here nothing is kept that nobody will read."""
        is_sent = True
        try:
            return call(*arguments)
        except Exception:
            is_sent = False
            raise
        finally:  # after Ctrl-C, too: it came while the environments were at it
            if is_sent:
                owners = range(len(letters)) if env_ids is None else np.asarray(env_ids).tolist()
                self._replace(owners, letters)
            else:
                self._forget(letters)

    def _replace(self, env_ids: Iterable[int], letters: list[bytes | None]) -> None:
        """Drops what was sent to environments before; an action that a reset replaces is unread."""
        for env_id, letter in zip(env_ids, letters, strict=False):
            self._forget([self._latest.get(env_id)])
            self._latest[env_id] = letter

    def _forget(self, letters: list[bytes | None]) -> None:
        for letter in letters:
            self._values.pop(letter, None)  # type: ignore[arg-type]


def describe_error(error: BaseException) -> str:
    """An exception in one line or few, as the end of a traceback has it."""
    return "".join(traceback.format_exception_only(error)).strip()


def _cloudpickled(value: Any) -> bytes:
    letter: bytes = cloudpickle.dumps(value)
    return letter
