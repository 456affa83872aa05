"""Who is timed in the suite of programs that JAX compiles."""

from importlib.util import find_spec
from pathlib import Path

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


ON_GPU = [contender(GPU, "suites.xla.bench", how="loop", device="cuda")] if jax_has_gpu() else []

CONTENDERS = [
    contender(PYTHON, "envpool"),
    contender(SCAN, "suites.xla.bench", how="loop"),
    contender(NOTHING, "suites.xla.bench", how="nothing"),
    contender(CALLBACK, "suites.xla.bench", how="callback"),
    contender(SINGLE, "suites.xla.bench", how="single"),
    *ON_GPU,
]
