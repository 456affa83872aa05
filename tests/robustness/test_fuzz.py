"""Whatever the arguments and the order of calls: right results, or an error and nothing changed."""

import copy
from functools import partial

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from envpool.tasks.gymnasium_makers import make_vector_env
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
from helpers import GYMNASIUM, Twins, assert_identical, assert_same_results
from modelled_pool import LENGTHS, MODES, ModelledPool

REFUSED = (TypeError, ValueError)

FUZZ = settings(deadline=None, database=None, max_examples=300)
# Failures are not simplified: that can take longer than a test may. And which environments of an
# asynchronous pool finish first is a matter of chance, so a failure of its need not come again.
MACHINE = settings(FUZZ, stateful_step_count=50, phases=[Phase.generate])
MACHINES = pytest.mark.parametrize("count", [15, pytest.param(40, marks=pytest.mark.long)])

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

POOL = st.integers(0, 1)


class Calls(RuleBasedStateMachine):
    """Any order of calls to two pools that exchange snapshots."""

    def __init__(self, mode, batch_size):
        super().__init__()
        other_mode = MODES[MODES.index(mode) - 1]
        self.pools = [ModelledPool(mode, batch_size), ModelledPool(other_mode, N)]
        self.saved = list(self.pools[0].first_states)

    @rule(pool=POOL, ids=IDS, actions=ACTIONS)
    def send(self, pool, ids, actions):
        self.pools[pool].send(ids, actions)

    @rule(pool=POOL, ids=IDS, actions=ACTIONS)
    def step(self, pool, ids, actions):
        self.pools[pool].step(ids, actions)

    @rule(pool=POOL, actions=ACTIONS, times=st.integers(1, 4))
    def play(self, pool, actions, times):
        """Gets further into episodes than other rules do by chance, and saves what is there."""
        own = self.pools[pool]
        for _ in range(times):
            own.send(
                np.array([env for env in own.idle() if own.models[env].can_step], int), actions
            )
            self.recv_all(pool)
            self.saved += own.save(own.idle())

    @rule(
        pool=POOL,
        ids=IDS,
        seed=st.none() | st.integers(0, 2),
        options=st.none() | st.fixed_dictionaries({}, optional={"start": st.integers(0, 2)}),
        kind=st.sampled_from(["ids", "mask", "async"]),
    )
    def reset(self, pool, ids, seed, options, kind):
        if kind == "async":
            self.pools[pool].async_reset()
        else:
            self.pools[pool].reset(ids, seed, options, as_mask=kind == "mask")

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
        ids = [env for env in own.idle() if own.models[env].state.is_over]
        own.reset(np.array(ids, np.int32))

    @rule(pool=POOL, restart=st.booleans())
    def stats(self, pool, restart):
        self.pools[pool].stats(restart)

    @rule(pool=POOL, ids=IDS)
    def save(self, pool, ids):
        self.saved += self.pools[pool].save(ids)

    @rule(
        pool=POOL,
        ids=IDS,
        which=st.lists(st.integers(0, 19), min_size=N, max_size=N),
        fits=st.sampled_from([True, True, False]),
    )
    def restore(self, pool, ids, which, fits):
        saved = []
        for env, i in zip(ids, which, strict=False):
            known = [each for each in self.saved if not fits or each[0] == LENGTHS[env]]
            saved.append(known[-1 - i % len(known)])
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
@pytest.mark.one_in(4)
@MACHINES
def test_any_order_of_calls(count, mode, batch_size):
    run_state_machine_as_test(
        partial(Calls, mode, batch_size), settings=settings(MACHINE, max_examples=count)
    )


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

    @rule(actions=ALL_ACTIONS, times=st.integers(1, 5))
    def play(self, actions, times):
        for _ in range(times):
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
@MACHINES
def test_any_order_of_calls_of_a_vector_environment(count, mode):
    run_state_machine_as_test(
        partial(VectorCalls, mode), settings=settings(MACHINE, max_examples=count)
    )
