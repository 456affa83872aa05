"""Norms are those of the NumPy that runs, whatever its BLAS does with the processor it finds.

Each of OpenBLAS's kernels is forced in a process of its own; with another BLAS, or where OpenBLAS
takes another kernel because the processor cannot run this one, that is what is tested.
"""

import pytest

from helpers import output_of

# With these, short dot products are added in three ways.
KERNELS = ["Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX"]
COMPARE = """
from helpers import OraclePair

for task in ("Reacher-v5", "Pusher-v5", "Swimmer-v5"):
    OraclePair(task, [7]).play_as_oracle(40, seed=1)
"""
MULTIPLY = """
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
    output_of(MULTIPLY, OPENBLAS_CORETYPE=kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.one_in(6)
@pytest.mark.slow
def test_environments_follow_it(kernel):
    pytest.importorskip("mujoco")
    output_of(COMPARE, OPENBLAS_CORETYPE=kernel)
