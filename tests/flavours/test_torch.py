"""envpool.torch: the pool's results as PyTorch's tensors, over the same memory or on a GPU."""

from __future__ import annotations

import functools
import gc
import sys
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("torch")

import torch

import envpool
import envpool.families.testing.registration
from envpool.flavours import torch_pool
from envpool.flavours.torch_pool import moved
from envpool.spec.fields import map_leaves
from helpers import assert_identical, make, run_python

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch has no GPU here")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_gpu)]

of_python = functools.partial(envpool.make_python, "CartPole-v1", num_envs=4, seed=3)
POOLS: dict[str, Any] = {
    "Gymnasium": lambda: make("CartPole-v1", seed=3),
    "dm_env": lambda: make("CartPole-v1", env_type="dm", seed=3),
    "same step": lambda: make(
        "CartPole-v1", seed=3, autoreset_mode="SameStep", record_episode_statistics=True
    ),
    "dicts": lambda: make("MiniGrid-DoorKey-5x5-v0", seed=3, max_episode_steps=9),
    "nested infos": lambda: make("testing/Picture-v0"),
    "several players": lambda: make("testing/Players-v0", seed=3),
    "Python": lambda: of_python(env_type="gymnasium", num_workers=0),
    "Python, process": lambda: of_python(
        env_type="gymnasium", num_workers=1, start_method="fork", record_episode_statistics=True
    ),
    "Python, dm_env": lambda: of_python(env_type="dm", num_workers=0),
}
STEPS = 25  # CartPole's poles fall


def made(name: str) -> Any:
    if "dm_env" in name:
        pytest.importorskip("dm_env")
    return POOLS[name]()


def leaves(results: Any) -> list[Any]:
    found: list[Any] = []
    map_leaves(found.append, results)
    return found


def to_numpy(results: Any) -> Any:
    """Results with arrays in place of tensors."""
    return map_leaves(
        lambda leaf: leaf.numpy(force=True) if isinstance(leaf, torch.Tensor) else leaf, results
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", POOLS)
def test_results_are_those_of_the_bare_pool(name: str, device: str) -> None:
    bare, pool = made(name), envpool.torch(made(name), device)
    expected, results = bare.reset(), pool.reset()
    has_objects = False
    for _ in range(STEPS):
        assert_identical(to_numpy(results), expected)
        for ours, array in zip(leaves(results), leaves(expected), strict=True):
            is_number = array.dtype != object
            has_objects |= not is_number
            assert isinstance(ours, torch.Tensor) == is_number
            assert not is_number or ours.device.type == device
        actions = np.zeros(len(leaves(expected)[0]), np.int64)
        expected, results = bare.step(actions), pool.step(torch.from_numpy(actions).to(device))
    assert has_objects == (name == "same step")  # its final observations
    pool.close()
    bare.close()


@pytest.mark.parametrize("name", POOLS)
def test_tensors_are_over_the_memory_of_the_pools_arrays(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, seen = made(name), []
    to_output = type(pool)._to_output

    def noted(self: Any, results: Any) -> Any:
        seen.append(to_output(self, results))
        return seen[-1]

    monkeypatch.setattr(type(pool), "_to_output", noted)
    tensors = leaves(envpool.torch(pool).reset())
    assert len(tensors) > 3
    for tensor, array in zip(tensors, leaves(seen[-1]), strict=True):
        assert tensor.data_ptr() == array.ctypes.data
    pool.close()


@pytest.mark.parametrize("device", DEVICES)
def test_no_later_call_changes_a_tensor(device: str) -> None:
    pool = envpool.torch(make("CartPole-v1", 64, seed=3), device)
    kept = [pool.reset()]
    copies = [to_numpy(map_leaves(torch.clone, kept[0]))]
    for _ in range(STEPS):
        kept.append(pool.step(torch.zeros(64, dtype=torch.int64)))
        copies.append(to_numpy(map_leaves(torch.clone, kept[-1])))
    bare = weakref.ref(pool.bare)
    del pool
    gc.collect()
    assert bare() is None
    for results, copy in zip(kept, copies, strict=True):
        assert_identical(to_numpy(results), copy)


@pytest.mark.parametrize("device", DEVICES)
def test_asynchronous(device: str) -> None:
    """Each environment's rows are those that it has in a synchronous pool; ids are tensors."""
    pool = envpool.torch(make("CartPole-v1", 6, batch_size=2, seed=3), device)
    plain = make("CartPole-v1", 6, seed=3)
    expected = [plain.reset()[0], *(plain.step(np.zeros(6, int))[0] for _ in range(60))]
    seen: list[list[Any]] = [[] for _ in range(6)]
    pool.async_reset()
    for _ in range(60):
        observation, *_, info = pool.recv()
        assert info["env_id"].device.type == device
        for env_id, row in zip(info["env_id"].tolist(), observation.cpu(), strict=True):
            seen[env_id].append(row)
        pool.send(torch.zeros(2, dtype=torch.int32, device=device), info["env_id"])
    for env_id, rows in enumerate(seen):
        np.testing.assert_array_equal(torch.stack(rows), np.array(expected)[: len(rows), env_id])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_actions(dtype: str, device: str) -> None:
    bare, pool = make("Pendulum-v1", seed=3), envpool.torch(make("Pendulum-v1", seed=3), device)
    bare.reset()
    pool.reset()
    # A policy's, over part of a larger tensor.
    parts = torch.linspace(-2, 2, 8, dtype=getattr(torch, dtype), device=device, requires_grad=True)
    actions = parts[::2, None]
    expected = actions.detach().cpu().double().numpy().astype("f4" if dtype != "float64" else "f8")
    assert_identical(to_numpy(pool.step(actions)), bare.step(expected))
    ids = torch.tensor([2, 0], device=device)
    for ours, theirs in (
        (pool.step(actions[:2], ids), bare.step(expected[:2], [2, 0])),
        (
            pool.step({"action": actions[:2], "env_id": ids}),
            bare.step({"action": expected[:2], "env_id": np.array([2, 0])}),
        ),
        (pool.reset(ids, seed=5), bare.reset([2, 0], seed=5)),
        (
            pool.reset(options={"reset_mask": torch.arange(4, device=device) > 1}),
            bare.reset(options={"reset_mask": np.arange(4) > 1}),
        ),
    ):
        assert_identical(to_numpy(ours), theirs)


def test_actions_reach_the_pool_without_a_copy() -> None:
    pool = envpool.torch(make("Pendulum-v1"))
    actions = torch.zeros(4, 1, requires_grad=True)
    assert pool._to_numpy(actions).ctypes.data == actions.data_ptr()


def test_wrong_actions_are_refused_in_the_pools_own_words() -> None:
    pool = envpool.torch(make("CartPole-v1"))
    pool.reset()
    for actions, message in (
        (torch.zeros(4, 2, dtype=torch.int64), r"action has shape \(4, 2\), expected \(n,\)"),
        (torch.full((4,), 7), r"action\[0\] is 7, expected an integer from 0 to 1"),
        (torch.full((4,), 0.5), r"action\[0\] is 0.5, expected an integer"),
    ):
        with pytest.raises(ValueError, match=message):
            pool.step(actions)
    with pytest.raises(TypeError, match="env_id has dtype float32, expected integers"):
        pool.send(torch.zeros(1, dtype=torch.int64), torch.zeros(1))
    assert len(pool.step(torch.zeros(4, dtype=torch.int64))[0]) == 4


def test_tensors_that_numpy_cannot_read() -> None:
    pool = envpool.torch(make("Pendulum-v1"))
    pool.reset()
    for actions in (
        torch.zeros(4, 1, device="meta"),
        torch.zeros(4, 1).to_sparse(),
        torch.nested.nested_tensor([torch.zeros(1)] * 4),
    ):
        with pytest.raises((TypeError, RuntimeError)):  # as PyTorch says it
            pool.step(actions)
    pool.step([torch.zeros(1, requires_grad=True)] * 4)


def test_it_is_the_same_pool() -> None:
    bare = make("CartPole-v1", seed=3)
    pool = envpool.torch(bare)
    assert isinstance(pool, envpool.GymnasiumEnvPool) and len(pool) == 4
    assert repr(pool).startswith("TorchCartPoleGymnasiumEnvPool(num_envs=4")
    pool.reset()
    states = bare.get_state()
    observation = pool.step(torch.ones(4, dtype=torch.int64))[0]
    bare.set_state(states)
    np.testing.assert_array_equal(bare.step(np.ones(4, int))[0], observation)  # arrays
    bare.send(np.ones(4, int))
    del pool  # the bare one is still in use
    assert len(bare.recv()[0]) == 4
    with envpool.torch(bare) as pool:
        pool.reset()
    assert pool.closed and bare.closed


def test_what_is_no_number_stays_as_it_is() -> None:
    class Named(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Text(8)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return "here", {"name": "Ada", "age": 36}

    pool = envpool.torch(envpool.make_python(Named, "gymnasium", num_envs=2, num_workers=0))
    observation, info = pool.reset()
    assert list(observation) == ["here"] * 2
    assert list(info["name"]) == ["Ada"] * 2
    assert isinstance(info["age"], torch.Tensor) and info["age"].tolist() == [36, 36]


@pytest.mark.parametrize("device", DEVICES)
def test_the_others_results_are_tensors_when_an_environment_fails(device: str) -> None:
    places = ["never", "step", "never"]
    pool = envpool.torch(make("testing/Failing-v0", 3, place=places), device)
    pool.reset()
    with pytest.raises(envpool.EnvironmentFailure) as caught:
        for _ in range(9):
            pool.step(torch.zeros(3, dtype=torch.int64))
    observation, *_, info = caught.value.results
    assert info["env_id"].tolist() == [0, 2] and len(observation) == 2
    assert observation.device.type == device


def test_wrong_pools() -> None:
    pool = envpool.torch(make("CartPole-v1"))
    with pytest.raises(TypeError, match=r"pool is Torch.*, which returns tensors already"):
        envpool.torch(pool)
    with pytest.raises(TypeError, match=r"pool is .*, expected a pool of envpool\.make\(\)"):
        envpool.torch(gymnasium.make_vec("envpool/CartPole-v1", num_envs=2))  # type: ignore[arg-type]


def test_closed_pools() -> None:
    pool = envpool.torch(of_python(env_type="gymnasium", num_workers=0))
    assert not pool.closed
    pool.bare.close()
    assert pool.closed
    with pytest.raises(RuntimeError, match="closed"):
        pool.reset()


@pytest.mark.parametrize("device", ["gpu", "mps", 0.5, None, "meta"])
def test_devices_of_another_kind(device: Any) -> None:
    expected = rf"^device is {device!r}, expected 'cpu', 'cuda' or 'cuda:N'"
    with pytest.raises(envpool.ArgumentError, match=expected):
        envpool.torch(make("CartPole-v1"), device)


@pytest.mark.parametrize("count", [0, 2])
def test_gpus_that_are_not_there(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    expected = "there are 2 GPUs, from 'cuda:0' on" if count else "there is no GPU"
    with pytest.raises(envpool.ArgumentError, match=f"device is 'cuda:2', expected .*{expected}"):
        envpool.torch(make("CartPole-v1"), "cuda:2")


def test_without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    torch_pool._import_torch.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"envpool\.torch needs PyTorch.*: pip install torch"):
        envpool.torch(make("CartPole-v1"))


def test_one_piece_of_memory_has_all_tensors() -> None:
    """How a GPU gets them; PyTorch pins no memory where there is none."""
    tensors = [
        torch.arange(7, dtype=torch.uint8),
        torch.tensor([True, False]),
        torch.randn(3, 2, 5, dtype=torch.float64),
        torch.randn(4, 6)[:, ::2],  # in pieces
        torch.zeros(0, 3),
        torch.tensor(5, dtype=torch.int16),
        torch.arange(3, dtype=torch.int32),
    ]
    copies = moved(tensors, "cpu")
    for copy, tensor in zip(copies, tensors, strict=True):
        torch.testing.assert_close(copy, tensor, rtol=0, atol=0)
        assert copy.is_contiguous()
    assert len({copy.untyped_storage().data_ptr() for copy in copies}) == 1


@pytest.mark.parametrize("name", ["same step", "dm_env"])
def test_a_batch_is_one_piece(name: str) -> None:
    """The way to a GPU, to the processor's own memory."""
    bare, pool = made(name), envpool.torch(made(name))
    pool._is_on_gpu = True
    bare.reset()
    pool.reset()
    for _ in range(STEPS):
        results = pool.step(torch.zeros(4, dtype=torch.int64))
        assert_identical(to_numpy(results), bare.step(np.zeros(4, int)))
        tensors = [leaf for leaf in leaves(results) if isinstance(leaf, torch.Tensor)]
        assert len({tensor.untyped_storage().data_ptr() for tensor in tensors}) == 1


@needs_gpu
def test_no_step_waits_for_the_gpu() -> None:
    """The GPU copies when its stream gets there; by then the pool has gone on for long."""
    bare, twin = (make("CartPole-v1", 1024, seed=3) for _ in range(2))
    pool = envpool.torch(twin, "cuda")
    actions = torch.zeros(1024, dtype=torch.int64)
    results = [pool.reset()]
    for _ in range(2):  # in the first round memory is pinned, for which the driver may wait
        torch.cuda.synchronize()
        torch.cuda._sleep(10**9)
        results += [pool.step(actions) for _ in range(50)]
        is_behind = not torch.cuda.current_stream().query()
    assert is_behind
    assert_identical(to_numpy(results[0]), bare.reset())
    for each in results[1:]:
        assert_identical(to_numpy(each), bare.step(actions.numpy()))


def test_an_optimizer_after_pictures(opengl):
    """It loads PyTorch's compiler, beside that of Mesa's OpenGL."""
    program = """
import envpool, torch
pool = envpool.make_gymnasium("InvertedPendulum-v5", render_mode="rgb_array", width=8, height=8)
pool.reset()
pool.render()
torch.optim.Adam(torch.nn.Linear(1, 1).parameters())
import triton
"""
    pytest.importorskip("triton")
    done = run_python(program, MUJOCO_GL=opengl)
    assert (done.returncode, done.stderr) == (0, "")
