"""The suite of programs that JAX compiles: who is timed, and on what."""

from importlib.util import find_spec
from pathlib import Path

from case import Case
from contender import Contender

PYTHON = "from Python"
SCAN = "in a loop of jit"
NOTHING = "in a loop of jit, no environments"
CALLBACK = "by an ordered io_callback"
SINGLE = "one call of jit each"
GPU = "in a loop of jit, on a GPU"


def contender(name: str, package: str, **options: str | int) -> Contender:
    return Contender(name, "ours", package, {"num_threads": 2, **options}, beside_ours=True)


def jax_has_gpu() -> bool:
    """Is there one of NVIDIA's, and JAX's plugin for it? (JAX itself would take seconds to say.)"""
    return Path("/dev/nvidiactl").exists() and any(
        find_spec(f"jax_cuda{version}_plugin") for version in (12, 13)
    )


ON_GPU = [contender(GPU, "xla_bench", how="loop", device="cuda")] if jax_has_gpu() else []

CONTENDERS = [
    contender(PYTHON, "envpool"),
    contender(SCAN, "xla_bench", how="loop"),
    contender(NOTHING, "xla_bench", how="nothing"),
    contender(CALLBACK, "xla_bench", how="callback"),
    contender(SINGLE, "xla_bench", how="single"),
    *ON_GPU,
]

# What an asynchronous pool has in flight does not go with a call that sends nothing.
ASYNCHRONOUS = (PYTHON, SCAN, GPU)

CASES = [
    *(Case("CartPole-v1", n) for n in (1, 8, 64, 1024)),
    Case("CartPole-v1", 64, batch_size=16, contenders=ASYNCHRONOUS),
    Case("CartPole-v1", 1024, batch_size=256, contenders=ASYNCHRONOUS),
    Case("Pong-v5", 8, contenders=ASYNCHRONOUS),
]
