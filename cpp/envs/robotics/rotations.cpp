#include "robotics/rotations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "envpool/fork_local.h"
#include "envpool/numpy_math.h"
#include "numerics/loops.h"

namespace envpool::robotics {

namespace {

using numerics::Arctan2;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Sines and cosines of three angles, and products of those of the first and the last one.
struct Angles {
  Angles(double i, double j, double k)
      : si(std::sin(i)),
        sj(std::sin(j)),
        sk(std::sin(k)),
        ci(std::cos(i)),
        cj(std::cos(j)),
        ck(std::cos(k)) {}

  const double si, sj, sk, ci, cj, ck;
  const double cc = ci * ck, cs = ci * sk, sc = si * ck, ss = si * sk;
};

// The multiples of a right angle that a rotation by multiples of it has as Euler angles.
Vector Canonical(const Vector& euler) {
  const Matrix matrix = MatrixOfEuler(euler);
  Vector angles = EulerOfMatrix(matrix);
  for (double& angle : angles) angle = std::nearbyint(angle / (std::numbers::pi / 2));
  for (const std::size_t i : {0U, 2U}) {
    if (angles[i] == -2.0) angles[i] = 2.0;
  }
  for (double& angle : angles) angle *= std::numbers::pi / 2;
  return angles;
}

ParallelRotations FindParallelRotations() {
  constexpr double kRight = std::numbers::pi / 2;
  constexpr double kTurns[] = {0.0, kRight, -kRight, std::numbers::pi};
  std::array<Vector, 24> found = {};
  ParallelRotations rotations = {};
  std::size_t count = 0;
  for (const double x : kTurns) {
    for (const double y : kTurns) {
      for (const double z : kTurns) {
        const Vector angles = Canonical({x, y, z});
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::find(found.begin(), end, angles) != end) continue;
        found.at(count) = angles;
        rotations.at(count++) = QuaternionOfEuler(angles);
      }
    }
  }
  if (count != rotations.size()) throw std::logic_error("there are not 24 parallel rotations");
  return rotations;
}

struct Parallel {
  const ParallelRotations rotations = FindParallelRotations();
};

constinit ForkLocal<Parallel> parallel;

}  // namespace

Matrix MatrixOfEuler(const Vector& euler) {
  const Angles a(-euler[2], -euler[1], -euler[0]);
  return {a.cj * a.ci,        a.cj * a.si,        -a.sj,        //
          a.sj * a.cs - a.sc, a.sj * a.ss + a.cc, a.cj * a.sk,  //
          a.sj * a.cc + a.ss, a.sj * a.sc - a.cs, a.cj * a.ck};
}

Matrix MatrixOfQuaternion(const Quaternion& q) {
  const auto& [w, x, y, z] = q;
  const double square = numpy::Sum(q.size(), [&q](std::size_t i) { return q[i] * q[i]; });
  if (!(square > kEpsilon)) return {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  const double s = 2.0 / square;
  const double X = x * s, Y = y * s, Z = z * s;
  return {1.0 - (y * Y + z * Z), x * Y - w * Z,         x * Z + w * Y,  //
          x * Y + w * Z,         1.0 - (x * X + z * Z), y * Z - w * X,  //
          x * Z - w * Y,         y * Z + w * X,         1.0 - (x * X + y * Y)};
}

Quaternion QuaternionOfEuler(const Vector& euler) {
  const Angles a(euler[2] / 2, -euler[1] / 2, euler[0] / 2);
  return {a.cj * a.cc + a.sj * a.ss, a.cj * a.cs - a.sj * a.sc, -(a.cj * a.ss + a.sj * a.cc),
          a.cj * a.sc - a.sj * a.cs};
}

Vector EulerOfMatrix(std::span<const double> m) {
  const double cy = std::sqrt(m[8] * m[8] + m[5] * m[5]);
  const double y = -Arctan2(-m[2], cy);
  if (cy > 4.0 * kEpsilon) return {-Arctan2(m[5], m[8]), y, -Arctan2(m[1], m[0])};
  return {0.0, y, -Arctan2(-m[3], m[4])};  // the x axis points up or down
}

Vector EulerOfQuaternion(const Quaternion& q) { return EulerOfMatrix(MatrixOfQuaternion(q)); }

Quaternion Conjugate(const Quaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }

Quaternion Multiply(const Quaternion& a, const Quaternion& b) {
  const auto& [aw, ax, ay, az] = a;
  const auto& [bw, bx, by, bz] = b;
  return {aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
          aw * by + ay * bw + az * bx - ax * bz, aw * bz + az * bw + ax * by - ay * bx};
}

Quaternion Normalized(Quaternion q) {
  const double norm = numerics::Norm(q);
  for (double& element : q) element /= norm;
  return q;
}

Quaternion Turn(double angle, const Vector& axis) {
  const double norm = numerics::Norm(axis);
  const double sine = std::sin(angle / 2.0);
  return Normalized({std::cos(angle / 2.0), sine * (axis[0] / norm), sine * (axis[1] / norm),
                     sine * (axis[2] / norm)});
}

double AngleBetween(const Quaternion& a, const Quaternion& b) {
  return 2.0 * numerics::Arccos(numpy::Clip(Multiply(a, Conjugate(b))[0], -1.0, 1.0));
}

const ParallelRotations& GetParallelRotations() { return parallel.Get().rotations; }

}  // namespace envpool::robotics
