"""What all kinds of pools do alike: native ones, those of several tasks, and those of processes."""

import copy
import gc
import pickle
import time

import numpy as np
import pytest

import envpool
from helpers import (
    actions_by_env,
    assert_same_bytes,
    assert_same_results,
    leaves,
    make,
    random_actions,
)
from kinds import KINDS, assert_same, cartpoles, each_kind, failing

N = 4
ALL = np.zeros(N, np.int32)


@pytest.fixture(params=KINDS)
def pool(request):
    with cartpoles(request.param, seed=1) as pool:
        yield pool


# --- results ----------------------------------------------------------------------------------


@each_kind
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_rows_are_those_of_a_native_pool(kind, mode):
    options = {"seed": [3, 1, 4, 1], "autoreset_mode": mode, "record_episode_statistics": True}
    with cartpoles(kind, **options) as pool, make("CartPole-v1", **options) as twin:
        assert_same(pool.reset(), twin.reset())
        for batch in actions_by_env("CartPole-v1", N, 60):
            ours, theirs = pool.step(batch), twin.step(batch)
            over = np.flatnonzero(theirs[2] | theirs[3])
            if mode == "SameStep":
                ours_last = [ours[-1].pop(key, None) for key in ("final_obs", "_final_obs")]
                theirs_last = [theirs[-1].pop(key, None) for key in ("final_obs", "_final_obs")]
                assert str(ours_last) == str(theirs_last)
                for result in (ours, theirs):
                    result[-1].pop("final_info", None), result[-1].pop("_final_info", None)
            assert_same(ours, theirs)
            if mode == "Disabled" and len(over):
                with pytest.raises(RuntimeError, match=f"environment {over[0]} has no episode"):
                    pool.step(batch)
                assert_same(pool.reset(over, seed=7), twin.reset(over, seed=7))


@each_kind
def test_time_steps_are_those_of_a_native_pool(kind):
    options = {"env_type": "dm", "seed": 3}
    with cartpoles(kind, **options) as pool, make("CartPole-v1", **options) as twin:
        pairs = [(pool.reset(), twin.reset())]
        pairs += [
            (pool.step(each), twin.step(each)) for each in actions_by_env("CartPole-v1", N, 60)
        ]
    for ours, theirs in pairs:
        assert type(ours) is type(theirs)
        assert_same_results(tuple(ours[:3]), tuple(theirs[:3]))
        for name in ("env_id", "obs", "elapsed_step"):
            if hasattr(theirs.observation, name):
                assert_same_bytes(*(getattr(each.observation, name) for each in (ours, theirs)))


def test_results_of_reset(pool):
    obs, info = pool.reset()
    assert (obs.shape, obs.dtype) == ((N, 4), np.float32)
    assert type(info) is dict
    assert_info(info)


def assert_info(info, rows=N):
    info.pop("task", None)
    described = [(path, array.dtype, array.shape) for path, array in leaves(info)]
    assert described == [
        ("/env_id", np.int32, (rows,)),
        ("/players/env_id", np.int32, (rows,)),
        ("/elapsed_step", np.int32, (rows,)),
    ]
    np.testing.assert_array_equal(info["env_id"], info["players"]["env_id"])


def test_results_of_step(pool):
    pool.reset()
    results = pool.step(ALL)
    assert type(results) is tuple
    *arrays, info = results
    described = [(array.dtype, array.shape) for array in arrays]
    assert described == [
        (np.float32, (N, 4)),
        (np.float32, (N,)),
        (np.bool_, (N,)),
        (np.bool_, (N,)),
    ]
    assert_info(info)
    assert info["elapsed_step"].tolist() == [1] * N


def test_arrays_are_writable_and_contiguous(pool):
    pool.reset()
    for _, array in leaves(pool.step(ALL)):
        assert type(array) is np.ndarray
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned
        array[...] = 1


def test_what_clients_do_to_results_does_not_matter(pool):
    twin = make("CartPole-v1", N, seed=1)
    assert_same(pool.reset(), twin.reset())
    for batch in actions_by_env("CartPole-v1", N, 50):
        batch_before = batch.copy()
        results = pool.step(batch)
        assert_same(results, twin.step(batch))
        np.testing.assert_array_equal(batch, batch_before)
        batch[...] = 7
        for _, array in leaves(results):
            array[...] = 77
        info = results[-1]
        info["time_outs"] = 3
        del info["elapsed_step"]
        info["players"]["x"] = 0


@each_kind
def test_arrays_stay_intact(kind):
    """For many steps, and after the pool has gone, with its threads and processes."""
    pool = cartpoles(kind)
    is_native = KINDS[kind] is None
    steps = 1000 if is_native else 200
    kept, copies = [], []
    rng = np.random.default_rng(0)
    pool.reset()
    for _ in range(steps):
        results = pool.step(random_actions(pool, rng))
        kept.append(results)
        copies.append([array.copy() for _, array in leaves(results)])
    pool.close()
    if is_native:
        pool.step(ALL)  # which starts its threads again
    del pool, results
    gc.collect()
    addresses = set()
    for results, before in zip(kept, copies, strict=True):
        for (_, array), expected in zip(leaves(results), before, strict=True):
            assert array.tobytes() == expected.tobytes()
            addresses.add(array.ctypes.data)
    assert len(addresses) == steps * len(before)


# --- actions and ids --------------------------------------------------------------------------


CONVERTED = {
    "int64": lambda a: a.astype(np.int64),
    "int8": lambda a: a.astype(np.int8),
    "uint64": lambda a: a.astype(np.uint64),
    "bool": lambda a: a.astype(bool),
    "float64": lambda a: a.astype(np.float64),
    "float32": lambda a: a.astype(np.float32),
    "float16": lambda a: a.astype(np.float16),
    "big endian": lambda a: a.astype(">i4"),
    "big endian floats": lambda a: a.astype(">f8"),
    "strided": lambda a: np.repeat(a, 3)[::3],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "list": lambda a: a.tolist(),
    "tuple": tuple,
    "dict": lambda a: {"action": a},
    "dict with ids": lambda a: {"action": a.astype(np.int64), "env_id": np.arange(N)},
    "dict with players": lambda a: {
        "action": a,
        "env_id": np.arange(N),
        "players.env_id": np.arange(N),
    },
}


@pytest.mark.parametrize("convert", CONVERTED.values(), ids=CONVERTED)
@pytest.mark.one_in(2)
def test_discrete_actions_convert(pool, convert):
    twin = make("CartPole-v1", seed=1)
    pool.reset()
    twin.reset()
    for batch in actions_by_env("CartPole-v1", N, 30):
        assert_same(pool.step(convert(batch)), twin.step(batch))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.int16, np.uint64, ">i4"])
@pytest.mark.parametrize("ids", [[2], [3, 0], [1, 3, 0, 2], [3, 2, 1, 0]])
@pytest.mark.one_in(3)
def test_partial_steps(pool, ids, dtype):
    twin = make("CartPole-v1", seed=1)
    pool.reset()
    twin.reset()
    actions = np.array([0, 1, 0, 1])
    for step in range(1, 4):
        obs, *_, info = pool.step(actions[ids], np.array(ids, dtype))
        whole = twin.step(actions)
        assert_info(info, len(ids))
        assert info["env_id"].tolist() == ids
        assert info["elapsed_step"].tolist() == [step] * len(ids)
        np.testing.assert_array_equal(obs, whole[0][ids])
    assert pool.step(ALL)[-1]["elapsed_step"].tolist() == [
        4 if env in ids else 1 for env in range(N)
    ]


def test_ids_as_list_and_strided(pool):
    pool.reset()
    assert pool.step([0, 0], [3, 1])[-1]["env_id"].tolist() == [3, 1]
    assert pool.step([0, 0], env_id=(3, 1))[-1]["env_id"].tolist() == [3, 1]
    assert pool.step([0, 0], np.arange(N)[::2])[-1]["env_id"].tolist() == [0, 2]


def test_empty_calls(pool):
    """Clients reset the environments that are done, which mostly are none."""
    for ids in (np.array([], np.int64), np.array([]), [], np.where(np.zeros(N))[0]):
        obs, info = pool.reset(ids)
        assert obs.shape == (0, 4)
        assert_info(info, 0)
        obs, *arrays, info = pool.step(ALL[:0], ids)
        assert [array.shape for array in (obs, *arrays)] == [(0, 4), (0,), (0,), (0,)]
        assert_info(info, 0)
        pool.send(ALL[:0], ids)
    assert pool.step(ALL)[-1]["elapsed_step"].tolist() == [0] * N


@pytest.mark.parametrize("action", [np.zeros((N, 2), int), np.zeros((), int), np.zeros(3, int)])
def test_actions_of_a_wrong_shape_are_refused(pool, action):
    pool.reset()
    for call in (pool.step, pool.send):
        for expected in (ValueError, RuntimeError, AssertionError, envpool.ArgumentError):
            with pytest.raises(expected, match="action"):
                call(action)
    assert pool.step(ALL)[-1]["elapsed_step"].tolist() == [1] * N, "nobody was stepped"


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (np.full(N, 2), ValueError, r"action\[0\] is 2"),
        ([0, 1, 9, 0], ValueError, r"action\[2\] is 9"),
        (np.full(N, 0.5), ValueError, r"action\[0\] is 0.5"),
        (np.array(["left"] * N), TypeError, "action"),
        ({"action": ALL, "actoin": ALL}, ValueError, "unknown key 'actoin'"),
        ({"env_id": ALL}, ValueError, "lacks the key 'action'"),
        (
            {"action": ALL, "env_id": range(N), "players.env_id": range(1, N + 1)},
            ValueError,
            "env_id",
        ),
    ],
)
def test_wrong_actions_are_refused(pool, action, error, message):
    pool.reset()
    with pytest.raises(error, match=message):
        pool.step(action)
    assert pool.step(ALL)[-1]["elapsed_step"].tolist() == [1] * N, "nobody was stepped"


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([0, 4], ValueError, r"env_id\[1\] is 4, expected 0 <= env_id < num_envs = 4"),
        ([0, -7], ValueError, r"env_id\[1\] is -7, expected 0 <= env_id < num_envs = 4"),
        ([0, 2**32], ValueError, r"env_id\[1\] is 4294967296, expected 0 <= env_id < num_envs"),
        ([-(2**63)], ValueError, r"env_id\[0\] is -9223372036854775808, expected 0 <= env_id"),
        (np.uint64([2**64 - 1]), ValueError, r"env_id\[0\] is 18446744073709551615, expected"),
        ([-1, 0], ValueError, r"env_id\[0\] is -1"),
        ([2, 2], ValueError, "env_id 2 is repeated"),
        ([0.5, 1.0], TypeError, "env_id"),
        ([True, False], TypeError, "env_id"),
        ([[0, 1]], ValueError, "env_id"),
    ],
)
def test_wrong_ids_are_refused(pool, ids, error, message):
    pool.reset()
    states = pool.get_state([0, 1])
    for call in (
        lambda: pool.step(ALL[:2], np.array(ids)),
        lambda: pool.reset(np.array(ids)),
        lambda: pool.async_reset(np.array(ids)),
        lambda: pool.get_state(np.array(ids)),
        lambda: pool.set_state(states, np.array(ids)),
    ):
        with pytest.raises(error, match=message):
            call()
    assert pool.step(ALL)[-1]["elapsed_step"].tolist() == [1] * N, "nobody was stepped"


# --- seeds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [5, [8, 6, 7, 5]])
def test_seeds_of_resets(pool, seed):
    assert_same(pool.reset(seed=seed), make("CartPole-v1", seed=seed).reset())


def test_reset_options_may_be_empty(pool):
    assert_same(pool.reset(options={}), make("CartPole-v1", N, seed=1).reset())


def test_masks_choose_who_is_reset(pool):
    pool.reset()
    options = {"reset_mask": np.array([True, False, True, False])}
    _, info = pool.reset(options=options)
    assert info["env_id"].tolist() == [0, 2]
    assert list(options) == ["reset_mask"]
    with pytest.raises(ValueError, match="reset_mask"):
        pool.reset(options={"reset_mask": np.zeros(3, bool)})


def test_seed_warns(pool):
    with pytest.warns(UserWarning, match="seed"):
        pool.seed(3)
    assert_same(pool.reset(), make("CartPole-v1", N, seed=1).reset())


# --- the end of episodes ----------------------------------------------------------------------


@each_kind
@pytest.mark.parametrize("limit", [1, 2, 8])
def test_truncation_is_exact(kind, limit):
    with cartpoles(kind, max_episode_steps=limit) as pool:
        pool.reset()
        for _ in range(3):
            for elapsed in range(1, limit + 1):
                _, reward, terminated, truncated, info = pool.step(np.full(N, elapsed % 2))
                assert info["elapsed_step"].tolist() == [elapsed] * N
                assert truncated.tolist() == [elapsed == limit] * N
                assert not terminated.any()
                assert reward.all()
            _, reward, *_, info = pool.step(ALL)
            assert info["elapsed_step"].tolist() == [0] * N
            assert not reward.any()


@each_kind
def test_reset_ends_an_episode_early(kind):
    with cartpoles(kind, 2, max_episode_steps=5) as pool:
        pool.reset()
        for i in range(5):
            _, _, _, truncated, _ = pool.step(np.full(2, i % 2))
        assert truncated.all()
        _, info = pool.reset(np.array([1]))  # the next step of 0 is its reset, of 1 a step
        assert info["elapsed_step"].tolist() == [0]
        assert pool.step(ALL[:2])[-1]["elapsed_step"].tolist() == [0, 1]


# --- asynchronous pools -----------------------------------------------------------------------


@each_kind
def test_async(kind):
    """Each environment has the rows that it has in a synchronous pool."""
    rows = {env_id: [] for env_id in range(6)}
    with cartpoles(kind, 6, batch_size=2, seed=3) as pool:
        assert pool.async_reset() is None
        while min(map(len, rows.values())) < 12:
            obs, *_, info = pool.recv()
            assert obs.shape == (2, 4)
            assert_info(info, 2)
            for env_id, row in zip(info["env_id"], obs, strict=True):
                rows[env_id].append(row)
            assert pool.send(np.zeros(2, np.int64), info["env_id"]) is None
    with make("CartPole-v1", 6, seed=3) as twin:
        expected = [twin.reset()[0], *(twin.step(np.zeros(6))[0] for _ in range(11))]
    for env_id, observations in rows.items():
        assert_same_bytes(np.stack(observations[:12]), np.stack(expected)[:, env_id])


def test_no_environment_of_an_asynchronous_pool_falls_behind():
    """Also where one thread has time for more of them than another."""
    counts = np.zeros(256, int)
    with make("LunarLander-v3", 256, batch_size=64, num_threads=2) as pool:
        pool.async_reset()
        for _ in range(1000):
            env_id = pool.recv()[-1]["env_id"]
            counts[env_id] += 1
            pool.send(np.zeros(64, np.int64), env_id)
    # In parts, because a thread may lose its core while it runs a few of them.
    assert counts.reshape(8, -1).mean(axis=1).min() > 150, "of 250 steps that each should have"


@each_kind
def test_recv_of_a_reset(kind):
    with cartpoles(kind, 6, batch_size=2) as pool:
        pool.async_reset()
        assert len(pool.recv(reset=True)) == 2
        assert len(pool.recv()) == 5
        obs, _ = pool.recv(True)
        assert obs.shape == (2, 4)


@each_kind
def test_async_reset_returns_a_batch(kind):
    with cartpoles(kind, 6, batch_size=2) as pool:
        obs, info = pool.reset()
        assert obs.shape == (2, 4)
        obs, *_, info = pool.step(np.zeros(2), info["env_id"])
        assert obs.shape == (2, 4)


def test_send_and_recv_in_a_synchronous_pool(pool):
    """Each send is a batch of its own, in the order sent."""
    pool.async_reset()
    assert_same(pool.recv(reset=True), make("CartPole-v1", N, seed=1).reset())
    for ids in ([3, 1], [2], [0]):
        pool.send(ALL[: len(ids)], np.array(ids))
    for ids in ([3, 1], [2], [0]):
        assert pool.recv()[-1]["env_id"].tolist() == ids


def test_steps_of_all_in_an_asynchronous_pool_are_told_of_its_batch_size():
    """Which wrappers for vector environments do."""
    pool = make("CartPole-v1", N, batch_size=2)
    pool.reset()
    for call in (pool.step, pool.send):
        with pytest.raises(RuntimeError, match=r"batch_size is 2 and num_envs 4.*batch_size=num"):
            call(ALL)
    with pytest.raises(RuntimeError, match=r"recv\(\) its result first$"):
        pool.step(ALL, np.arange(N))


def test_calls_amid_others_are_refused(pool):
    with pytest.raises(RuntimeError, match="recv"):
        pool.recv()
    with pytest.raises(TimeoutError, match="no batch was ready in time"):
        pool.recv(timeout=0.01)
    states = pool.get_state()
    pool.async_reset()
    for call in (
        lambda: pool.send(ALL),
        lambda: pool.get_state([3]),
        lambda: pool.set_state(states[:1], [3]),
    ):
        with pytest.raises(RuntimeError, match=r"environment \d is already running: recv\(\)"):
            call()
    with pytest.raises(RuntimeError, match=r"results of an earlier send: recv\(\) them first"):
        pool.reset([3])
    pool.recv(reset=True)
    pool.step(ALL)


# --- states, counts, failures, ends -----------------------------------------------------------


def test_what_follows_a_state(pool):
    pool.reset()
    actions = actions_by_env("CartPole-v1", N, 40)
    for batch in actions[:13]:
        pool.step(batch)
    states = pool.get_state()
    expected = [pool.step(batch) for batch in actions]
    pool.set_state(states)
    for batch, results in zip(actions, expected, strict=True):
        assert_same(pool.step(batch), results)
    pool.set_state(states[:1] * 2, [2, 1])
    assert len({row.tobytes() for row in pool.step(ALL[:2], [1, 2])[0]}) == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda good: good[:3], ValueError, "(has 3 entries|are 3 states), expected 4"),
        (lambda good: [*good, good[0]], ValueError, "(has 5 entries|are 5 states), expected 4"),
        (lambda good: good[0], TypeError, "states is a bytes, expected a list of bytes"),
        (lambda good: None, TypeError, "states is a NoneType, expected a list of bytes"),
        (lambda good: [*good[:3], "text"], TypeError, r"states\[3\] is .*str.*, expected bytes"),
        (lambda good: [*good[:3], None], TypeError, r"states\[3\] is .*NoneType.*, expected bytes"),
        (lambda good: [*good[:3], b"no state"], ValueError, "states"),
        (lambda good: [*good[:3], good[3][:-5]], ValueError, "states"),
    ],
)
def test_wrong_states_change_nothing(pool, change, error, message):
    pool.reset()
    pool.step(ALL)
    states = pool.get_state()
    with pytest.raises(error, match=message):
        pool.set_state(change(states))
    assert pool.get_state() == states


def test_counts(pool):
    pool.reset()
    for _ in range(3):
        pool.step(ALL)
    pool.step(ALL[:2], [3, 1])
    time.sleep(0.1)
    stats = pool.stats(reset=True)
    assert (stats.steps, stats.episodes, stats.batches) == (3 * N + 2, 0, 5)
    fresh = pool.stats()
    assert (fresh.steps, fresh.episodes, fresh.batches) == (0, 0, 0)
    assert fresh.elapsed < stats.elapsed
    pool.step(ALL)
    assert pool.stats().steps == N
    assert min(pool.stats().worker_busy, default=0.0) >= 0.0


@each_kind
def test_failures_leave_the_others_alone(kind):
    with failing(kind, [False, True, False]) as pool:
        pool.reset()
        pool.step(np.zeros(3, int))
        for _ in range(2):
            with pytest.raises(envpool.EnvironmentFailure) as caught:
                pool.step(np.zeros(3, int))
            failure = caught.value
            assert (failure.env_ids, failure.to_reset) == ([1], [1])
            assert "failed on purpose in step" in failure.messages[0]
            assert failure.results[4]["env_id"].tolist() == [0, 2]
            assert (failure.__cause__ is None) == (KINDS[kind] is None)
            with pytest.raises(RuntimeError, match="environment 1 has failed: reset it first"):
                pool.step(np.zeros(3, int))
            steps = pool.step(np.zeros(2, int), [2, 0])[-1]["elapsed_step"]
            assert pool.reset([1])[0].tolist() in ([0], [[0]])
            assert pool.step(np.zeros(1, int), [1])[-1]["elapsed_step"].tolist() == [1]
            assert steps[0] == steps[1] > 2


@pytest.mark.parametrize("clone", [pickle.dumps, copy.deepcopy, copy.copy])
def test_pools_cannot_be_copied(pool, clone):
    with pytest.raises(TypeError, match=type(pool).__name__):
        clone(pool)


def test_ends(pool):
    with pool:
        pool.reset()
        assert not pool.closed
    assert pool.closed
    pool.close()
    pool.close(anything="goes")
