// Vectors of three numbers, element by element; and rotations as SciPy tells them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "numerics/products.h"

namespace envpool::metaworld {

using numerics::Distance;
using numerics::Norm;
using numerics::Vector;
using Quaternion = std::array<double, 4>;

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) { return numerics::Difference(a, b); }
inline Vector operator*(const Vector& a, const Vector& b) {
  return {a[0] * b[0], a[1] * b[1], a[2] * b[2]};
}

// numpy.linalg.norm((a - b)[[i, j]])
inline double DistanceIn(std::size_t i, std::size_t j, const Vector& a, const Vector& b) {
  return Norm(std::array{a[i] - b[i], a[j] - b[j]});
}
// numpy.linalg.norm(a[:2] - b[:2])
inline double FlatDistance(const Vector& a, const Vector& b) { return DistanceIn(0, 1, a, b); }

// scipy.spatial.transform.Rotation.from_matrix(m).as_quat() of a rotation of 3 x 3 by rows:
// (x, y, z, w), of either sign.
inline Quaternion QuaternionOfMatrix(const double* m) {
  const double trace = m[0] + m[4] + m[8];
  const std::array decision = {m[0], m[4], m[8], trace};
  std::size_t i = 0;
  for (std::size_t k = 1; k < 4; ++k) {
    if (decision[k] > decision[i]) i = k;
  }
  Quaternion q;
  if (i == 3) {
    q = {m[7] - m[5], m[2] - m[6], m[3] - m[1], 1.0 + trace};
  } else {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    q[i] = 1.0 - trace + 2.0 * m[4 * i];
    q[j] = m[3 * j + i] + m[3 * i + j];
    q[k] = m[3 * k + i] + m[3 * i + k];
    q[3] = m[3 * k + j] - m[3 * j + k];
  }
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& element : q) element /= norm;
  return q;
}

}  // namespace envpool::metaworld
