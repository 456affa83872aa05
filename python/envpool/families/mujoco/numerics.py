"""How the NumPy that runs computes, which our libraries must do as it does.

What its BLAS and its loops do depends on the processor: the last bits of observations and rewards
would differ.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

_TRIALS = 32

# Whose results are not libm's on every processor.
_FUNCTIONS = ("exp", "log", "log1p", "arcsinh", "tanh", "arctan2", "arccos", "matmul")


def numpy_settings() -> dict[str, Any]:
    """The settings of a native library that computes as NumPy does (cpp/engines/numerics)."""
    import numpy as np

    from envpool import _core

    return {
        **{f"numpy_{kernel}": way for kernel, way in numpy_products().items()},
        **{f"numpy_{name}": _core.numpy_loop(getattr(np, name)) for name in _FUNCTIONS},
    }


def numpy_products() -> dict[str, str]:
    """How NumPy, as it runs in this process, adds products.

    Returns:
        For a dot product (``dot``), a vector times a matrix (``gemv``) and a matrix times a matrix
        (``gemm``): ``"fused"`` if a product is not rounded before it is added, else ``"rounded"``.
    """
    import numpy as np

    fused = {"dot": 0, "gemv": 0, "gemm": 0}
    for k in range(2, 2 + _TRIALS):
        # Roots have all bits, so that each way rounds some of the sums otherwise.
        matrix = np.sqrt(np.arange(k, k + 9.0)).reshape(3, 3)
        vector = np.sqrt(np.arange(k + 9.0, k + 12.0))
        expected = _fused(vector.tolist(), matrix[:, 0].tolist())
        fused["dot"] += float(vector.dot(matrix[:, 0].copy())) == expected
        fused["gemv"] += float(vector.dot(matrix)[0]) == expected
        fused["gemm"] += float(np.stack([vector] * 3).dot(matrix)[0, 0]) == expected
    return {kernel: "fused" if count == _TRIALS else "rounded" for kernel, count in fused.items()}


def _fused(x: list[float], y: list[float]) -> float:
    """The dot product in fused operations."""
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total = float(Fraction(a) * Fraction(b) + Fraction(total))
    return total
