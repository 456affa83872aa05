"""Asks NumPy how it adds up products of short vectors and matrices, which ours must do as it does.

That is BLAS's business, and what BLAS does depends on the processor: the last bits of observations
and rewards would differ.
"""

from __future__ import annotations

from fractions import Fraction

_TRIALS = 32


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
