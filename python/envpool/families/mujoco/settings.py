"""Settings for our libraries on MuJoCo: how NumPy computes.

What NumPy's BLAS and its loops do depends on the processor. The last bits of a reward or of an
initial state would differ otherwise, and with them whole episodes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

_TRIALS = 64
# NumPy's functions whose results are not libm's on every processor.
_FUNCTIONS = (
    *("exp", "log", "log1p", "arcsinh", "tanh", "arctan2", "arccos", "matmul"),
    *("sin", "cos", "tan", "arcsin", "arctan", "power"),
)


def numpy_settings() -> dict[str, Any]:
    """The settings of a native library that computes as NumPy does (cpp/engines/numerics)."""
    import numpy as np

    from envpool import _core

    return {
        **{f"numpy_{kernel}": way for kernel, way in numpy_products().items()},
        **{f"numpy_{name}": _core.numpy_loop(getattr(np, name)) for name in _FUNCTIONS},
    }


def numpy_products() -> dict[str, str]:
    """How NumPy, as it runs in this process, adds the products of short vectors.

    Returns:
        For a dot product (``dot``), a vector times a matrix (``gemv``) and a matrix times a matrix
        (``gemm``) a way that cpp/engines/numerics/products.h explains: "rounded", "fused" or, for a
        dot product, "pairs". "rounded" also if NumPy does something else.
    """
    import numpy as np

    possible = {"dot": list(WAYS), "gemv": ["rounded", "fused"], "gemm": ["rounded", "fused"]}
    for k in range(2, 2 + _TRIALS):
        # Roots have all bits, so that each way rounds some of the sums otherwise.
        matrix = np.sqrt(np.arange(k, k + 9.0)).reshape(3, 3)
        column = matrix[:, 0].copy()
        vector = np.sqrt(np.arange(k + 9.0, k + 12.0))
        results = {
            "dot": vector.dot(column),
            "gemv": vector.dot(matrix)[0],
            "gemm": np.stack([vector] * 3).dot(matrix)[0, 0],
        }
        products = list(zip(vector.tolist(), column.tolist(), strict=True))
        for kernel, result in results.items():
            possible[kernel] = [way for way in possible[kernel] if WAYS[way](*products) == result]
    return {kernel: next(iter(ways), "rounded") for kernel, ways in possible.items()}


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


def _pairs(*products: tuple[float, float]) -> float:
    return _rounded(*products[::2], *products[1::2])


WAYS = {"rounded": _rounded, "fused": _fused, "pairs": _pairs}
