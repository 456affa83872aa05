"""Settings of the native library: how NumPy and Python compute in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

_TRIALS = 64


def load_settings() -> dict[str, Any]:
    """Finds out how NumPy adds two products, and which loops it has for its functions."""
    from envpool.families.mujoco.settings import numpy_settings

    return {
        **numpy_settings(),
        **{f"pair_{kernel}": way for kernel, way in pair_products().items()},
        "sums_floats_exactly": sys.version_info >= (3, 12),
    }


def pair_products() -> dict[str, str]:
    """How NumPy, as it runs in this process, adds two products.

    Returns:
        For a dot product (``dot``), a matrix times a vector (``gemv``) and a matrix times a matrix
        (``gemm``) a way that cpp/envs/highway/numbers.h explains: "rounded", "fused" or
        "backwards". "rounded" also if NumPy does something else.
    """
    import numpy as np

    possible = {kernel: list(WAYS) for kernel in ("dot", "gemv", "gemm")}
    for k in range(2, 2 + _TRIALS):
        # Roots have all bits, so that each way rounds some of the sums otherwise.
        matrix = np.sqrt(np.arange(k, k + 4.0)).reshape(2, 2)
        points = np.sqrt(np.arange(k + 4.0, k + 12.0)).reshape(4, 2)
        row, column = matrix[0], points[0]
        results = {
            "dot": np.dot(row, column),
            "gemv": (matrix @ column)[0],
            "gemm": (matrix @ points.T)[0, 0],
        }
        numbers = row[0], column[0], row[1], column[1]
        for kernel, result in results.items():
            possible[kernel] = [way for way in possible[kernel] if WAYS[way](*numbers) == result]
    return {kernel: next(iter(ways), "rounded") for kernel, ways in possible.items()}


def _fused(a: float, b: float, c: float, d: float) -> float:
    return float(Fraction(float(a * b)) + Fraction(float(c)) * Fraction(float(d)))


WAYS: dict[str, Callable[[float, float, float, float], float]] = {
    "rounded": lambda a, b, c, d: a * b + c * d,
    "fused": _fused,
    "backwards": lambda a, b, c, d: _fused(c, d, a, b),
}
