"""Letters: values and exceptions as bytes."""

import numpy as np
import pytest

from envpool.errors import RemoteError
from envpool.workers.letters import Letters, LocalLetters, Reply
from helpers import assert_identical
from worker_envs import CustomError


def raised(error):
    try:
        raise error
    except BaseException as caught:
        return caught


@pytest.mark.parametrize("letters", [Letters(), Letters(by_value=True), LocalLetters()])
def test_values(letters):
    value = {"seed": 1, "options": {"f": len}}
    assert letters.read(letters.write(value)) == value
    made = letters.read(letters.write(lambda: 5))  # which pickle alone cannot do
    assert made() == 5


INFO = {
    "python": [1, 2.5, True, None, "text", {"nested": np.float32(0.5)}],
    "scalars": np.float64(-0.0),
    "single": np.float32(0.1),
    "integer": np.uint8(3),
    "long": np.longlong(-3),
    "flag": np.bool_(True),
    "more than double": np.longdouble("0.1"),
    "complex": np.complex128(1j),
    "array": np.arange(6, dtype=np.int16).reshape(2, 3),
    "column": np.arange(6).reshape(2, 3)[:, 1],
    "big endian": np.arange(3, dtype=">i4"),
    "texts": np.array(["a", "bc"]),
    "objects": np.array([None, "x"], object),
    "empty": np.zeros((0, 2)),
    "single element": np.array(2.5),
    "dates": np.array(["2026-01-01"], "datetime64[D]"),
}


@pytest.mark.parametrize("letters", [Letters(), LocalLetters()])
def test_replies(letters):
    given = dict(INFO)
    reply = Reply(given, ("an", "object"), {"final": np.float32(2)}, np.ones(2))
    read = letters.read_reply(letters.write_reply(3, reply))
    assert_identical(tuple(read), (INFO, *reply[1:]))
    assert all(given[key] is INFO[key] for key in INFO)
    read.info["array"][0, 0] = 5  # it can be written to


def test_errors_tell_where():
    letters = Letters()
    message, error, trace = letters.read_error(letters.write_error(raised(KeyError("x"))))
    assert message == "KeyError: 'x'"
    assert trace.startswith("Traceback") and trace.endswith("\nKeyError: 'x'\n")
    assert type(error) is KeyError
    assert "in raised" in error.__notes__[0]


def test_errors_that_do_not_unpickle():
    letters = Letters()
    message, error, _ = letters.read_error(letters.write_error(raised(CustomError(1, 2))))
    assert message == "worker_envs.CustomError: 1 and 2"
    assert type(error) is RemoteError
    assert "in raised" in str(error)


def test_errors_that_do_not_pickle():
    letters = Letters()
    letter = letters.write_error(raised(ValueError(i for i in ())))
    message, error, _ = letters.read_error(letter)
    assert "generator" in message
    assert type(error) is RemoteError


def test_texts_are_no_letters():
    assert Letters().read_error("it ended") == ("it ended", None, "it ended")


def test_local_letters_are_the_values_themselves():
    letters = LocalLetters()
    error = raised(CustomError(1, 2))
    message, same, trace = letters.read_error(letters.write_error(error))
    assert message == "worker_envs.CustomError: 1 and 2"
    assert same is error
    assert "in raised" in trace
    value = object()
    assert letters.read(letters.write(value)) is value


def test_local_letters_that_nobody_reads_are_forgotten():
    letters = LocalLetters()
    written = [letters.write(object()), None]

    def refuse():
        raise ValueError

    # It may have been a signal's handler that raised this, and they may be read yet.
    with pytest.raises(ValueError):
        letters.carry(written, None, refuse)
    letters.carry([letters.write("read"), None], None, int)
    with pytest.raises(KeyError):
        letters.read(written[0])
    letters.write_reply(3, Reply({"a": 1}))
    assert letters.read_reply(letters.write_reply(3, Reply({"a": 2}))).info == {"a": 2}


def test_local_letters_that_nobody_reads_are_replaced():
    letters = LocalLetters()
    first, second = letters.write("first"), letters.write("second")
    assert letters.carry([first, None], [3, 4], int, "5") == 5
    assert letters.read(first) == "first"
    letters.carry([None, second], [4, 3], int)
    assert letters.read(second) == "second"
    with pytest.raises(KeyError):
        letters.read(first)
