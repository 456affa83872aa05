// Rotations as quaternions (w, x, y, z), as Euler angles (x, y, z) and as matrices of 3 x 3 by
// rows.
//
// Follows gymnasium_robotics/utils/rotations.py, operation by operation.
#pragma once

#include <array>
#include <span>

#include "numerics/products.h"

namespace envpool::robotics {

using numerics::Vector;
using Quaternion = std::array<double, 4>;
using Matrix = std::array<double, 9>;

Matrix MatrixOfEuler(const Vector& euler);
Matrix MatrixOfQuaternion(const Quaternion& q);
Quaternion QuaternionOfEuler(const Vector& euler);
Vector EulerOfMatrix(std::span<const double> matrix);
Vector EulerOfQuaternion(const Quaternion& q);

Quaternion Conjugate(const Quaternion& q);
Quaternion Multiply(const Quaternion& a, const Quaternion& b);
Quaternion Normalized(Quaternion q);

// A turn by an angle around an axis, which needs not have the length 1.
Quaternion Turn(double angle, const Vector& axis);

// By which angle two rotations differ.
double AngleBetween(const Quaternion& a, const Quaternion& b);

// The 24 that map the axes to each other.
using ParallelRotations = std::array<Quaternion, 24>;
const ParallelRotations& GetParallelRotations();

}  // namespace envpool::robotics
