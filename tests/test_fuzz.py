"""Whatever the arguments and the order of calls: right results, or an error and nothing changed."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from hypothesis.stateful import RuleBasedStateMachine, rule

from helpers import Twins, assert_same_results, make

N = 4
REFUSED = (TypeError, ValueError)

FUZZ = settings(deadline=None, database=None, max_examples=300)

SHAPES = stn.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=N + 1)
INTEGERS = stn.integer_dtypes(endianness="?") | stn.unsigned_integer_dtypes(endianness="?")
NUMBERS = INTEGERS | stn.floating_dtypes(endianness="?", sizes=(16, 32, 64)) | stn.boolean_dtypes()
WRONG = st.sampled_from(
    [0, 1.5, "0", b"01", ["0"], [None], np.array(0), np.array([0, 1], object), np.zeros(2, complex)]
) | st.lists(st.text(max_size=1), min_size=1)
SMALL = st.lists(st.integers(-1, N), max_size=N + 1)
# Drawn often enough to be accepted, or the fuzzing only tests the first check.
IDS = st.lists(st.integers(0, N - 1), unique=True).map(lambda ids: np.array(ids, np.int32))


def small_arrays(dtypes, low, high):
    """Arrays of any shape and dtype whose values are not always hopeless."""

    def cast(array, dtype):
        with np.errstate(all="ignore"):
            return array.astype(dtype)

    arrays = stn.arrays(np.int64, SHAPES, elements=st.integers(low, high))
    return st.builds(cast, arrays, dtypes) | stn.arrays(dtypes, SHAPES)


ANY_IDS = st.one_of(IDS, IDS, SMALL, small_arrays(NUMBERS, -1, N), WRONG)
GOOD_ACTIONS = stn.arrays(np.int8, st.integers(0, N), elements=st.integers(0, 1))
ANY_ACTIONS = st.one_of(
    GOOD_ACTIONS, GOOD_ACTIONS, SMALL, small_arrays(NUMBERS, -1, 2), WRONG, st.none()
)


def valid_ids(env_id):
    """The ids as a list, or None if they must be refused."""
    array = np.asarray(env_id)
    if array.ndim != 1 or array.dtype.kind not in ("iu" if array.size else "iuf"):
        return None
    ids = [int(value) for value in array]
    return ids if len(set(ids)) == len(ids) and all(0 <= env < N for env in ids) else None


def valid_actions(action, rows):
    """The actions as a list, or None if they must be refused."""
    array = np.asarray(action)
    if array.ndim != 1 or array.dtype.kind not in "biuf" or len(array) not in (rows, N):
        return None
    actions = array[:rows].tolist()
    return [int(a) for a in actions] if all(a in (0, 1) for a in actions) else None


@pytest.fixture(scope="module")
def twins():
    return Twins("CartPole-v1", N)


@pytest.mark.filterwarnings("ignore:there are more actions than env_ids")
@FUZZ
@given(ANY_IDS, ANY_ACTIONS, st.sampled_from(["step", "send"]))
def test_steps(twins, env_id, action, method):
    ids = valid_ids(env_id)
    actions = None if ids is None else valid_actions(action, len(ids))
    if actions is None:
        with pytest.raises(REFUSED):
            getattr(twins.pool, method)(action, env_id)
    else:
        ours = twins.pool.step(action, env_id)
        plain = np.array(actions, np.int32), np.array(ids, np.int32)
        assert_same_results(ours, twins.undisturbed.step(*plain))
    twins.assert_equal(steps=1)


SEED = st.one_of(st.integers(0, 9), st.integers(-1, 2**64), st.just(2**64 - 2))
ANY_SEEDS = st.one_of(
    SEED,
    st.lists(SEED, max_size=N + 1),
    st.lists(st.integers(0, 9), min_size=N, max_size=N),
    stn.arrays(NUMBERS, SHAPES),
    st.floats(),
    st.booleans(),
    st.text(),
)


def valid_seeds(seed, ids):
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
    if len(each) != len(ids) or not all(0 <= value < 2**64 for value in everything):
        return None
    return None if isinstance(seed, list) and len(seed) not in (len(ids), N) else each


@FUZZ
@given(ANY_IDS, ANY_SEEDS)
def test_resets(twins, env_id, seed):
    ids = valid_ids(env_id)
    seeds = None if ids is None else valid_seeds(seed, ids)
    if seeds is None:
        with pytest.raises(REFUSED):
            twins.pool.reset(env_id, seed=seed)
    else:
        ours = twins.pool.reset(env_id, seed=seed)
        plain = np.array(ids, np.int32)
        assert_same_results(ours, twins.undisturbed.reset(plain, seed=seeds))
    twins.assert_equal(steps=1)


class Calls(RuleBasedStateMachine):
    """Any order of calls, against one pool of one environment for each environment."""

    batch_size = N

    def __init__(self):
        super().__init__()
        self.pool = make("CartPole-v1", N, batch_size=self.batch_size, seed=5, max_episode_steps=9)
        self.singles = [
            make("CartPole-v1", 1, num_threads=1, seed=5 + i, max_episode_steps=9) for i in range(N)
        ]
        self.pending = {}  # the row that must come for each environment in flight
        self.batches = []  # the ids of each send, for synchronous pools

    @property
    def is_sync(self):
        return self.batch_size == N

    def start(self, ids, compute):
        """Notes what the requests must result in."""
        for env in ids:
            self.pending[env] = compute(self.singles[env], env)
        if ids and self.is_sync:
            self.batches.append(list(ids))

    def check(self, results):
        """The rows are those of requests in flight, which are no more."""
        obs, info = results[0], results[-1]
        ids = info["env_id"].tolist()
        if self.is_sync and ids:
            assert ids == self.batches.pop(0)
        for row, env in enumerate(ids):
            expected = self.pending.pop(env)
            assert obs[row].tobytes() == expected[0].tobytes()
            for ours, theirs in zip(results[1:-1], expected[1:-1], strict=False):
                assert ours[row] == theirs[0]
            assert info["elapsed_step"][row] == expected[-1]["elapsed_step"][0]
        return len(ids)

    def is_refused(self, ids, receives):
        """Must a request for these environments be refused?"""
        if any(env in self.pending for env in ids):
            return True
        if receives and self.is_sync:
            return bool(self.batches)
        return receives and len(ids) > 0 and len(self.pending) + len(ids) < self.batch_size

    def step_single(self, actions):
        return lambda single, env: single.step(np.array([actions[env]]))

    @rule(ids=IDS, actions=stn.arrays(np.int32, N, elements=st.integers(0, 1)))
    def send(self, ids, actions):
        if self.is_refused(ids, receives=False):
            with pytest.raises(RuntimeError):
                self.pool.send(actions[ids], ids)
        else:
            self.pool.send(actions[ids], ids)
            self.start(ids.tolist(), self.step_single(actions))

    @rule(ids=IDS, actions=stn.arrays(np.int32, N, elements=st.integers(0, 1)))
    def step(self, ids, actions):
        if self.is_refused(ids, receives=True):
            with pytest.raises(RuntimeError):
                self.pool.step(actions[ids], ids)
        else:
            results = self.pool.step(actions[ids], ids)
            self.start(ids.tolist(), self.step_single(actions))
            rows = self.check(results)
            assert rows == (len(ids) if self.is_sync else min(len(ids), 1) * self.batch_size)

    @rule(ids=IDS | st.just(np.arange(N)), seed=st.none() | st.integers(0, 9))
    def reset(self, ids, seed):
        if self.is_refused(ids, receives=True):
            with pytest.raises(RuntimeError):
                self.pool.reset(ids, seed=seed)
        else:
            results = self.pool.reset(ids, seed=seed)
            self.start(ids.tolist(), self.reset_single(seed))
            self.check(results)

    def reset_single(self, seed):
        def compute(single, env):
            obs, info = single.reset(seed=None if seed is None else seed + env)
            return obs, [0.0], [False], [False], info

        return compute

    @rule()
    def async_reset(self):
        if self.pending:
            with pytest.raises(RuntimeError):
                self.pool.async_reset()
        else:
            self.pool.async_reset()
            self.start(list(range(N)), self.reset_single(None))

    @rule()
    def recv(self):
        needed = 1 if self.is_sync else self.batch_size
        if len(self.pending) < needed:
            with pytest.raises(RuntimeError):
                self.pool.recv()
        else:
            rows = self.check(self.pool.recv())
            assert self.is_sync or rows == self.batch_size

    @rule()
    def close(self):
        """Nobody knows what became of the requests in flight, so all environments start over."""
        self.pool.close()
        self.pending.clear()
        self.batches.clear()
        self.reset(np.arange(N), 3)

    @rule(action=st.integers(0, 1))
    def step_all(self, action):
        self.step(np.arange(N), np.full(N, action))

    def teardown(self):
        self.pool.close()


# Which environments finish first is a matter of chance, so a failure need not come again when
# Hypothesis tries to simplify it, and it does not try. What it may draw never depends on chance.
class AsyncCalls(Calls):
    batch_size = 2


class OneByOneCalls(Calls):
    batch_size = 1


MACHINE = settings(FUZZ, max_examples=100, stateful_step_count=40)
Calls.TestCase.settings = MACHINE
for machine in (AsyncCalls, OneByOneCalls):
    machine.TestCase.settings = settings(MACHINE, phases=[Phase.generate])

TestCalls = Calls.TestCase
TestAsyncCalls = AsyncCalls.TestCase
TestOneByOneCalls = OneByOneCalls.TestCase
