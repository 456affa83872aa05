"""Whatever the arguments and the order of calls: right results, or an error and nothing changed."""

import copy
from collections import Counter
from functools import partial

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import envpool.testing.registration  # noqa: F401 - the tasks
from counting_model import Counting, rows_of
from envpool.vector_env import make_vector_env
from fuzz_arguments import (
    ANY_ACTIONS,
    ANY_IDS,
    ANY_NAMES,
    ANY_RESET_OPTIONS,
    ANY_SEEDS,
    ANY_VALUES,
    ANY_VECTOR_SEEDS,
    IDS,
    STRANGE_KEYS,
    N,
    is_attribute,
    is_reset_options,
    is_vector_seed,
    valid_actions,
    valid_ids,
    valid_seeds,
)
from helpers import GYMNASIUM, HANG_S, Twins, assert_identical, assert_same_results, make

REFUSED = (TypeError, ValueError)
MODES = ["NextStep", "SameStep", "Disabled"]

FUZZ = settings(deadline=None, database=None, max_examples=300)
# Failures are not simplified: that can take longer than a test may. And which environments of an
# asynchronous pool finish first is a matter of chance, so a failure of its need not come again.
MACHINE = settings(FUZZ, max_examples=40, stateful_step_count=50, phases=[Phase.generate])

pytestmark = pytest.mark.filterwarnings("ignore:there are more actions than env_ids")


@pytest.fixture(scope="module")
def twins():
    return Twins("CartPole-v1", N)


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


# --- any order of calls -----------------------------------------------------------------------

LENGTHS = [4, 4, 4, 2]
LIMIT = 3  # so episodes terminate, are truncated, and both

ACTIONS = st.lists(st.integers(0, 999), min_size=N, max_size=N).map(np.array)
BAD_IDS = ANY_IDS.filter(lambda ids: valid_ids(ids) is None)
BAD_ACTIONS = ANY_ACTIONS.filter(lambda action: valid_actions(action, N, count=1000) is None)
BAD_SEEDS = ANY_SEEDS.filter(lambda seed: valid_seeds(seed, list(range(N))) is None)
BAD_OPTIONS = st.dictionaries(STRANGE_KEYS, st.none(), min_size=1) | st.fixed_dictionaries(
    {"start": st.sampled_from([None, "0", 1.5, True, 2**63, [0]])}
)


def calls(methods, *args, **kwargs):
    """``(method, args, kwargs)`` from strategies of each."""
    return st.tuples(st.sampled_from(methods), st.tuples(*args), st.fixed_dictionaries(kwargs))


BAD_CALLS = st.one_of(
    calls(["reset", "get_state"], BAD_IDS),
    calls(["step", "send"], ANY_ACTIONS, BAD_IDS),
    calls(["step", "send"], BAD_ACTIONS),
    calls(["reset"], seed=BAD_SEEDS),
    calls(["reset"], options=BAD_OPTIONS),
    calls(["set_state"], st.none() | st.binary() | st.lists(st.none() | st.binary(), min_size=1)),
    calls(["recv"], timeout=st.sampled_from([-1, np.nan, "1", True, 1j])),
)

# Everything that was ever saved. Equal states must have equal bytes, other states other bytes,
# whatever pool they were saved from and however it got there.
bytes_of_states = {}
states_of_bytes = {}


def is_step(row):
    return row.elapsed > 0 or row.final is not None


class Modelled:
    """A pool, and a model that says what every call must do."""

    def __init__(self, mode, batch_size):
        self.pool = make(
            "testing/Counting-v0",
            N,
            batch_size=batch_size,
            seed=0,
            episode_length=LENGTHS,
            max_episode_steps=LIMIT,
            autoreset_mode=mode,
        )
        self.models = [Counting(length, LIMIT, mode, env) for env, length in enumerate(LENGTHS)]
        self.is_sync = batch_size == N
        self.needed = 1 if self.is_sync else batch_size  # requests in flight, for a recv
        self.pending = {}  # the row that must come for each environment in flight
        self.sends = []  # the ids of each send that was not received, for synchronous pools
        self.counts = Counter()  # what stats() must tell when nothing is in flight
        self.first_states = self.save(np.arange(N))

    def refuse(self, error, call):
        """The call raises and changes nothing."""

        def everything():
            stats = self.pool.stats()
            counts = stats.batches if self.pending else (stats.batches, stats.steps, stats.episodes)
            idle = [env for env in range(N) if env not in self.pending]
            return counts, self.pool.get_state(idle)

        before = everything()
        with pytest.raises(error):
            call()
        assert everything() == before

    def is_idle(self, ids):
        return not any(env in self.pending for env in ids.tolist())

    def can_step(self, ids):
        return self.is_idle(ids) and all(self.models[env].can_step for env in ids)

    def can_receive(self, count):
        """Would the results of so many more requests be returned at once?"""
        if self.is_sync:
            return not self.sends
        return count == 0 or len(self.pending) + count >= self.needed

    def start(self, ids, advance):
        """Notes what requests must result in."""
        for env in ids.tolist():
            self.pending[env] = advance(self.models[env], env)
        if self.is_sync and len(ids):
            self.sends.append(ids.tolist())

    def check(self, results):
        """The rows are those of requests in flight, which are no more."""
        ids = results[-1]["env_id"].tolist()
        if self.is_sync:
            assert ids == self.sends.pop(0)
        else:
            assert len(ids) == self.needed
        for env, row in zip(ids, rows_of(results), strict=True):
            expected = self.pending.pop(env)
            columns = len(row) if len(results) > 2 else 3
            assert row[:columns] == expected[:columns], f"environment {env}"
            self.counts["steps"] += is_step(expected)
            self.counts["episodes"] += expected.terminated or expected.truncated
        self.counts["batches"] += 1

    def request(self, is_allowed, call, ids, advance):
        """A call that requests something and, if it returns something, also receives."""
        if not is_allowed:
            self.refuse(RuntimeError, call)
            return
        results = call()
        self.start(ids, advance)
        if results is not None and len(ids):
            self.check(results)

    def send(self, ids, actions):
        call = partial(self.pool.send, actions[ids], ids)
        self.request(self.can_step(ids), call, ids, lambda model, env: model.step(actions[env]))

    def step(self, ids, actions):
        is_allowed = self.can_step(ids) and self.can_receive(len(ids))
        call = partial(self.pool.step, actions[ids], ids)
        self.request(is_allowed, call, ids, lambda model, env: model.step(actions[env]))

    def reset(self, ids, seed=None, options=None, as_mask=False):
        options = dict(options or {})
        start = options.get("start", 0)
        call = partial(self.pool.reset, ids, seed=seed, options=options)
        if as_mask:
            ids = np.sort(ids)
            options["reset_mask"] = np.isin(np.arange(N), ids)
            call = partial(self.pool.reset, seed=seed, options=options)
            if len(ids) == 0:
                self.refuse(ValueError, call)
                return

        def advance(model, env):
            return model.reset(None if seed is None else seed + env, start)

        self.request(self.is_idle(ids) and self.can_receive(len(ids)), call, ids, advance)

    def async_reset(self):
        ids = np.arange(N)
        advance = lambda model, _: model.reset()  # noqa: E731
        self.request(self.is_idle(ids), self.pool.async_reset, ids, advance)

    def recv(self, is_reset=False, timeout=None):
        if len(self.pending) < self.needed:
            error = RuntimeError if timeout is None else TimeoutError
            self.refuse(error, partial(self.pool.recv, is_reset, timeout=timeout))
        else:
            self.check(self.pool.recv(is_reset, timeout=None if timeout is None else HANG_S))

    def stats(self, restart=False):
        stats = self.pool.stats(reset=restart)
        steps = sum(map(is_step, self.pending.values()))
        episodes = sum(row.terminated or row.truncated for row in self.pending.values())
        assert self.counts["steps"] <= stats.steps <= self.counts["steps"] + steps
        assert self.counts["episodes"] <= stats.episodes <= self.counts["episodes"] + episodes
        assert stats.batches == self.counts["batches"]
        if restart:
            counted = {name: getattr(stats, name) for name in ("steps", "episodes", "batches")}
            self.counts.subtract(counted)
        return stats

    def save(self, ids):
        """Snapshots, each with the length of the environment's episodes and the model's state."""
        if not self.is_idle(ids):
            self.refuse(RuntimeError, partial(self.pool.get_state, ids))
            return []
        saved = []
        for env, state in zip(ids.tolist(), self.pool.get_state(ids), strict=True):
            model = self.models[env]
            key = (model.length, model.state)
            assert bytes_of_states.setdefault(key, state) == state
            assert states_of_bytes.setdefault(state, key) == key
            saved.append((*key, state))
        return saved

    def restore(self, saved, ids):
        call = partial(self.pool.set_state, [state for *_, state in saved], ids)
        if not self.is_idle(ids):
            self.refuse(RuntimeError, call)
        elif [length for length, *_ in saved] != [self.models[env].length for env in ids]:
            self.refuse(ValueError, call)
        else:
            call()
            for env, (_, state, _) in zip(ids.tolist(), saved, strict=True):
                self.models[env].state = state
            self.save(ids)

    def close(self):
        """Forgets what is in flight, and nothing else."""
        idle = np.array([env for env in range(N) if env not in self.pending], np.int32)
        self.pool.close()
        self.save(idle)
        stats = self.stats()
        for name in ("steps", "episodes"):  # from here on they are certain again
            self.counts[name] = getattr(stats, name)
        # Nobody knows whether the requests in flight were begun.
        lost = np.array(list(self.pending), np.int32)
        self.pending.clear()
        self.sends.clear()
        self.refuse(RuntimeError, self.pool.recv)
        self.restore([self.first_states[env] for env in lost], lost)


POOL = st.integers(0, 1)


class Calls(RuleBasedStateMachine):
    """Any order of calls to two pools that exchange snapshots."""

    def __init__(self, mode, batch_size):
        super().__init__()
        other_mode = MODES[MODES.index(mode) - 1]
        self.pools = [Modelled(mode, batch_size), Modelled(other_mode, N)]
        self.saved = self.pools[0].first_states + self.pools[1].first_states

    @rule(pool=POOL, ids=IDS, actions=ACTIONS)
    def send(self, pool, ids, actions):
        self.pools[pool].send(ids, actions)

    @rule(pool=POOL, ids=IDS, actions=ACTIONS)
    def step(self, pool, ids, actions):
        self.pools[pool].step(ids, actions)

    @rule(pool=POOL, actions=ACTIONS)
    def step_all(self, pool, actions):
        self.pools[pool].step(np.arange(N), actions)

    @rule(
        pool=POOL,
        ids=IDS,
        seed=st.none() | st.integers(0, 2),
        options=st.none() | st.fixed_dictionaries({}, optional={"start": st.integers(0, 2)}),
        as_mask=st.booleans(),
    )
    def reset(self, pool, ids, seed, options, as_mask):
        self.pools[pool].reset(ids, seed, options, as_mask)

    @rule(pool=POOL)
    def async_reset(self, pool):
        self.pools[pool].async_reset()

    @rule(pool=POOL, is_reset=st.booleans(), timeout=st.sampled_from([None, 0.0]))
    def recv(self, pool, is_reset, timeout):
        self.pools[pool].recv(is_reset, timeout)

    @rule(pool=POOL)
    def recv_all(self, pool):
        while len(self.pools[pool].pending) >= self.pools[pool].needed:
            self.pools[pool].recv()

    @rule(pool=POOL)
    def reset_finished(self, pool):
        own = self.pools[pool]
        over = [env for env in range(N) if own.models[env].state.is_over]
        own.reset(np.array([env for env in over if env not in own.pending], np.int32))

    @rule(pool=POOL, restart=st.booleans())
    def stats(self, pool, restart):
        self.pools[pool].stats(restart)

    @rule(pool=POOL, ids=IDS)
    def save(self, pool, ids):
        self.saved += self.pools[pool].save(ids)

    @rule(pool=POOL, ids=IDS, which=st.lists(st.integers(0, 99), min_size=N, max_size=N))
    def restore(self, pool, ids, which):
        saved = [self.saved[i % len(self.saved)] for i in which[: len(ids)]]
        self.pools[pool].restore(saved, ids)

    @rule(pool=POOL, bad_calls=st.lists(BAD_CALLS, min_size=1, max_size=4))
    def malformed(self, pool, bad_calls):
        for method, args, kwargs in bad_calls:
            call = partial(getattr(self.pools[pool].pool, method), *args, **kwargs)
            # An environment in flight, or a finished episode, may be noticed first.
            self.pools[pool].refuse((*REFUSED, RuntimeError), call)

    @rule(pool=POOL)
    def close(self, pool):
        self.pools[pool].close()

    def teardown(self):
        for each in self.pools:
            each.close()


@pytest.mark.parametrize("batch_size", [N, 3, 1])
@pytest.mark.parametrize("mode", MODES)
def test_any_order_of_calls(mode, batch_size):
    run_state_machine_as_test(partial(Calls, mode, batch_size), settings=MACHINE)


# --- Gymnasium's vector environment -----------------------------------------------------------


OPTIONS = ("gravity", "force_mag", "kinematics_integrator")
ATTRIBUTES = (*OPTIONS, "elapsed_step")
ALL_ACTIONS = st.lists(st.integers(0, 1), min_size=N, max_size=N).map(np.array)


class VectorCalls(RuleBasedStateMachine):
    """Any order of calls to a vector environment; its twin gets only those that are right."""

    def __init__(self, mode):
        super().__init__()
        kwargs = {"num_threads": 2, "seed": 0, "max_episode_steps": 5, "autoreset_mode": mode}
        self.env, self.twin = (make_vector_env("CartPole-v1", N, **kwargs) for _ in range(2))
        self.is_disabled = mode == "Disabled"
        self.was_reset = False
        self.is_over = np.ones(N, bool)
        self.save()

    def call(self, is_right, error, method, *args, **kwargs):
        """What both return, or None if the call is refused as it must be."""
        if not is_right:
            with pytest.raises(error):
                getattr(self.env, method)(*args, **kwargs)
            return None
        results = []
        for env in (self.env, self.twin):
            own_args, own_kwargs = copy.deepcopy((args, kwargs))
            results.append(getattr(env, method)(*own_args, **own_kwargs))
        assert_identical(*results)
        return results[0]

    @invariant()
    def are_equal(self):
        assert self.env.get_state() == self.twin.get_state()
        assert self.env.np_random_seed == self.twin.np_random_seed
        for name in ATTRIBUTES:
            assert self.env.get_attr(name) == self.twin.get_attr(name)

    @rule(seed=ANY_VECTOR_SEEDS, options=ANY_RESET_OPTIONS)
    def reset(self, seed, options):
        is_right = is_vector_seed(seed) and is_reset_options(options)
        mask = (options or {}).get("reset_mask", np.ones(N, bool)) if is_right else None
        error = REFUSED
        if not self.was_reset:
            is_right, error = is_right and mask.all(), (*REFUSED, ResetNeeded)
        before = copy.copy(options)
        if self.call(is_right, error, "reset", seed=seed, options=options):
            self.was_reset = True
            self.is_over &= ~mask
        elif isinstance(options, dict):
            assert options.keys() == before.keys()

    @rule(seed=st.none() | st.integers(0, 9))
    def reset_finished(self, seed):
        mask = self.is_over if self.was_reset else np.ones(N, bool)
        self.reset(seed, {"reset_mask": mask})

    @rule(actions=ANY_ACTIONS)
    def step(self, actions):
        is_right = valid_actions(actions, N) is not None
        error = REFUSED
        if not self.was_reset:
            is_right, error = False, ResetNeeded
        elif self.is_disabled and self.is_over.any():
            is_right, error = False, (*REFUSED, RuntimeError)
        if results := self.call(is_right, error, "step", actions):
            self.is_over = results[2] | results[3]

    @rule(actions=ALL_ACTIONS)
    def step_all(self, actions):
        self.step(actions)

    @rule(name=ANY_NAMES, values=ANY_VALUES)
    def set_attr(self, name, values):
        self.call(is_attribute(name, values), (AttributeError, *REFUSED), "set_attr", name, values)

    @rule(name=ANY_NAMES)
    def get_attr(self, name):
        is_right = isinstance(name, str) and name in ATTRIBUTES
        self.call(is_right, (AttributeError, TypeError), "get_attr", name)

    def options(self):
        """Those of each environment."""
        return list(zip(*map(self.twin.get_attr, OPTIONS), strict=True))

    @rule()
    def save(self):
        self.saved = list(
            zip(self.twin.get_state(), self.options(), self.is_over.tolist(), strict=True)
        )

    @rule(ids=ANY_IDS)
    def restore(self, ids):
        valid = valid_ids(ids)
        saved = [self.saved[i] for i in valid or ()]
        options = self.options()
        is_right = valid is not None and [own for _, own, _ in saved] == [options[i] for i in valid]
        self.call(is_right, REFUSED, "set_state", [state for state, *_ in saved], ids)
        if is_right:
            self.is_over[valid] = [is_over for *_, is_over in saved]
            self.was_reset |= len(valid) == N

    @rule(states=st.none() | st.binary() | st.lists(st.none() | st.binary(), min_size=1))
    def restore_nonsense(self, states):
        self.call(False, REFUSED, "set_state", states)

    def teardown(self):
        for env in (self.env, self.twin):
            env.close()
        for call in (self.env.reset, self.env.get_state, partial(self.env.get_attr, "gravity")):
            with pytest.raises(ClosedEnvironmentError):
                call()


@pytest.mark.skipif(GYMNASIUM < (1, 4), reason="behaves as Gymnasium does since version 1.4")
@pytest.mark.parametrize("mode", MODES)
def test_any_order_of_calls_of_a_vector_environment(mode):
    run_state_machine_as_test(partial(VectorCalls, mode), settings=MACHINE)
