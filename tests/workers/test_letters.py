"""Letters: values and exceptions as bytes."""

import builtins
from types import SimpleNamespace

import numpy as np
import pytest

from envpool.errors import RemoteError
from envpool.workers.letters import Letters, LocalLetters, Reply
from helpers import assert_identical, run_python
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


class OddError(Exception):
    """Unpickles as it is told."""

    def __reduce__(self):
        return self.args[0]


ODD = {
    "raises": (int, ("x",)),
    "is no exception": (dict, ()),
    "is a class": (getattr, (builtins, "ValueError")),
    "takes notes": (SimpleNamespace, ()),
}


@pytest.mark.parametrize("reduced", ODD.values(), ids=ODD)
def test_errors_that_unpickle_oddly(reduced):
    letters = Letters()
    message, error, trace = letters.read_error(letters.write_error(raised(OddError(reduced))))
    assert message.startswith("test_letters.OddError: ")
    assert type(error) is RemoteError
    assert str(error) == trace
    assert "in raised" in trace


class NotedError(Exception):
    """Has odd notes."""

    def __reduce__(self):
        return NotedError, (), {"__notes__": 7}


def test_errors_with_odd_notes():
    letters = Letters()
    _, error, _ = letters.read_error(letters.write_error(raised(NotedError())))
    assert type(error) is NotedError


class LeavingError(Exception):
    """Ends whoever pickles it."""

    def __reduce__(self):
        raise SystemExit(3)


def test_errors_whose_pickling_exits():
    letters = Letters()
    _, error, _ = letters.read_error(letters.write_error(raised(LeavingError())))
    assert type(error) is RemoteError


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
    assert letters.read_answer(letters.write_answer(value)) is value


def test_local_rows_are_replaced():
    letters = LocalLetters()
    letters.write_reply(3, Reply({"a": 1}))
    assert letters.read_reply(letters.write_reply(3, Reply({"a": 2}))).info == {"a": 2}


# Nothing has begun where a letter finds no room: the same calls are taken once there is some.
FULL_DISK = """
import resource, signal
import gymnasium
import envpool

class Reader(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(1)
    action_space = gymnasium.spaces.Text(2**22)  # an action is a letter

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}

large = "x" * (3 << 20)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with envpool.make_python([Reader] * 2, "gymnasium", num_workers=1, start_method="fork") as pool:
    pool.reset()
    for call in lambda: pool.reset(options={"note": large}), lambda: pool.step(["", large]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, hard))
        try:
            call()
        except RuntimeError as error:
            assert "File too large" in str(error), error
        else:
            raise AssertionError("it was written")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        call()
        pool.step(["", ""])
"""


def test_letters_without_room():
    done = run_python(FULL_DISK)
    assert done.returncode == 0, done.stderr
