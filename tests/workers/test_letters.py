"""Letters: values and exceptions as bytes."""

import pytest

from envpool.errors import RemoteError
from envpool.workers.letters import Letters, LocalLetters
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
    assert letters.read(letters.write(value, 3)) == value
    made = letters.read(letters.write(lambda: 5))  # which pickle alone cannot do
    assert made() == 5


def test_errors_tell_where():
    letters = Letters()
    message, error = letters.read_error(letters.write_error(3, raised(KeyError("x"))))
    assert message == "KeyError: 'x'"
    assert type(error) is KeyError
    assert "in raised" in error.__notes__[0]


def test_errors_that_do_not_unpickle():
    letters = Letters()
    message, error = letters.read_error(letters.write_error(3, raised(CustomError(1, 2))))
    assert message == "worker_envs.CustomError: 1 and 2"
    assert type(error) is RemoteError
    assert "in raised" in str(error)


def test_errors_that_do_not_pickle():
    letters = Letters()
    letter = letters.write_error(3, raised(ValueError(i for i in ())))
    message, error = letters.read_error(letter)
    assert "generator" in message
    assert type(error) is RemoteError


def test_texts_are_no_letters():
    assert Letters().read_error("it ended") == ("it ended", None)


def test_local_letters_are_the_values_themselves():
    letters = LocalLetters()
    error = raised(CustomError(1, 2))
    assert letters.read_error(letters.write_error(3, error)) == (
        "worker_envs.CustomError: 1 and 2",
        error,
    )
    value = object()
    assert letters.read(letters.write(value)) is value


def test_local_letters_that_nobody_reads_are_forgotten():
    letters = LocalLetters()
    written = [letters.write(object()), None]
    letters.forget(written)
    with pytest.raises(KeyError):
        letters.read(written[0])
    letters.write(1, 3)
    assert letters.read(letters.write(2, 3)) == 2  # the environment's place is used again
