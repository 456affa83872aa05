"""Every misuse raises an exception that says what was wrong, and changes nothing."""

import math

import numpy as np
import pytest

import envpool
from helpers import HANG_S, Twins, assert_runs, assert_same_results, in_thread, make, refused

N = 4  # environments of the pools here
ALL = np.zeros(N, np.int32)


# --- env_id -----------------------------------------------------------------------------------

# What neither test_fuzz.py draws nor tests/contract/test_pools.py has; likewise below.

BAD_IDS = [
    ([0, 1, 2, 3, 4], ValueError),
    ([3, 1, 2, 1], ValueError),
    (np.array([-(2**32) + 1]), ValueError),
    (np.array([2**32 + 1], np.uint64), ValueError),
    (np.array([-1], np.int8), ValueError),
    (np.zeros((2, 0), np.int32), ValueError),
    ([[0], [1, 2]], (TypeError, ValueError)),
    (np.array([math.nan]), TypeError),
    ([True, False], TypeError),
    ([0, None], TypeError),
    ("01", TypeError),
    ({0, 1}, TypeError),
    ({"env_id": 0}, TypeError),
    (np.array([0, 1], "m8[s]"), TypeError),
    (np.array([0j]), TypeError),
]


@pytest.mark.parametrize("method", ["step", "send", "reset"])
@pytest.mark.parametrize(("env_id", "error"), BAD_IDS, ids=repr)
@pytest.mark.one_in(3)
def test_wrong_env_id(cartpoles, method, env_id, error):
    call = getattr(cartpoles.pool, method)
    rows = len(env_id) if isinstance(env_id, list) or np.ndim(env_id) else 1
    arguments = [env_id] if method == "reset" else [np.zeros(rows, np.int32), env_id]
    refused(error, "env_id", call, *arguments)
    cartpoles.assert_equal()


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, False, True], ValueError),
        ([False] * N, ValueError),
        ([1, 0, 1, 0], (TypeError, ValueError)),
        ([[True] * N], ValueError),
        (None, (TypeError, ValueError)),
        ("yes", (TypeError, ValueError)),
    ],
    ids=repr,
)
def test_wrong_reset_mask(cartpoles, mask, error):
    mask = mask if mask is None else np.array(mask)
    refused(error, "reset_mask", cartpoles.pool.reset, options={"reset_mask": mask})
    cartpoles.assert_equal()


def test_reset_mask_and_env_id_together(cartpoles):
    options = {"reset_mask": np.ones(N, bool)}
    refused(ValueError, "env_id.*reset_mask", cartpoles.pool.reset, np.array([0]), options=options)
    cartpoles.assert_equal()


# --- actions ----------------------------------------------------------------------------------

BAD_DISCRETE_ACTIONS = [
    ([0, 1, 2, 0], ValueError),
    (np.array([0, 0, 0, 2**32]), ValueError),
    (np.array([0, 0, 0, 2**63], np.uint64), ValueError),
    (np.array([0, 0, 0, math.nan]), ValueError),
    (np.array([0, 0, 0, math.inf]), ValueError),
    (np.array([0, 0, 0, -0.5], np.float32), ValueError),
    (np.array([0, 0, 0, 0.25], np.float16), ValueError),
    (np.zeros((1, N), np.int32), ValueError),
    (np.zeros(N + 1, np.int32), ValueError),
    ([[0], [1, 2]], ValueError),
    ([b"0"] * N, TypeError),
    ("0101", TypeError),
    (np.zeros(N, object), TypeError),
    (None, TypeError),
    (np.zeros(N, "M8[s]"), TypeError),
    (np.zeros(N, "m8[s]"), TypeError),
    (np.zeros(N, [("a", "i4")]), TypeError),
    ({}, ValueError),
    ({"env_id": np.arange(N)}, ValueError),
    ({"action": ALL, "actions": ALL}, ValueError),
]

BAD_BOX_ACTIONS = [
    (np.array([[0], [0], [math.nan], [0]]), ValueError),
    (np.array([[0], [0], [math.nan], [0]], np.float32), ValueError),
    (np.array([[0], [0], [math.nan], [0]], np.float16), ValueError),
    (np.zeros(N, np.float32), ValueError),
    (np.zeros((N, 2), np.float32), ValueError),
    (np.zeros((N, 1, 1), np.float32), ValueError),
    (np.zeros((N, 0), np.float32), ValueError),
    (np.zeros((N - 1, 1), np.float32), ValueError),
    (np.zeros((N + 1, 1), np.float32), ValueError),
    ([["0"]] * N, TypeError),
    ([[None]] * N, TypeError),
    (np.zeros((N, 1), complex), TypeError),
]


@pytest.mark.parametrize("method", ["step", "send"])
@pytest.mark.parametrize(("action", "error"), BAD_DISCRETE_ACTIONS, ids=repr)
@pytest.mark.one_in(2)
def test_wrong_discrete_action(cartpoles, method, action, error):
    refused(error, "action", getattr(cartpoles.pool, method), action)
    cartpoles.assert_equal()


@pytest.mark.parametrize("method", ["step", "send"])
@pytest.mark.parametrize(("action", "error"), BAD_BOX_ACTIONS, ids=repr)
def test_wrong_box_action(pendulums, method, action, error):
    refused(error, "action", getattr(pendulums.pool, method), action)
    pendulums.assert_equal()


@pytest.mark.parametrize("rows", [0, 1, 3])  # 4 would be the whole pool's, see test_api.py
def test_rows_for_some_environments(cartpoles, rows):
    refused(ValueError, "action", cartpoles.pool.step, np.zeros(rows, np.int32), np.array([1, 2]))
    cartpoles.assert_equal()


def test_message_names_row_value_and_range(cartpoles):
    refused(ValueError, r"action\[2\] is 7.*0 to 1", cartpoles.pool.step, [0, 1, 7, 9])


# --- seeds ------------------------------------------------------------------------------------

BAD_SEEDS = [
    (2**64 - 1, ValueError),  # the second environment's does not fit any more
    ([1, 2, 3, 4, 5], ValueError),
    ([1, 2, 3, -4], ValueError),
    ([1, 2, 3, 2**64], ValueError),
    ([[1, 2], [3, 4]], (TypeError, ValueError)),
    (np.array([[1], [2], [3], [4]]), (TypeError, ValueError)),
    (np.array([[1, 2, 3, 4]]), (TypeError, ValueError)),
    (np.True_, TypeError),
    (np.float64(1), TypeError),
    (b"1234", TypeError),
    ([1, 2, 3, "4"], TypeError),
    ([1, 2, 3, 4.0], TypeError),
    ([1, 2, 3, True], TypeError),
    ({1, 2, 3, 4}, TypeError),
    ({1: 2}, TypeError),
]


@pytest.mark.parametrize(("seed", "error"), BAD_SEEDS, ids=repr)
def test_wrong_seed(cartpoles, seed, error):
    refused(error, "seed", cartpoles.pool.reset, seed=seed)
    refused(error, "seed", make, "CartPole-v1", N, seed=seed)
    cartpoles.assert_equal()


@pytest.mark.parametrize(
    ("env_id", "seed"), [([0, 1], [1, 2, 3]), ([0], 2**64), ([1], 2**64 - 1), ([0], [])]
)
def test_wrong_seed_of_some_environments(cartpoles, env_id, seed):
    refused(ValueError, "seed", cartpoles.pool.reset, np.array(env_id), seed=seed)
    cartpoles.assert_equal()


@pytest.mark.parametrize("env_id", [[0, 9], [-1, 1], [1, 1]])
@pytest.mark.parametrize("seed", [5, [1, 2], [1, 2, 3, 4]])
def test_wrong_env_id_with_right_seed(cartpoles, env_id, seed):
    refused(ValueError, "env_id", cartpoles.pool.reset, np.array(env_id), seed=seed)
    cartpoles.assert_equal()


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0"),
        ({"num_envs": -1}, ValueError, "num_envs"),
        ({"num_envs": 1.5}, TypeError, "num_envs"),
        ({"num_envs": "4"}, TypeError, "num_envs"),
        ({"num_envs": None}, TypeError, "num_envs"),
        ({"num_envs": True}, TypeError, "num_envs"),
        ({"num_envs": 2**31}, ValueError, "num_envs"),
        ({"batch_size": N + 1}, ValueError, "batch_size is 5"),
        ({"batch_size": -1}, ValueError, "batch_size"),
        ({"batch_size": 2.0}, TypeError, "batch_size"),
        ({"batch_size": None}, TypeError, "batch_size"),
        ({"num_threads": -1}, ValueError, "num_threads is -1"),
        ({"num_threads": 1.5}, TypeError, "num_threads"),
        ({"num_threads": None}, TypeError, "num_threads"),
        ({"thread_affinity_offset": -2}, ValueError, "thread_affinity_offset"),
        ({"max_num_players": 0}, ValueError, "max_num_players"),
        ({"max_episode_steps": 0}, ValueError, "max_episode_steps"),
        ({"max_episode_steps": -1}, ValueError, "max_episode_steps"),
        ({"max_episode_steps": 10.5}, TypeError, "max_episode_steps"),
        ({"max_episode_steps": 2**31}, ValueError, "max_episode_steps"),
        ({"gym_reset_return_info": False}, ValueError, "gym_reset_return_info"),
        ({"record_episode_statistics": "yes"}, TypeError, "record_episode_statistics"),
        ({"render_mode": "humna"}, ValueError, "render_mode"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"seed": [1, 2]}, ValueError, "seed"),
        ({"seed": [1, -2, 3, 4]}, ValueError, "seed"),
        ({"env_seed": [1, 2, 3]}, ValueError, "seed"),
        ({"env_seed": 5}, TypeError, "env_seed"),
        ({"num_env": 4}, TypeError, "'num_env'.*'num_envs'"),
        ({"gravty": 4}, TypeError, "'gravty'.*'gravity'"),
        ({"xyzzy": 4}, TypeError, "'xyzzy'"),
        ({"g": 9.8}, TypeError, "'g'"),  # Pendulum's
        ({"gravity": "9.8"}, TypeError, "gravity"),
        ({"gravity": None}, TypeError, "gravity"),
        ({"gravity": True}, TypeError, "gravity"),
        ({"gravity": [9.8, 9.8, 9.8]}, ValueError, "gravity"),
        ({"gravity": []}, ValueError, "gravity"),
        ({"gravity": [9.8, 9.8, 9.8, "9.8"]}, TypeError, "gravity"),
        ({"gravity": [[9.8]] * N}, TypeError, "gravity"),
        ({"sutton_barto_reward": 1}, TypeError, "sutton_barto_reward"),
        ({"sutton_barto_reward": [True, 0, True, True]}, TypeError, "sutton_barto_reward"),
        ({"kinematics_integrator": "eul"}, ValueError, "kinematics_integrator.*'eul'.*'euler'"),
        ({"kinematics_integrator": ["euler"] * 3 + ["x"]}, ValueError, "kinematics_integrator"),
        ({"kinematics_integrator": 3}, TypeError, "kinematics_integrator"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_wrong_options(env_type, options, error, match):
    with pytest.raises(error, match=match) as caught:
        envpool.make("CartPole-v1", env_type, **({"num_envs": N} | options))
    if error is ValueError:  # of the types that EnvPool's clients catch
        assert isinstance(caught.value, envpool.ArgumentError)
        assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize(
    "make_it", [envpool.make_spec, envpool.make_gymnasium, envpool.make_dm, envpool.make_gym]
)
def test_unknown_task(make_it):
    with pytest.raises(envpool.UnknownTaskError, match=r"'CartPol-v1'.*'CartPole-v1'") as caught:
        make_it("CartPol-v1")
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, AssertionError)
    refused(KeyError, "xyzzy", make_it, "xyzzy")
    refused(KeyError, "''", make_it, "")
    refused((KeyError, TypeError), "None", make_it, None)


@pytest.mark.parametrize("env_type", ["gymnasum", "", None, 3, "DM"])
def test_unknown_env_type(env_type):
    match = f"env_type is {env_type!r}, expected one of 'gym', 'gymnasium', 'dm'"
    for error in (ValueError, AssertionError):
        refused(error, match, envpool.make, "CartPole-v1", env_type)


@pytest.mark.parametrize(
    ("task_id", "options", "error", "match"),
    [
        ("CartPole-v1", {"lo": -0.1}, ValueError, "'lo'.*'low'"),
        ("CartPole-v1", {"reset_msk": np.ones(N, bool)}, ValueError, "'reset_mask'"),
        ("CartPole-v1", {"x_init": 0.1}, ValueError, "'x_init'"),
        ("CartPole-v1", {3: 0.1}, ValueError, "unknown key 3"),
        ("CartPole-v1", {"low": "a"}, (TypeError, ValueError), "low"),
        ("CartPole-v1", {"low": None}, (TypeError, ValueError), "low"),
        ("CartPole-v1", {"low": [0.0] * N}, (TypeError, ValueError), "low"),
        ("CartPole-v1", {"low": 0.2, "high": 0.1}, ValueError, "low"),
        ("CartPole-v1", {"low": 0.2}, ValueError, "low"),  # the default of high is less
        ("MountainCar-v0", {"low": 0.2, "high": 0.1}, ValueError, "low"),
        ("MountainCarContinuous-v0", {"low": 0.2, "high": 0.1}, ValueError, "low"),
        ("Acrobot-v1", {"low": 0.2, "high": 0.1}, ValueError, "low"),
        ("Pendulum-v1", {"x_init": "a"}, (TypeError, ValueError), "x_init"),
    ],
    ids=repr,
)
def test_wrong_reset_options(task_id, options, error, match):
    twins = Twins(task_id)
    refused(error, match, twins.pool.reset, options=options)
    twins.assert_equal()


@pytest.mark.parametrize("options", [3, "low", [1], ["low"]], ids=repr)
def test_reset_options_that_are_no_dict(cartpoles, options):
    refused((TypeError, ValueError), "options", cartpoles.pool.reset, options=options)
    cartpoles.assert_equal()


# --- the order of calls -----------------------------------------------------------------------


@pytest.fixture(params=[N, 2], ids=["sync", "async"])
def pool(request):
    return make("CartPole-v1", N, batch_size=request.param, seed=1)


@pytest.mark.parametrize("timeout", [-1, -math.inf, math.nan, "soon", [], 1j])
def test_wrong_timeout(pool, timeout):
    pool.async_reset()
    refused((TypeError, ValueError), "timeout", pool.recv, timeout=timeout)
    pool.recv()


def test_recv_without_info(pool):
    pool.async_reset()
    refused(ValueError, "return_info", pool.recv, return_info=False)
    pool.recv()


def test_too_few_requests_for_a_batch():
    pool = make("CartPole-v1", N, batch_size=3)
    refused(RuntimeError, "needs 3", pool.step, ALL[:2], np.array([0, 1]))
    refused(RuntimeError, "needs 3", pool.reset, np.array([0]))
    pool.send(ALL[:2], np.array([0, 1]))
    refused(RuntimeError, "needs 3", pool.recv)
    refused(TimeoutError, "recv", pool.recv, timeout=0.01)
    assert sorted(pool.step(ALL[:1], np.array([3]))[-1]["env_id"]) == [0, 1, 3]
    assert_still_works(pool)


def assert_still_works(pool):
    obs, info = pool.reset(seed=7)
    expected, _ = make("CartPole-v1", N).reset(seed=7)
    np.testing.assert_array_equal(obs, expected[info["env_id"]])


def test_close_forgets_what_is_in_flight(pool):
    pool.async_reset()
    pool.close()
    refused(RuntimeError, "in flight", pool.recv)
    assert_still_works(pool)


# --- threads, signals and processes -----------------------------------------------------------


def test_close_during_recv_in_another_thread(pool):
    thread, outcome = in_thread(lambda: pool.recv(timeout=2 * HANG_S))
    for _ in range(100 * HANG_S):  # the first close may come before the recv
        pool.close()
        thread.join(0.01)
        if not thread.is_alive():
            break
    assert isinstance(outcome[0], RuntimeError)
    assert "closed" in str(outcome[0])
    assert_still_works(pool)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1"])
def test_threads_that_step_disjoint_environments(task_id):
    """A synchronous pool may be stepped by several threads, each its own environments."""
    pool, lonely = make(task_id, 8), make(task_id, 8)
    pool.reset(seed=1)
    lonely.reset(seed=1)
    shape = (4, *pool.action_space.shape)
    halves = [np.arange(4), np.arange(4, 8)]
    actions = np.zeros(shape, np.int32)
    started = [
        in_thread(lambda ids=ids: [pool.step(actions, ids) for _ in range(200)]) for ids in halves
    ]
    for (thread, outcome), ids in zip(started, halves, strict=True):
        thread.join(HANG_S)
        for ours in outcome[0]:
            assert_same_results(ours, lonely.step(actions, ids))


FORK = """
pool = envpool.make("CartPole-v1", "gymnasium", num_envs=4, batch_size=batch_size, num_threads=2)
pool.reset(seed=1)
for _ in range(4 // batch_size - 1):
    pool.recv()
pool.async_reset()
child = os.fork()
if child == 0:
    actions = np.zeros(batch_size, np.int32)
    ids = np.arange(batch_size, dtype=np.int32)
    for call in (pool.reset, pool.async_reset, pool.recv, pool.stats, pool.get_state):
        refuses(call, "fork")
    call = None  # which would keep the pool
    refuses(lambda: pool.step(actions, ids), "fork")
    refuses(lambda: pool.send(actions, ids), "fork")
    refuses(lambda: pool.recv(timeout=0.01), "fork")
    pool.close()
    refuses(pool.recv, "fork")
    own = envpool.make("CartPole-v1", "gymnasium", num_envs=4, num_threads=2)
    assert own.reset(seed=1)[0].shape == (4, 4)
    own.async_reset()
    CHILD_ENDS
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
received = [pool.recv()[-1]["env_id"] for _ in range(4 // batch_size)]
assert sorted(np.concatenate(received)) == [0, 1, 2, 3]
assert pool.reset()[0].shape == (batch_size, 4)
"""


@pytest.mark.parametrize("batch_size", [N, 2])
@pytest.mark.parametrize("end", ["sys.exit(0)", "del pool, own; sys.exit(0)", "os._exit(0)"])
@pytest.mark.one_in(4)
def test_forked_child(batch_size, end):
    """It gets errors, ends cleanly, and the parent goes on, with results in flight too."""
    program = FORK.replace("CHILD_ENDS", end)
    assert_runs(f"batch_size = {batch_size}\n{program}")
