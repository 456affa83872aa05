"""Letters: what goes between a pool and its workers and is no array, as bytes."""

from __future__ import annotations

import contextlib
import copy
import operator
import os
import pickle
import sys
import traceback
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

import cloudpickle
import numpy as np

from envpool.errors import EnvironmentFailure, RemoteError, shortened, shown

# Types of scalars that Python's numbers hold exactly, and their names.
_TYPES = {char: np.dtype(char).type for char in "?bBhHiIlLqQefd"}
_SCALARS = {kind: char for char, kind in _TYPES.items()}
_ARRAYS = frozenset("biufc")  # kinds of their dtypes

# For the keys of a dict what their values were: a scalar's type, or an array's dtype and shape.
Forms = dict[str, str | tuple[str, tuple[int, ...]]]

_MOST_OF_TRACEBACK = 20_000  # characters
_MP_MAIN = b"__mp_main__"
_NO_DEBUGGER = " (there is no terminal for a debugger in a worker: use num_workers=0)"


class Reply(NamedTuple):
    """The letter that goes along with an environment's row.

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


# Why an environment has failed: a letter by write_error(), a text, or a text with an exception of
# this process.
Why = bytes | str | tuple[str, BaseException]
# Environments that have failed, by their ids.
Failures = list[tuple[int, Why]]


class Letters:
    """Values that go through pickles.

    Args:
        by_value: True if letters bring along the classes and functions of this process's main
            module, because the process that reads them never runs that.
    """

    def __init__(self, by_value: bool = False) -> None:
        self._by_value = by_value

    def write(self, value: Any) -> bytes:
        """The value as bytes."""
        letter: bytes | None
        try:
            letter = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception:
            letter = None  # cloudpickle may do more, and says why if it does not
        # A process that multiprocessing has spawned has its main module by another name.
        if letter is None or (self._by_value and (b"__main__" in letter or _MP_MAIN in letter)):
            letter = dumps_by_value(value)
        return letter

    def read(self, letter: bytes) -> Any:
        """The value of such bytes."""
        return pickle.loads(letter)

    def write_reset(self, seed: int | None, options: Any) -> bytes:
        """What an environment's reset is called with."""
        try:
            return self.write({"seed": seed, "options": options})
        except Exception as error:
            error.add_note(
                "options are pickled, because environments read them later, or in other processes"
            )
            raise

    def write_answer(self, value: Any) -> bytes:
        """What a method of an environment returned."""
        return self.write(value)

    def read_answer(self, letter: Any) -> Any:
        """The same, as the caller gets it."""
        return self.read(letter)

    def write_reply(self, env_id: int, reply: Reply) -> bytes:
        """The letter that goes along with an environment's row."""
        info, forms = flatten(reply.info)
        try:
            return self.write((info, forms, *reply[1:]))
        except BaseException as error:
            for name, infos in (("info", info), ("final_info", reply.final_info or {})):
                for key, value in infos.items():
                    try:
                        self.write(value)
                    except BaseException:
                        error.add_note(f"{name}[{shown(key)}] cannot be pickled")
            raise

    def read_reply(self, letter: bytes) -> Reply:
        """The contents of the letter that came along with a row."""
        info, forms, *others = pickle.loads(letter)
        return Reply(restore(info, forms), *others)

    def write_error(self, error: BaseException, env_id: int | None = None) -> bytes:
        """An exception as bytes, with its traceback as text.

        Args:
            error: The exception.
            env_id: The environment whose row it replaces, if there is one.
        """
        try:
            pickled = self.write(error)
        except BaseException:  # whatever its pickling raises
            pickled = b""
        trace = shortened("".join(traceback.format_exception(error)), _MOST_OF_TRACEBACK)
        # pdb reads its commands from the terminal, which a worker does not have.
        told = _NO_DEBUGGER if type(error).__name__ == "BdbQuit" else ""
        return pickle.dumps((describe_error(error) + told, trace, pickled))

    def read_error(self, letter: Why) -> tuple[str, BaseException | None, str]:
        """An exception's text, the exception itself, and its traceback.

        The exception tells the remote traceback, too. One that cannot be pickled comes as a
        :class:`RemoteError`.
        """
        if isinstance(letter, str):
            return letter, None, letter
        if isinstance(letter, tuple):
            return *letter, "".join(traceback.format_exception(letter[1]))
        message, trace, pickled = pickle.loads(letter)
        error = None
        with contextlib.suppress(Exception):
            error = pickle.loads(pickled)
        if not isinstance(error, BaseException):
            return message, RemoteError(trace), trace
        with contextlib.suppress(TypeError):  # it has odd notes already
            BaseException.add_note(error, f"Where it was raised, in a worker:\n{trace}")
        return message, error, trace


class LocalLetters(Letters):
    """What environments return stays as it is, because both sides are in this process.

    What goes along with a row can be read again until the environment has its next one: whoever
    reads it may be interrupted. What environments are given is pickled here, too, because it may be
    read later, when the caller has changed it, or again, or never.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: dict[bytes, Any] = {}

    def write_answer(self, value: Any) -> Any:
        """The value itself."""
        return value

    def read_answer(self, letter: Any) -> Any:
        """See :meth:`write_answer`."""
        return letter

    def _keep(self, env_id: int, value: Any) -> bytes:
        key = b"row %d" % env_id  # it has one row at a time
        self._rows[key] = value
        return key

    def write_reply(self, env_id: int, reply: Reply) -> bytes:
        """A key for what goes along with an environment's row."""
        if reply.objects:  # the environment may use their memory again
            reply = reply._replace(objects=own(reply.objects))
        return self._keep(env_id, reply)

    def read_reply(self, letter: bytes) -> Reply:
        """The contents of the letter that came along with a row."""
        reply: Reply = self._rows[letter]
        return reply

    def write_error(self, error: BaseException, env_id: int | None = None) -> Any:
        """The exception with its text; a key for them, if it replaces a row."""
        why = describe_error(error), error
        return why if env_id is None else self._keep(env_id, why)

    def read_error(self, letter: Why) -> tuple[str, BaseException | None, str]:
        """An exception's text, the exception itself, and its traceback."""
        return super().read_error(self._rows[letter] if isinstance(letter, bytes) else letter)


def dumps_by_value(value: Any) -> bytes:
    """The pickle of a value, with the classes and functions of the main module that are in it."""
    main = sys.modules.get(_MP_MAIN.decode())
    if main is not None and main.__name__ not in cloudpickle.list_registry_pickle_by_value():
        cloudpickle.register_pickle_by_value(main)
    letter: bytes = cloudpickle.dumps(value)
    return letter


def own(value: Any) -> Any:
    """A copy of the value, or the value itself if it cannot be copied."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def own_results(observation: Any, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Copies of what an environment returned, which may use their memory again."""
    return own(observation), {key: own(value) for key, value in info.items()}


def describe_error(error: BaseException) -> str:
    """An exception in one line or few, as the end of a traceback has it.

    One of OpenGL says what environments that draw need where there is no display.
    """
    text = "".join(traceback.format_exception_only(error)).strip()
    is_unset = "OpenGL" in text and "MUJOCO_GL" not in os.environ
    return text + ("; without a display, set MUJOCO_GL=egl or osmesa" if is_unset else "")


def raise_failures(
    letters: Letters,
    failures: Iterable[tuple[int, Why]],
    results: Any = None,
    lost: Iterable[int] = (),
) -> NoReturn:
    """Raises an EnvironmentFailure whose cause is the first environment's exception.

    Args:
        letters: How these were written.
        failures: The environments with what tells why they failed.
        results: What goes with it. If there are none, no environment waits for a reset.
        lost: Environments that have failed with their worker, and wait for a reset, too.
    """
    by_id = sorted(failures, key=operator.itemgetter(0))
    read = [(env_id, *letters.read_error(letter)) for env_id, letter in by_id]
    advice = "reset it before its next step" if results is not None else ""
    failure = EnvironmentFailure([(env_id, text) for env_id, text, *_ in read], results, advice)
    failure.tracebacks = [trace for *_, trace in read]
    failure.to_reset = sorted({*failure.to_reset, *lost})
    raise failure from read[0][2]


def flatten(values: dict[str, Any]) -> tuple[dict[str, Any], Forms]:
    """A dict without NumPy's numbers and arrays among its values, and which were some.

    Args:
        values: The dict, which stays as it is. What is nested deeper is not looked at.
    """
    forms: Forms = {}
    flat = values
    for key, value in values.items():
        kind = type(value)
        if kind in _SCALARS:
            forms[key] = _SCALARS[kind]
            plain: Any = value.item()
        elif kind is np.ndarray and _is_plain(value):
            forms[key] = (value.dtype.str, value.shape)
            plain = value.tobytes()
        else:
            continue
        if flat is values:
            flat = values.copy()
        flat[key] = plain
    return flat, forms


def restore(flat: dict[str, Any], forms: Forms) -> dict[str, Any]:
    """The dict that :func:`flatten` was given; its arrays are new ones."""
    for key, form in forms.items():
        if isinstance(form, str):
            flat[key] = _TYPES[form](flat[key])
        else:
            dtype, shape = form
            flat[key] = np.frombuffer(bytearray(flat[key]), dtype).reshape(shape)
    return flat


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype.kind in _ARRAYS and array.flags.c_contiguous and array.size > 0
