"""Arguments of any kind for the fuzz tests, and which of them must be refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

N = 4  # environments of each pool
SEED_LIMIT = 2**64

SHAPES = stn.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=N + 1)
INTEGERS = stn.integer_dtypes(endianness="?") | stn.unsigned_integer_dtypes(endianness="?")
NUMBERS = INTEGERS | stn.floating_dtypes(endianness="?", sizes=(16, 32, 64)) | stn.boolean_dtypes()
WRONG = st.sampled_from(
    [0, 1.5, "0", b"01", ["0"], [None], np.array(0), np.array([0, 1], object), np.zeros(2, complex)]
) | st.lists(st.text(max_size=1), min_size=1)
SMALL = st.lists(st.integers(-1, N), max_size=N + 1)


def small_arrays(dtypes, low, high):
    """Arrays of any shape and dtype whose values are not always hopeless."""

    def cast(array, dtype):
        with np.errstate(all="ignore"):
            return array.astype(dtype)

    arrays = stn.arrays(np.int64, SHAPES, elements=st.integers(low, high))
    return st.builds(cast, arrays, dtypes) | stn.arrays(dtypes, SHAPES)


# What is right is drawn often enough, or the fuzzing only tests the first check.
IDS = st.lists(st.integers(0, N - 1), unique=True).map(lambda ids: np.array(ids, np.int32))
ANY_IDS = st.one_of(IDS, IDS, SMALL, small_arrays(NUMBERS, -1, N), WRONG)


def valid_ids(env_id: Any) -> list[int] | None:
    """The ids as a list, or None if they must be refused."""
    array = np.asarray(env_id)
    if array.ndim != 1 or array.dtype.kind not in ("iu" if array.size else "iuf"):
        return None
    ids = [int(value) for value in array]
    return ids if len(set(ids)) == len(ids) and all(0 <= env < N for env in ids) else None


GOOD_ACTIONS = stn.arrays(np.int8, st.integers(0, N), elements=st.integers(0, 1))
ANY_ACTIONS = st.one_of(
    GOOD_ACTIONS, GOOD_ACTIONS, SMALL, small_arrays(NUMBERS, -1, 2), WRONG, st.none()
)


def valid_actions(action: Any, rows: int, count: int = 2) -> list[int] | None:
    """The actions as a list, or None if they must be refused; ``count`` is how many there are."""
    array = np.asarray(action)
    if array.ndim != 1 or array.dtype.kind not in "biuf" or len(array) not in (rows, N):
        return None
    actions = array[:rows].tolist()
    return [int(a) for a in actions] if all(a in range(count) for a in actions) else None


SEED = st.one_of(st.integers(0, 9), st.integers(-1, SEED_LIMIT), st.just(SEED_LIMIT - 2))
ANY_SEEDS = st.one_of(
    SEED,
    st.lists(SEED, max_size=N + 1),
    st.lists(st.integers(0, 9), min_size=N, max_size=N),
    stn.arrays(NUMBERS, SHAPES),
    st.floats(),
    st.booleans(),
    st.text(),
)


def valid_seeds(seed: Any, ids: list[int]) -> list[int] | None:
    """A seed per id, or None if they must be refused."""
    if isinstance(seed, np.ndarray):
        if seed.ndim != 1 or (seed.dtype.kind not in "iu" and seed.size):
            return None
        seed = seed.tolist()
    if isinstance(seed, list):
        each = seed if len(seed) == len(ids) else [seed[i] for i in ids if len(seed) == N]
        everything = seed
    elif isinstance(seed, int) and not isinstance(seed, bool):
        each = [seed + env for env in ids]
        everything = [seed, *each]
    else:
        return None
    if len(each) != len(ids) or not all(0 <= value < SEED_LIMIT for value in everything):
        return None
    return None if isinstance(seed, list) and len(seed) not in (len(ids), N) else each


# A Gymnasium vector environment's: a list may leave some environments without one.
ENTRY = st.one_of(
    st.none(),
    st.integers(0, 9),
    SEED,
    st.sampled_from([1.0, True, "1", b"1", [1], math.nan, np.uint64(3), np.float32(3), np.True_]),
)
ANY_VECTOR_SEEDS = st.one_of(
    st.none(),
    ANY_SEEDS,
    st.lists(st.none() | st.integers(0, 9), min_size=N, max_size=N),
    st.lists(st.none() | st.integers(0, 9), min_size=N, max_size=N).map(tuple),
    st.lists(ENTRY, min_size=N, max_size=N),
    st.lists(ENTRY, max_size=N + 1),
)


def is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Is this a finite number that an option can have?"""
    if is_integer(value):
        return abs(value) < 10**300
    return isinstance(value, float | np.floating) and math.isfinite(value)


def is_vector_seed(seed: Any) -> bool:
    """Must a Gymnasium vector environment accept this seed?"""
    if seed is None:
        return True
    if is_integer(seed):
        each = [seed, seed + N - 1]
    elif isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim == 1):
        each = list(seed)
        if len(each) != N:
            return False
    else:
        return False
    return all(one is None or (is_integer(one) and 0 <= one < SEED_LIMIT) for one in each)


# Reset options, CartPole's among them.
BOUND = st.sampled_from([-0.04, 0, 0.01, np.float32(0.02), 0.2]) | st.sampled_from(
    ["0", None, True, math.nan, [0.0], 10**400, b"0", np.zeros(2)]
)
MASK = st.lists(st.booleans(), min_size=N, max_size=N).map(np.array) | st.sampled_from(
    [None, True, "all", np.ones(N, int), np.ones(N - 1, bool), np.ones((N, 1), bool), [0, 1] * 2]
)
STRANGE_KEYS = st.sampled_from(["lo", "", "reset_mask ", "\ud800", 3, None, ("low",), b"low"])
ANY_RESET_OPTIONS = st.one_of(
    st.none(),
    st.fixed_dictionaries({}, optional={"low": BOUND, "high": BOUND, "reset_mask": MASK}),
    st.fixed_dictionaries({}, optional={"reset_mask": MASK}),
    st.dictionaries(STRANGE_KEYS, BOUND, max_size=2),
    st.sampled_from([0, "low", ["low"], True, 1.5, {"low"}, [("low", 0.0)]]),
)


def is_reset_options(options: Any) -> bool:
    """Must CartPole accept these reset options?"""
    if options is None:
        return True
    if not isinstance(options, dict) or not options.keys() <= {"low", "high", "reset_mask"}:
        return False
    mask = np.asarray(options.get("reset_mask", [True] * N))
    if mask.dtype != bool or mask.shape != (N,) or not mask.any():
        return False
    low, high = options.get("low", -0.05), options.get("high", 0.05)
    return is_number(low) and is_number(high) and low <= high


# Attributes of CartPole, and values for them.
INTEGRATORS = ("euler", "semi-implicit euler")
NAMES = st.sampled_from(["gravity", "force_mag", "kinematics_integrator", "elapsed_step"])
ANY_NAMES = st.one_of(
    NAMES,
    NAMES,
    st.sampled_from(["g", "_pool", "step", "Gravity", "gravity ", "", "\ud800"]),
    st.sampled_from([3, None, True, 1.5, b"gravity", ("gravity",), ["gravity"], {}]),
)
VALUE = st.sampled_from([9.0, 5, np.float32(3.0), np.int64(4), *INTEGRATORS]) | st.sampled_from(
    [None, True, "", "Euler", "\ud800", math.nan, 10**400, 1j, {}, b"9.0", np.zeros(2)]
)
ANY_VALUES = VALUE | st.lists(VALUE, max_size=N + 1) | st.builds(lambda each: [each] * N, VALUE)


def is_attribute(name: Any, values: Any) -> bool:
    """Must CartPole accept these values of an attribute?"""
    each = values if isinstance(values, list) else [values] * N
    if len(each) != N:
        return False
    if name == "kinematics_integrator":
        return all(isinstance(value, str) and value in INTEGRATORS for value in each)
    return name in ("gravity", "force_mag") and all(map(is_number, each))
