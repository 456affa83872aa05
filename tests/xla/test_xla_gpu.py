"""Programs on a GPU, where JAX has one: the same results as on the CPU.

What the handlers do when the GPU's driver fails or is slow is in cpp/tests/xla.
"""

import numpy as np
import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
from jax import lax

from helpers import actions_by_env, assert_same_results, make, skipping_without_engine
from xla_helpers import assert_same_values, at, rollout, to_numpy

N = 4
ERROR = jax.errors.JaxRuntimeError


@pytest.fixture(autouse=True)
def _gpu():
    try:
        (gpu, *_) = jax.local_devices(backend="cuda")
    except RuntimeError:
        pytest.skip("JAX has no GPU here")
    with jax.default_device(gpu):
        yield


def zeros(num_envs=N):
    return np.zeros(num_envs, np.int32)


@pytest.mark.parametrize(
    "task_id", skipping_without_engine(["CartPole-v1", "HalfCheetah-v5", "Pong-v5"])
)
def test_scan_is_step(task_id):
    compiled, plain = (make(task_id, N, seed=3, max_episode_steps=25) for _ in range(2))
    compiled.reset()
    plain.reset()
    handle, _, _, step = compiled.xla()
    actions = actions_by_env(task_id, N, 60)
    _, results = rollout(step, actions)(handle)
    assert all(leaf.devices() == {jax.local_devices()[0]} for leaf in jax.tree.leaves(results))
    results = to_numpy(results)
    for i, action in enumerate(actions):
        assert_same_values(at(results, i), plain.step(action))
    assert_same_results(compiled.step(actions[0]), plain.step(actions[0]))


def test_asynchronous():
    """Each environment's results are those that it has in a synchronous pool."""
    pool = make("CartPole-v1", 8, batch_size=2, seed=3)
    plain = make("CartPole-v1", 8, seed=3)
    pool.async_reset()
    handle, recv, send, _ = pool.xla()

    def act(handle, _):
        handle, (obs, *_, info) = recv(handle)
        handle = send(handle, jnp.zeros(2, jnp.int32), info["env_id"])
        return handle, (obs, info["env_id"])

    _, (obs, env_ids) = jax.jit(lambda handle: lax.scan(act, handle, None, length=400))(handle)
    obs, env_ids = np.asarray(obs).reshape(800, 4), np.asarray(env_ids).reshape(800)
    expected = [plain.reset()[0]]
    expected.extend(plain.step(zeros(8))[0] for _ in range(800))
    for env in range(8):
        ours = obs[env_ids == env]
        np.testing.assert_array_equal(ours, np.array(expected)[: len(ours), env])


def test_results_that_nobody_waits_for():
    """Several programs' results are on their way at once."""
    pool = make("CartPole-v1", 64, batch_size=8, seed=3)
    pool.async_reset()
    handle, recv, _, _ = pool.xla()
    seen = [jax.jit(recv)(handle)[1][-1]["env_id"] for _ in range(8)]
    assert sorted(np.concatenate(seen).tolist()) == list(range(64))


def test_reset():
    compiled, plain = (make("CartPole-v1", N, seed=3) for _ in range(2))
    handle, *_ = compiled.xla()
    reset = jax.jit(compiled.xla_reset())
    handle, results = reset(handle, seed=7)
    assert_same_values(results, plain.reset(seed=7))
    mask = np.array([False, True, False, True])
    handle, (obs, _) = reset(handle, mask, 9)
    expected, _ = plain.reset(seed=9, options={"reset_mask": mask})
    assert_same_values(obs[mask], expected)


def test_errors():
    pool, other = make("CartPole-v1", N), make("CartPole-v1", N)
    pool.reset()
    handle, _, _, step = pool.xla()
    run = jax.jit(step)
    with pytest.raises(ERROR, match=r"action\[0\] is 7, expected an integer from 0 to 1"):
        jax.block_until_ready(run(handle, np.full(N, 7)))
    with pytest.raises(ERROR, match="handle is another pool's"):
        jax.block_until_ready(run(other.xla()[0], zeros()))
    jax.block_until_ready(run(handle, zeros()))
    pool.close()
    with pytest.raises(ERROR, match="the pool was closed or deleted"):
        jax.block_until_ready(run(handle, zeros()))
