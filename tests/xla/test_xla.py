"""Pools inside compiled programs: the same results as outside, in all modes and flavours."""

import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
from envpool.python.lax import XlaMixin
from envpool.python.xla_template import make_xla
from jax import lax

import envpool
import envpool.families.testing.registration
from helpers import (
    actions_by_env,
    assert_runs,
    assert_same_results,
    make,
    run_python,
    skipping_without_engine,
)
from plain_envs import Counting
from xla_helpers import assert_same_values, at, begun, rollout, to_numpy

N = 4
STEPS = 60
ERROR = jax.errors.JaxRuntimeError

TASKS = skipping_without_engine(
    [
        "CartPole-v1",
        "Pendulum-v1",
        "FrozenLake-v1",
        "Taxi-v4",
        "LunarLander-v3",
        "MiniGrid-Empty-5x5-v0",
        "HalfCheetah-v5",
        "WalkerRun-v1",
        "Pong-v5",
    ]
)


@pytest.fixture
def pools():
    """Two equal pools: one for programs, one to compare with."""
    return make("CartPole-v1", N, seed=3), make("CartPole-v1", N, seed=3)


def zeros(num_envs=N):
    return np.zeros(num_envs, np.int32)


# --- the same results -------------------------------------------------------------------------


@pytest.mark.one_in(3)
@pytest.mark.parametrize("task_id", TASKS)
def test_scan_is_step(task_id):
    compiled, plain = (
        make(task_id, N, seed=3, record_episode_statistics=True, max_episode_steps=25)
        for _ in range(2)
    )
    actions = actions_by_env(task_id, N, STEPS)
    assert_same_results_of_steps(compiled, plain, actions)


def assert_same_results_of_steps(compiled, plain, actions):
    handle, _, _, step = begun(compiled, plain)
    _, results = rollout(step, actions)(handle)
    results = to_numpy(results)
    for i, action in enumerate(actions):
        assert_same_values(at(results, i), plain.step(action))
    # The two can be mixed.
    assert_same_results(compiled.step(actions[0]), plain.step(actions[0]))


def test_dm():
    compiled, plain = (make("CartPole-v1", N, "dm", seed=3) for _ in range(2))
    handle, _, _, step = begun(compiled)
    handle, time_step = jax.jit(step)(handle, zeros())
    plain.reset()
    expected = plain.step(zeros())
    assert type(time_step) is type(expected)
    assert type(time_step.observation) is type(expected.observation)
    assert_same_values(time_step, expected)
    _, time_step = jax.jit(compiled.xla_reset())(handle)
    assert time_step.first().all()


def test_dm_in_a_loop():
    """What a loop carries may begin with what a call from Python returned."""
    pool, plain = (make("CartPole-v1", N, "dm", seed=3) for _ in range(2))
    handle, _, _, step = pool.xla()
    run = jax.jit(
        lambda carry: lax.fori_loop(0, 10, lambda _, carry: step(carry[0], zeros()), carry)
    )
    _, time_step = run((handle, pool.reset()))
    plain.reset()
    for _ in range(10):
        expected = plain.step(zeros())
    assert_same_values(time_step, expected)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_autoreset(mode):
    """In the same step, the final observations are always there, and 0 where no episode ended."""
    compiled, plain = (
        make("CartPole-v1", N, seed=3, autoreset_mode=mode, record_episode_statistics=True)
        for _ in range(2)
    )
    handle, _, _, step = begun(compiled, plain)
    actions = actions_by_env("CartPole-v1", N, 8 if mode == "Disabled" else STEPS)
    _, results = rollout(step, actions)(handle)
    results = to_numpy(results)
    ended = 0
    for i, action in enumerate(actions):
        ours, theirs = at(results, i), plain.step(action)
        if mode == "SameStep":
            ended += assert_same_finals(ours[-1], theirs[-1], ours[2] | ours[3])
        assert_same_values(ours, theirs)
    assert ended or mode != "SameStep"


def assert_same_finals(ours, theirs, ended):
    """Takes final observations and infos out of the infos; returns how many there are."""
    final_obs, mask = ours.pop("final_obs"), ours.pop("_final_obs")
    final_info, _ = ours.pop("final_info"), ours.pop("_final_info")
    np.testing.assert_array_equal(mask, ended)
    assert not final_obs[~ended].any()
    if not ended.any():
        assert not any(np.any(leaf) for leaf in jax.tree.leaves(final_info))
        return 0
    for row in np.flatnonzero(ended):
        np.testing.assert_array_equal(final_obs[row], theirs["final_obs"][row])
    assert_same_values(final_info, theirs["final_info"])
    for key in ("final_obs", "_final_obs", "final_info", "_final_info"):
        del theirs[key]
    return int(ended.sum())


@pytest.mark.parametrize("as_tuple", [True, False])
def test_structures(as_tuple):
    """Observations and actions of several arrays, some of 64 bits."""
    pool = make("testing/Structured-v0", 2, as_tuple=as_tuple)
    plain = make("testing/Structured-v0", 2, as_tuple=as_tuple)
    handle, _, _, step = begun(pool, plain)
    arrays = (
        np.full((2, 2, 2), 0.25, np.float32),
        np.array([1, -1], np.int8),
        np.array([[1, 0, 1]] * 2, bool),
        np.array([[1, 8]] * 2, np.int32),
    )
    names = ("body.force", "body.gear", "lamps", "dials")
    action = arrays if as_tuple else dict(zip(names, arrays, strict=True))
    _, results = jax.jit(step)(handle, action)
    assert_same_values(results, plain.step(dict(zip(names, arrays, strict=True))))
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves(results[0])} <= {1, 4}
    nested = {"body": {"force": arrays[0], "gear": arrays[1]}, "lamps": arrays[2]}
    jax.jit(step)(handle, nested | {"dials": arrays[3], "env_id": np.arange(2)})


def test_64_bits():
    """Without them they are converted; with them, everything is as outside."""
    pool, plain = (make("Pendulum-v1", 2, record_episode_statistics=True) for _ in range(2))
    handle, _, _, step = begun(pool, plain)
    action = np.ones((2, 1), np.float32)
    _, (*_, info) = jax.jit(step)(handle, action)
    assert info["episode"]["r"].dtype == np.float32
    assert info["episode"]["l"].dtype == np.int32
    plain.step(action)
    with jax.enable_x64(True):
        _, results = jax.jit(step)(handle, action)
        assert results[-1]["episode"]["r"].dtype == np.float64
        assert_same_values(results, plain.step(action))


def test_subsets_follow_their_ids(pools):
    compiled, plain = pools
    handle, recv, send, step = begun(compiled, plain)
    ids = np.array([2, 0])
    handle, results = jax.jit(step)(handle, zeros(2), ids)
    assert results[-1]["env_id"].tolist() == [2, 0]
    assert_same_values(results, plain.step(zeros(2), ids))
    handle = jax.jit(send)(handle, zeros())
    _, results = jax.jit(recv)(handle)
    assert_same_values(results, plain.step(zeros()))


def test_asynchronous():
    """Each environment's results are those that it has in a synchronous pool."""
    pool = make("CartPole-v1", 8, batch_size=2, seed=3)
    plain = make("CartPole-v1", 8, seed=3)
    pool.async_reset()
    handle, recv, send, _ = pool.xla()

    def act(handle, _):
        handle, (obs, _, terminated, _, info) = recv(handle)
        handle = send(handle, (obs[:, 2] > 0).astype(jnp.int32), info["env_id"])
        return handle, (obs, terminated, info["env_id"])

    _, results = jax.jit(lambda handle: lax.scan(act, handle, None, length=400))(handle)
    observations, terminated, env_ids = (np.asarray(array).reshape(800, -1) for array in results)
    obs, _ = plain.reset()
    expected = [obs]
    for _ in range(800):
        obs, *_ = plain.step((obs[:, 2] > 0).astype(np.int32))
        expected.append(obs)
    assert terminated.any()
    for env in range(8):
        ours = observations[env_ids[:, 0] == env]
        assert len(ours)
        np.testing.assert_array_equal(ours, np.array(expected)[: len(ours), env])


@pytest.mark.parametrize("send_first", [True, False])
def test_asynchronous_overlap(send_first):
    """What EnvPool documents: recv and send of the same handle, in any order."""
    pool = make("CartPole-v1", 8, batch_size=4, seed=3)
    pool.async_reset()
    handle, recv, send, _ = pool.xla()
    handle, results = recv(handle)

    def overlap(handle, results):
        env_id = results[-1]["env_id"]
        if send_first:
            handle = send(handle, zeros(4), env_id)
            return recv(handle)
        handle, fresh = recv(handle)
        return send(handle, zeros(4), env_id), fresh

    compiled = jax.jit(overlap)
    for _ in range(20):
        handle, results = compiled(handle, results)
        assert len(set(results[-1]["env_id"].tolist())) == 4


def test_calls_without_results_are_made_in_order(pools):
    """They are neither removed nor merged."""
    pool, _ = pools
    handle, _, _, step = begun(pool)

    @jax.jit
    def run(handle):
        for _ in range(5):
            handle, _ = step(handle, zeros())
        first, _ = step(handle, zeros())
        _, results = step(first, zeros())
        return results

    assert run(handle)[-1]["elapsed_step"].tolist() == [7] * N


@pytest.mark.parametrize(("platform", "barriers"), [("cpu", 0), ("cuda", 1)])
def test_no_compiler_copies_a_call_into_what_uses_its_results(pools, platform, barriers):
    """XLA for GPUs has done so: a loop that stacks results then stepped twice (JAX 0.11)."""
    handle, *_, step = pools[0].xla()
    program = jax.jit(step).trace(handle, zeros()).lower(lowering_platforms=(platform,)).as_text()
    assert program.count("custom_call @envpool") == 1
    assert program.count("optimization_barrier") == barriers


def test_two_pools_in_one_program(pools):
    first, second = pools
    first.reset(seed=1)
    second.reset(seed=2)
    (one, _, _, step_one), (two, _, _, step_two) = first.xla(), second.xla()
    run = jax.jit(lambda one, two: (step_one(one, zeros())[1], step_two(two, zeros())[1]))
    ours = run(one, two)
    first.reset(seed=1)
    second.reset(seed=2)
    assert_same_values(ours[0], first.step(zeros()))
    assert_same_values(ours[1], second.step(zeros()))


# --- resets -----------------------------------------------------------------------------------


def test_reset(pools):
    compiled, plain = pools
    handle, _, _, step = compiled.xla()
    reset = jax.jit(compiled.xla_reset())
    handle, results = reset(handle)
    assert_same_values(results, plain.reset())
    handle, results = reset(handle, seed=7)
    assert_same_values(results, plain.reset(seed=7))
    handle, results = reset(handle, seed=np.array([4, 3, 2, 2**32 - 1], np.uint32))
    assert_same_values(results, plain.reset(seed=[4, 3, 2, 2**32 - 1]))
    handle, _ = step(handle, zeros())
    plain.step(zeros())
    mask = np.array([False, True, False, True])
    handle, (obs, info) = reset(handle, mask, 9)
    expected, _ = plain.reset(seed=9, options={"reset_mask": mask})
    assert_same_values(obs[mask], expected)
    assert info["elapsed_step"].tolist() == [1, 0, 1, 0]
    assert info["env_id"].tolist() == list(range(N))
    _, (untouched, _) = reset(handle, np.zeros(N, bool))
    np.testing.assert_array_equal(untouched, obs)


def test_reset_inside_of_a_scan():
    """What a program needs that has no other auto-reset."""
    pool = make("CartPole-v1", N, seed=3, autoreset_mode="Disabled")
    handle, _, _, step = pool.xla()
    reset = pool.xla_reset()

    def body(handle, _):
        handle, (_, _, terminated, truncated, _) = step(handle, zeros())
        ended = terminated | truncated
        handle, (_, info) = reset(handle, ended)
        return handle, (ended, info["elapsed_step"])

    def run(handle):
        handle, _ = reset(handle)
        return lax.scan(body, handle, None, length=30)

    _, (ended, elapsed) = jax.jit(run)(handle)
    assert ended.any()
    assert not elapsed[ended].any()
    assert elapsed[~ended].all()


@pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")
def test_failures_end_episodes():
    options = {"place": ["step", "never"], "on_failure": "reset"}
    pool, other = (make("testing/Failing-v0", 2, seed=3, **options) for _ in range(2))
    handle, _, _, step = pool.xla()
    pool.reset()
    other.reset()

    def body(handle, _):
        handle, (obs, rewards, _, truncated, _) = step(handle, zeros(2))
        return handle, (obs, rewards, truncated)

    _, (obs, rewards, truncated) = jax.jit(lambda handle: lax.scan(body, handle, length=6))(handle)
    for t in range(6):
        their_obs, their_rewards, _, their_truncated, _ = other.step(zeros(2))
        theirs = their_obs, their_rewards, their_truncated
        assert_same_values((obs[t], rewards[t], truncated[t]), theirs)
    assert truncated[:, 0].any()
    assert pool.stats().failures == other.stats().failures > 0


def test_reset_of_an_asynchronous_pool():
    pool = make("CartPole-v1", 8, batch_size=2, seed=3)
    handle, recv, _, _ = pool.xla()
    reset = jax.jit(pool.xla_reset())
    handle, (_, info) = reset(handle, seed=5)
    seen = info["env_id"].tolist()
    for _ in range(3):
        handle, (*_, info) = jax.jit(recv)(handle)
        seen += info["env_id"].tolist()
    assert sorted(seen) == list(range(8))
    with pytest.raises(ValueError, match="mask is given, expected None"):
        reset(handle, np.ones(8, bool))


# --- players ----------------------------------------------------------------------------------


def test_players():
    compiled, plain = (make("testing/Players-v0", 2, players=3, varies=False) for _ in range(2))
    handle, _, _, step = begun(compiled, plain)
    actions = np.arange(6, dtype=np.int32)
    _, results = jax.jit(step)(handle, actions)
    assert results[1].tolist() == actions.tolist()
    assert_same_values(results, plain.step({"players.action": actions}))
    with pytest.raises(ValueError, match=r"players.action has shape \(2,\), expected \(6,\)"):
        step(handle, zeros(2))


def test_a_varying_number_of_players():
    pool = make("testing/Players-v0", 2, players=3)
    handle, _, _, _ = pool.xla()
    with pytest.raises(ERROR, match=r"there are 2 players, expected 3 in each of 2 environments"):
        jax.block_until_ready(jax.jit(pool.xla_reset())(handle))


# --- errors -----------------------------------------------------------------------------------

BAD_REQUESTS = [
    ((np.zeros(N, np.float32),), TypeError, "action has dtype float32, expected integers"),
    ((zeros(7),), ValueError, r"action has shape \(7,\), expected \(4,\)"),
    ((np.zeros((N, 1), np.int32),), ValueError, r"action has shape \(4, 1\), expected \(4,\)"),
    ((zeros(2), np.zeros(2)), TypeError, "env_id has dtype float32, expected integers"),
    ((zeros(2), np.zeros((2, 1), int)), ValueError, r"env_id has shape \(2, 1\), expected"),
    ((zeros(2), np.zeros(3, int)), ValueError, r"action has shape \(2,\), expected \(3,\)"),
    (({"acton": zeros()},), ValueError, "unknown key 'acton'"),
    ((np.full(N, 7),), ERROR, r"action\[0\] is 7, expected an integer from 0 to 1"),
    ((zeros(2), np.array([1, 1])), ERROR, "env_id 1 is repeated"),
    ((zeros(2), np.array([1, 4])), ERROR, r"env_id\[1\] is 4, expected 0 <= env_id < num_envs"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_REQUESTS)
def test_bad_requests(pools, arguments, error, message):
    pool, plain = pools
    handle, _, _, step = begun(pool, plain)
    with pytest.raises(error, match=message):
        jax.block_until_ready(jax.jit(step)(handle, *arguments))
    assert_same_values(jax.jit(step)(handle, zeros())[1], plain.step(zeros()))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.ones(3, bool),), ValueError, r"mask has shape \(3,\), expected \(4,\)"),
        ((np.ones(N, int),), TypeError, "mask has dtype int32, expected bool"),
        ((None, 1.5), TypeError, "seed has dtype float32, expected integers"),
        ((None, -1), ValueError, "seed is -1, expected"),
        ((None, 2**32), ValueError, r"seed is \d+, expected seed < 2\*\*32"),
        ((None, np.zeros(3, int)), ValueError, "seed has 3 entries, expected 4"),
        ((None, jnp.int32(-5)), ERROR, "the seed of environment 0 is negative, expected 0 <= seed"),
    ],
)
def test_bad_resets(pools, arguments, error, message):
    pool, plain = pools
    handle, *_ = pool.xla()
    reset = pool.xla_reset()
    with pytest.raises(error, match=message):
        jax.block_until_ready(reset(handle, *arguments))
    assert_same_values(reset(handle)[1], plain.reset())


def test_bad_handles(pools):
    pool, other = pools
    handle, _, _, step = begun(pool)
    foreign, *_ = other.xla()
    for wrong in (handle[:4], handle.astype(np.int32)):
        with pytest.raises(TypeError, match=r"handle is .*, expected the uint8 of shape \(8,\)"):
            step(wrong, zeros())
    for wrong in (foreign, np.zeros(8, np.uint8)):
        with pytest.raises(ERROR, match="handle is another pool's"):
            jax.block_until_ready(jax.jit(step)(wrong, zeros()))
    step(handle, zeros())


def test_the_handler_checks_again(pools):
    """Whoever calls it without our functions gets an error, and no memory of others."""
    pool, _ = pools
    handle, _, _, step = begun(pool)
    step(handle, zeros())
    pool_id = np.int64(int.from_bytes(handle.tobytes(), "little"))

    def call(name, results, *arguments, **attributes):
        types = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
        target = jax.ffi.ffi_call(f"envpool_next_{name}", types, has_side_effect=True)
        jax.block_until_ready(target(*arguments, **({"pool": pool_id} | attributes)))

    own = ((8,), np.uint8)
    actions = zeros()
    for results, arguments, message in [
        ([own], (handle, actions), "there are 0 results, expected"),
        ([own], (handle, zeros(3)), "action has 3 rows, expected 4, one per env_id"),
        ([own], (handle, np.zeros(N, np.float32)), "action has dtype float32, expected integers"),
        ([own], (handle, np.zeros((N, 2), np.int32)), r"action has shape \(4, 2\), expected"),
        ([own], (handle, np.zeros(2, np.int8), zeros(2)), "env_id has dtype int8, expected int32"),
        ([own], (handle,), "there are 0 arguments, expected 1 actions"),
        ([own], (handle[:4], actions), r"handle: expected uint8\[8\]"),
    ]:
        name = "step" if message.startswith("there are 0 results") else "send"
        with pytest.raises(ERROR, match=message):
            call(name, results, *arguments)
    with pytest.raises(ERROR, match="the call has no attribute 'pool'"):
        call("send", [own], handle, actions, pool=np.int32(1))
    columns = len(jax.tree.leaves(step(handle, zeros())[1]))
    for shape, dtype in [((7, 4), np.float32), ((N, 4), np.float64), ((N,), np.float32)]:
        wrong = [own, *[(shape, dtype)] * columns]
        with jax.enable_x64(True), pytest.raises(ERROR, match=r"the result obs\.obs has"):
            call("step", wrong, handle, actions)


def test_a_short_batch(pools):
    """Of fewer rows than a program has room for."""
    pool, _ = pools
    handle, recv, send, step = begun(pool)
    handle = send(handle, zeros(2), np.arange(2))
    with pytest.raises(ERROR, match="expected 2 rows"):
        jax.block_until_ready(recv(handle))
    pool.reset()
    step(handle, zeros())


def test_a_pool_in_use(pools):
    """xla() takes it as it is; what cannot be done now is refused."""
    pool, plain = pools
    pool.reset()
    plain.reset()
    pool.send(zeros())
    handle, recv, _, step = pool.xla()
    with pytest.raises(ERROR, match="results of an earlier send"):
        jax.block_until_ready(step(handle, zeros()))
    assert_same_values(recv(handle)[1], plain.step(zeros()))
    with pytest.raises(ERROR, match="would wait forever"):
        jax.block_until_ready(recv(handle))


def test_failures():
    pool = make("testing/Failing-v0", 3, place=["never", "step", "step"], fail_at=2)
    handle, _, _, step = begun(pool)
    handle, _ = step(handle, zeros(3))
    with pytest.raises(
        ERROR,
        match=r"environment 1: failed on purpose in step; environment 2: failed on purpose in "
        r"step \(reset it before its next step; xla_failures\(\) has the results of the others\)",
    ):
        jax.block_until_ready(step(handle, zeros(3)))
    with pytest.raises(ERROR, match="environment 1 has failed: reset it first"):
        jax.block_until_ready(step(handle, zeros(3)))
    reset = pool.xla_reset()
    reset(handle, np.array([False, True, True]))
    _, (obs, *_) = step(handle, zeros(3))
    assert obs[:, 0].tolist() == [3, 1, 1]


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_results_of_the_others(env_type):
    """They are what the failure has that the same step raises outside of a program."""
    options = {"place": ["never", "step", "never"], "fail_at": 2}
    pool, plain = (make("testing/Failing-v0", 3, env_type, **options) for _ in range(2))
    assert pool.xla_failures() == []
    for env in (pool, plain):
        env.reset()
        env.step(zeros(3))
    handle, _, _, step = pool.xla()
    with pytest.raises(ERROR, match="environment 1"):
        jax.block_until_ready(step(handle, zeros(3)))
    with pytest.raises(envpool.EnvironmentFailure) as expected:
        plain.step(zeros(3))
    (failure,) = pool.xla_failures()
    assert str(failure) == str(expected.value)
    assert failure.env_ids == failure.to_reset == [1]
    assert_same_results(failure.results, expected.value.results)
    assert pool.xla_failures() == []
    # Both go on in the same way.
    for env, left in ((pool, failure), (plain, expected.value)):
        env.reset(np.array(left.to_reset))
    assert_same_values(step(handle, zeros(3))[1], plain.step(zeros(3)))


def test_going_on_after_a_failure_in_an_asynchronous_pool():
    """Whose results are left says which environments wait for an action."""
    places = ["step", "never", "never", "never"]
    pool = make("testing/Failing-v0", 4, batch_size=2, place=places, fail_at=3)
    pool.async_reset()
    handle, recv, send, _ = pool.xla()

    def body(_, handle):
        handle, (*_, info) = recv(handle)
        return send(handle, zeros(2), info["env_id"])

    # A worker that has claimed environment 0 may be away for some time, and the others go on.
    loop = jax.jit(lambda handle: lax.fori_loop(0, 1_000_000, body, handle))
    with pytest.raises(ERROR, match="environment 0: failed on purpose"):
        jax.block_until_ready(loop(handle))
    (failure,) = pool.xla_failures()
    *_, info = failure.results
    pool.async_reset(failure.to_reset)
    pool.send(zeros(1), info["env_id"])
    seen = set()
    for _ in range(2):
        *_, info = pool.recv()
        seen.update(info["env_id"].tolist())
    assert seen == {0, 1, 2, 3}


def test_failures_of_resets_and_many_failures():
    pool = make("testing/Failing-v0", 2, place=["reset", "never"], fail_at=1)
    handle, *_ = pool.xla()
    reset = jax.jit(pool.xla_reset())
    for seed in range(10):
        with pytest.raises(ERROR, match="environment 0"):
            jax.block_until_ready(reset(handle, seed=seed))
    failures = pool.xla_failures()
    assert len(failures) == 8
    for failure in failures:
        obs, info = failure.results
        assert len(obs) == 1
        assert info["env_id"].tolist() == [1]
    pool.close()
    assert pool.xla_failures() == []


def test_warnings_come_with_the_next_call():
    pool = make("testing/Faulty-v0", 2, fault="warning")
    handle, _, _, step = begun(pool)
    action = np.zeros((2, 2), np.float32)
    for _ in range(12):
        handle, _ = jax.block_until_ready(step(handle, action))
    with pytest.warns(RuntimeWarning, match="it wobbles"):
        pool.step(action)


def test_vmap_is_refused(pools):
    pool, _ = pools
    handle, _, _, step = pool.xla()
    actions = np.zeros((2, N), np.int32)
    for mapped in (jax.vmap(step, (None, 0)), jax.vmap(jax.jit(step), (None, 0))):
        with pytest.raises(NotImplementedError, match="vmap"):
            mapped(handle, actions)
    with pytest.raises(NotImplementedError, match="vmap"):
        jax.vmap(step, (0, None))(np.stack([handle] * 2), actions[0])


def test_no_derivative_passes_through():
    """But what surrounds the steps has one."""
    pool = make("Pendulum-v1", 2, seed=3)
    obs, _ = pool.reset()
    handle, _, _, step = pool.xla()

    def loss(weight, handle):
        def body(carry, _):
            handle, obs = carry
            action = weight * obs[:, :1]
            handle, (obs, reward, *_) = step(handle, action)
            return (handle, obs), (action.sum(), reward.sum())

        (handle, _), (actions, rewards) = lax.scan(body, (handle, obs), None, length=3)
        return actions.sum(), (handle, rewards)

    (value, _), gradient = jax.jit(jax.value_and_grad(loss, has_aux=True))(0.5, handle)
    # The observations don't depend on the weight, as far as JAX knows.
    np.testing.assert_allclose(gradient * 0.5, value, rtol=1e-5)


# --- ends -------------------------------------------------------------------------------------


def test_closed(pools):
    pool, plain = pools
    handle, _, _, step = begun(pool)
    run = jax.jit(step)
    run(handle, zeros())
    assert pool.xla()[0].tolist() == handle.tolist()
    pool.close()
    with pytest.raises(ERROR, match="the pool was closed or deleted"):
        jax.block_until_ready(run(handle, zeros()))
    pool.reset(seed=1)  # EnvPool's clients go on with it
    with pytest.raises(ERROR, match="the pool was closed or deleted"):
        jax.block_until_ready(run(handle, zeros()))
    fresh, _, _, step = pool.xla()
    assert fresh.tolist() != handle.tolist()
    plain.reset(seed=1)
    assert_same_values(step(fresh, zeros())[1], plain.step(zeros()))


def test_collected():
    """The functions keep the pool alive, a compiled program does not."""
    pool = make("CartPole-v1", N)
    handle, _, _, step = begun(pool)
    alive = weakref.ref(pool)
    del pool
    gc.collect()
    jax.block_until_ready(step(handle, zeros()))
    run = jax.jit(step).lower(handle, zeros()).compile()
    del step, _
    jax.clear_caches()
    gc.collect()
    assert alive() is None
    with pytest.raises(ERROR, match="the pool was closed or deleted"):
        jax.block_until_ready(run(handle, zeros()))


@pytest.mark.parametrize("batch_size", [4, 2])
def test_close_ends_a_running_program(batch_size):
    pool = make("testing/Sleeping-v0", 4, batch_size=batch_size)
    pool.async_reset()
    handle, recv, send, _ = pool.xla()
    actions = zeros(batch_size)

    def body(_, handle):
        handle, (*_, info) = recv(handle)
        return send(handle, actions, info["env_id"])

    run = jax.jit(lambda handle: lax.fori_loop(0, 10**9, body, handle))
    errors = []

    def loop():
        try:
            jax.block_until_ready(run(handle))
        except ERROR as error:
            errors.append(str(error))

    thread = threading.Thread(target=loop)
    thread.start()
    while pool.stats().steps < 20:
        thread.join(0.001)
        assert thread.is_alive()
    pool.close()
    thread.join()
    assert "closed" in errors[0]
    assert len(pool.reset()[0]) == batch_size


def test_exit_while_a_program_runs():
    """It neither hangs nor crashes."""
    program = """
import threading, time
import jax, numpy as np, envpool
from jax import lax
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
pool.reset()
handle, _, _, step = pool.xla()
body = lambda _, handle: step(handle, np.zeros(4, np.int32))[0]
run = jax.jit(lambda handle: lax.fori_loop(0, 10**9, body, handle))
threading.Thread(target=run, args=(handle,), daemon=True).start()
while pool.stats().steps < 1000:
    time.sleep(0.001)
print("leaves", flush=True)
"""
    done = run_python(program)
    assert done.stdout == "leaves\n"
    assert done.returncode == 0, done.stderr


def test_a_forked_child():
    assert_runs("""
import jax
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
pool.reset()
parents = pool.xla()[0]
child = os.fork()
if child == 0:
    fresh = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
    handle = fresh.xla()[0]
    for call in (pool.xla, pool.xla_reset):
        refuses(call, "created before the process forked")
    os._exit(0 if handle.tolist() != parents.tolist() else 1)
assert os.waitpid(child, 0)[1] == 0
""")


@pytest.mark.slow
def test_arrays_on_several_devices_are_refused():
    """By XLA, which does not know which of the devices would call the pool."""
    program = """
import jax, numpy as np, envpool
from jax.sharding import Mesh, NamedSharding, PartitionSpec
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
pool.reset()
handle, recv, send, step = pool.xla()
reset = pool.xla_reset()
mesh = Mesh(np.array(jax.devices()), ("devices",))
sharded, everywhere = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (["devices"], []))
actions = jax.device_put(np.zeros(4, np.int32), sharded)
copies = jax.device_put(np.zeros(4, np.int32), everywhere)
ids = jax.device_put(np.arange(4, dtype=np.int32), sharded)
mask = jax.device_put(np.ones(4, bool), sharded)
scan = lambda handle, actions: jax.lax.scan(step, handle, jax.numpy.stack([actions] * 3))
for call, *arguments in (
    (step, actions), (step, copies), (send, actions), (step, np.zeros(4, np.int32), ids),
    (reset, mask), (scan, actions),
):
    for run in (call, jax.jit(call)):
        try:
            jax.block_until_ready(run(handle, *arguments))
        except jax.errors.JaxRuntimeError as error:
            assert "Side-effect HLO must have sharding" in str(error)
        else:
            raise AssertionError(call)
one = jax.device_put(actions, jax.devices()[0])
handle = jax.device_put(handle, jax.devices()[0])
for run in (step, jax.jit(step), jax.jit(scan)):
    handle, _ = run(handle, one)
"""
    flags = "--xla_force_host_platform_device_count=4"
    done = run_python(program, XLA_FLAGS=flags, JAX_PLATFORMS="cpu")
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_a_million_steps_without_growth():
    pool = make("CartPole-v1", N)
    handle, _, _, step = begun(pool)
    run = jax.jit(
        lambda handle: lax.fori_loop(0, 100_000, lambda _, handle: step(handle, zeros())[0], handle)
    )

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    handle = jax.block_until_ready(run(handle))
    before = resident()
    for _ in range(10):
        handle = jax.block_until_ready(run(handle))
    assert resident() - before < 2**22


def test_handlers_for_gpus_are_registered():
    """Under the names of those for the CPU; what they do is in cpp/tests/xla."""
    assert_runs("""
import jax
seen = []
register = jax.ffi.register_ffi_target
jax.ffi.register_ffi_target = lambda name, *rest, platform: seen.append((platform, name))
envpool.make("CartPole-v1", "gymnasium", num_envs=4).xla()
names = [[name for at, name in seen if at == platform] for platform in ("cpu", "CUDA")]
assert len(names[0]) == 4 and names[0] == names[1], seen
""")


# --- what clients import, and what is not there -----------------------------------------------


def test_paths_of_envpool(pools):
    pool, _ = pools
    pool.reset()
    handle, _, send = make_xla(pool)
    send(handle, zeros())
    assert len(XlaMixin.xla(pool)) == 4


def test_without_jax():
    program = """
import sys
sys.modules["jax"] = None
import envpool
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
for call in (pool.xla, pool.xla_reset):
    try:
        call()
    except RuntimeError as error:
        print(error)
pool.reset()
"""
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("xla() needs JAX, which does not load") == 2
    assert "pip install jax" in done.stdout


def test_jax_is_loaded_by_the_first_call_only():
    program = """
import sys
import envpool
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4)
pool.reset()
assert "jax" not in sys.modules
"""
    assert run_python(program).returncode == 0


def test_environments_written_in_python():
    pool = envpool.make_python(Counting, "gymnasium", num_envs=1, num_workers=1)
    with pytest.raises(
        NotImplementedError, match="not available for environments written in Python"
    ):
        pool.xla()
    assert pool.xla_failures() == []
    pool.close()
