"""Rotations of batches: quaternions (w, x, y, z), and angles around x, y and z, the last axis.

The operations are those of gymnasium_robotics/utils/rotations.py, and so are the last bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALLEST = float(np.finfo(np.float64).eps)


def angles_of(quaternion: NDArray[Any]) -> NDArray[np.float64]:
    """The angles of a rotation.

    Args:
        quaternion: Of shape ``(..., 4)``, of any length.

    Returns:
        Of shape ``(..., 3)``.
    """
    m = _matrix(np.asarray(quaternion, np.float64))
    cosine = np.sqrt(m[..., 2, 2] * m[..., 2, 2] + m[..., 1, 2] * m[..., 1, 2])
    is_regular = cosine > 4.0 * _SMALLEST  # of y, else x and z turn alike
    x = np.where(is_regular, -np.arctan2(m[..., 1, 2], m[..., 2, 2]), 0.0)
    y = -np.arctan2(-m[..., 0, 2], cosine)
    z = np.where(
        is_regular,
        -np.arctan2(m[..., 0, 1], m[..., 0, 0]),
        -np.arctan2(-m[..., 1, 0], m[..., 1, 1]),
    )
    return np.stack([x, y, z], axis=-1)


def _matrix(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation as a matrix, of shape ``(..., 3, 3)``."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    square = np.sum(quaternion * quaternion, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # of none, the result is not used
        scale = 2.0 / square
        sx, sy, sz = x * scale, y * scale, z * scale
        wx, wy, wz = w * sx, w * sy, w * sz
        xx, xy, xz = x * sx, x * sy, x * sz
        yy, yz, zz = y * sy, y * sz, z * sz
    rows = [
        np.stack([1.0 - (yy + zz), xy - wz, xz + wy], axis=-1),
        np.stack([xy + wz, 1.0 - (xx + zz), yz - wx], axis=-1),
        np.stack([xz - wy, yz + wx, 1.0 - (xx + yy)], axis=-1),
    ]
    matrix = np.stack(rows, axis=-2)
    return np.where((square > _SMALLEST)[..., np.newaxis, np.newaxis], matrix, np.eye(3))


def quaternion_of(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quaternion of angles, of shapes ``(..., 4)`` and ``(..., 3)``."""
    x, y, z = angles[..., 0] / 2, -angles[..., 1] / 2, angles[..., 2] / 2
    sin_x, sin_y, sin_z = np.sin(x), np.sin(y), np.sin(z)
    cos_x, cos_y, cos_z = np.cos(x), np.cos(y), np.cos(z)
    cc, cs = cos_z * cos_x, cos_z * sin_x
    sc, ss = sin_z * cos_x, sin_z * sin_x
    parts = [
        cos_y * cc + sin_y * ss,
        cos_y * cs - sin_y * sc,
        -(cos_y * ss + sin_y * cc),
        cos_y * sc - sin_y * cs,
    ]
    return np.stack(parts, axis=-1)


def angle_between(a: NDArray[Any], b: NDArray[Any]) -> Any:
    """The angle of the rotation from one unit quaternion to another, rad, of shape ``(...)``."""
    # The real part of a times b's conjugate.
    w, x, y, z = (a[..., i] for i in range(4))
    cosine = w * b[..., 0] - x * -b[..., 1] - y * -b[..., 2] - z * -b[..., 3]
    return 2 * np.arccos(np.clip(cosine, -1.0, 1.0))
