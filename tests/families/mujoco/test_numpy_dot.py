"""Norms are those of the NumPy that runs, whatever its BLAS does with the processor it finds.

Each of OpenBLAS's kernels is forced in a process of its own; with another BLAS, or where OpenBLAS
takes another kernel because the processor cannot run this one, that is what is tested.
"""

import pytest

from helpers import run_python

# With these, short dot products are added in three ways.
KERNELS = ["Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX"]
TASKS = ["Reacher-v5", "Pusher-v5", "Swimmer-v5"]

COMPARE = """
import os
os.environ["OPENBLAS_CORETYPE"] = {kernel!r}
import gymnasium
import numpy as np
import envpool
from envpool.families.numerics import numpy_products

for task in {tasks!r}:
    ours = envpool.make(task, "gymnasium", num_envs=1, seed=7)
    theirs = gymnasium.make(task)
    expected, _ = theirs.reset(seed=7)
    assert ours.reset()[0].tobytes() == expected.tobytes(), task
    theirs.action_space.seed(1)
    for step in range(40):
        action = theirs.action_space.sample()
        expected = theirs.step(action)
        got = ours.step(action[None])
        assert got[0].tobytes() == expected[0].tobytes(), (task, step)
        info = expected[4]
        for name in info.keys() & got[4].keys():
            assert got[4][name][0] == info[name], (task, step, name)
print(numpy_products()["dot"])
"""

FORCE = """
import os
os.environ["OPENBLAS_CORETYPE"] = {kernel!r}
import numpy as np
from envpool.families.numerics import WAYS, numpy_products

name = numpy_products()["dot"]
random = np.random.default_rng(0)
for size in (2, 3):
    for vector in random.normal(size=(2000, size)):
        x, y, z = [*map(float, vector), 0.0][:3]
        own = vector.copy()  # aligned, as all vectors whose norm an environment takes
        assert WAYS[name]((x, x), (y, y), (z, z)) == own.dot(own), (name, vector)
print(name)
"""


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.one_in(3)
def test_the_probe_tells_what_numpy_does(kernel):
    child = run_python(FORCE.format(kernel=kernel))
    assert child.returncode == 0, child.stderr
    assert child.stdout.strip() in {"rounded", "fused", "pairs"}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.one_in(6)
@pytest.mark.slow
def test_environments_follow_it(kernel):
    pytest.importorskip("mujoco")
    child = run_python(COMPARE.format(kernel=kernel, tasks=TASKS))
    assert child.returncode == 0, child.stderr
