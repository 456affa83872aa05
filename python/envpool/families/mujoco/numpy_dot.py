"""Asks NumPy how it adds up a dot product, which some environments must do as it does.

A norm is a dot product, and that is BLAS's. What BLAS does depends on the processor: the last bits
of a reward or an initial state would differ, and with them whole episodes.
"""

from __future__ import annotations

from fractions import Fraction


def numpy_dot() -> str:
    """How NumPy, as it runs in this process, adds the products of two short vectors.

    Returns:
        A value of the native libraries' setting ``numpy_dot``; the SDK's numpy_math.h says what
        they mean. "rounded" also if NumPy does something else.
    """
    import numpy as np

    possible = {"rounded": _rounded, "fused": _fused, "pairs": _pairs}
    for k in range(2, 66):  # their roots have all bits, and each way rounds some of them otherwise
        vector = [k**0.5, (k + 1) ** 0.5, (k + 2) ** 0.5]
        result = float(np.dot(vector, vector))
        possible = {name: way for name, way in possible.items() if way(*vector) == result}
    return next(iter(possible), "rounded")


def _rounded(x: float, y: float, z: float) -> float:
    return x * x + y * y + z * z


def _fused(x: float, y: float, z: float) -> float:
    two = float(Fraction(y) ** 2 + Fraction(x * x))
    return float(Fraction(z) ** 2 + Fraction(two))


def _pairs(x: float, y: float, z: float) -> float:
    return x * x + z * z + y * y
