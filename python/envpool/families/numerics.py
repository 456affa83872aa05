"""How NumPy computes in this process, as settings of native libraries (cpp/engines/numerics).

What NumPy's BLAS and its loops do depends on the processor. The last bits of a reward or of an
initial state would differ otherwise, and with them whole episodes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

_TRIALS = 64
# NumPy's functions whose results are not libm's on every processor.
_FUNCTIONS = (
    *("exp", "log", "log1p", "arcsinh", "tanh", "arctan2", "arccos", "matmul"),
    *("sin", "cos", "tan", "arcsin", "arctan", "power"),
)

Products = list[tuple[float, float]]


def numpy_settings() -> dict[str, Any]:
    """The settings of all libraries that compute as NumPy does."""
    import numpy as np

    from envpool import _core

    return {
        **{f"numpy_{kernel}": way for kernel, way in numpy_products().items()},
        **{f"numpy_{name}": _core.numpy_loop(getattr(np, name)) for name in _FUNCTIONS},
    }


def numpy_products() -> dict[str, str]:
    """How NumPy adds the products of vectors of three.

    Returns:
        For a vector times a matrix (``gemv``) and a matrix times a matrix (``gemm``) a way that
        cpp/engines/numerics/products.h explains: "rounded" or "fused". "rounded" also if NumPy does
        something else.
    """
    import numpy as np

    def try_out(k: int) -> tuple[Products, dict[str, Any]]:
        # Roots have all bits, so that each way rounds some of the sums otherwise.
        matrix = np.sqrt(np.arange(k, k + 9.0)).reshape(3, 3)
        column = matrix[:, 0].copy()
        vector = np.sqrt(np.arange(k + 9.0, k + 12.0))
        return list(zip(vector.tolist(), column.tolist(), strict=True)), {
            "gemv": vector.dot(matrix)[0],
            "gemm": np.stack([vector] * 3).dot(matrix)[0, 0],
        }

    either = ["rounded", "fused"]
    return _fitting(try_out, {"gemv": either, "gemm": either})


def numpy_pair_products() -> dict[str, str]:
    """How NumPy adds the products of vectors of two.

    Returns:
        For a dot product (``dot``), a matrix times a vector (``gemv``) and a matrix times a matrix
        (``gemm``) a way that cpp/envs/highway/numbers.h explains: "rounded", "fused" or
        "backwards". "rounded" also if NumPy does something else.
    """
    import numpy as np

    def try_out(k: int) -> tuple[Products, dict[str, Any]]:
        matrix = np.sqrt(np.arange(k, k + 4.0)).reshape(2, 2)
        points = np.sqrt(np.arange(k + 4.0, k + 12.0)).reshape(4, 2)
        row, column = matrix[0], points[0]
        return list(zip(row.tolist(), column.tolist(), strict=True)), {
            "dot": np.dot(row, column),
            "gemv": (matrix @ column)[0],
            "gemm": (matrix @ points.T)[0, 0],
        }

    ways = ["rounded", "fused", "backwards"]
    return _fitting(try_out, {"dot": ways, "gemv": ways, "gemm": ways})


def _fitting(
    try_out: Callable[[int], tuple[Products, dict[str, Any]]], ways: dict[str, list[str]]
) -> dict[str, str]:
    """The first of each kernel's ways that gives the kernel's sums of all that is tried out."""
    fitting = dict(ways)
    for k in range(2, 2 + _TRIALS):
        products, sums = try_out(k)
        for kernel, total in sums.items():
            fitting[kernel] = [way for way in fitting[kernel] if WAYS[way](*products) == total]
    return {kernel: next(iter(left), "rounded") for kernel, left in fitting.items()}


def _rounded(*products: tuple[float, float]) -> float:
    total = 0.0
    for x, y in products:
        total += x * y
    return total


def _fused(*products: tuple[float, float]) -> float:
    total = 0.0
    for x, y in products:
        total = float(Fraction(x) * Fraction(y) + Fraction(total))
    return total


def _backwards(*products: tuple[float, float]) -> float:
    return _fused(*products[::-1])


WAYS = {"rounded": _rounded, "fused": _fused, "backwards": _backwards}
