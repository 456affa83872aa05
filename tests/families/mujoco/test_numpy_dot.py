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
"""

FORCE = """
import os
os.environ["OPENBLAS_CORETYPE"] = {kernel!r}
import numpy as np

random = np.random.default_rng(0)
for size in range(1, 13):
    for x, y in random.normal(size=(300, 2, size)):
        x, y = x.copy(), y.copy()  # aligned, as all vectors whose product an environment takes
        product = x.dot(y)
        assert product == (x[None] @ y[:, None])[0, 0], size
        assert np.linalg.norm(x) == np.sqrt(x.dot(x)), size
"""


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.one_in(3)
def test_a_row_times_a_column_is_numpys_dot_product(kernel):
    """Environments call NumPy's loop of matmul for it."""
    child = run_python(FORCE.format(kernel=kernel))
    assert child.returncode == 0, child.stderr


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.one_in(6)
@pytest.mark.slow
def test_environments_follow_it(kernel):
    pytest.importorskip("mujoco")
    child = run_python(COMPARE.format(kernel=kernel, tasks=TASKS))
    assert child.returncode == 0, child.stderr
