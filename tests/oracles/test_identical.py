"""What is the same and what is not, to the bit."""

import numpy as np
import pytest

from envpool.differences import first_difference

NAN = np.array([np.nan])
OTHER_NAN = np.array([0x7FF8_0000_0000_0001], np.uint64).view(np.float64)


@pytest.mark.parametrize(
    "value",
    [1, 1.5, "a", None, NAN, {"x": [1, (2, NAN)]}, np.array([{"a": NAN}, None], object), ()],
    ids=str,
)
def test_equal(value):
    assert first_difference(value, value) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        (1, 1.0, "result is 1, of int, expected 1.0, of float"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "result is a dict of a, b, expected a dict of b, a"),
        ({"a": (1, 2)}, {"a": (1, 3)}, "result['a'][1] is 2, expected 3"),
        ([1], [1, 2], "result is 1 entries, expected 2 entries"),
        (np.zeros(2), np.zeros(2, np.float32), "result is an array of dtype float64, expected"),
        (np.zeros(2), np.zeros((2, 1)), "result is an array of shape (2,), expected one of"),
        (np.array([0.0, 0.0]), np.array([0.0, -0.0]), "result[1] is 0.0, expected -0.0"),
        (NAN, OTHER_NAN, "result[0] is nan (0x000000000000f87f), expected nan (0x01"),
        (
            np.arange(6).reshape(2, 3),
            np.zeros((2, 3), int),
            "result[0, 1] is 1, expected 0 (4 more",
        ),
        (np.array([None, 1], object), np.array([None, 2], object), "result[1] is 1, expected 2"),
    ],
    ids=str,
)
def test_different(ours, theirs, message):
    assert str(first_difference(ours, theirs)).startswith(message)
