// Points and angles, computed as NumPy and Python compute them upstream.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "envpool/numpy_math.h"
#include "numerics/loops.h"

namespace envpool::highway {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Point {
  double x = 0.0;
  double y = 0.0;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator-(Point a) { return {-a.x, -a.y}; }
inline Point operator*(double factor, Point a) { return {factor * a.x, factor * a.y}; }
inline Point operator/(Point a, double divisor) { return {a.x / divisor, a.y / divisor}; }

// How a kernel of NumPy's BLAS adds two products: it rounds both before it adds them, or only the
// first, or only the second.
enum class Way { kRounded, kFused, kBackwards };

// The kernels: a dot product, a matrix times a vector, a matrix times a matrix; and Python's sum().
struct Kernels {
  Way dot = Way::kRounded;
  Way gemv = Way::kRounded;
  Way gemm = Way::kRounded;
  bool sums_floats_exactly = false;  // from Python 3.12 on
};
inline Kernels kernels;  // set once, before there are environments

inline double AddProducts(Way way, double a, double b, double c, double d) {
  if (way == Way::kFused) return std::fma(c, d, a * b);
  if (way == Way::kBackwards) return std::fma(a, b, c * d);
  return a * b + c * d;
}

// a.dot(b)
inline double Dot(Point a, Point b) { return AddProducts(kernels.dot, a.x, b.x, a.y, b.y); }

// numpy.linalg.norm(a)
inline double Norm(Point a) { return std::sqrt(Dot(a, a)); }

// A rotation by an angle, as the matrix [[cos, -sin], [sin, cos]].
struct Rotation {
  double cos = 1.0;
  double sin = 0.0;

  explicit Rotation(Point direction) : cos(direction.x), sin(direction.y) {}

  // rotation @ a, where a is a vector (`gemv`) or a column of a matrix (`gemm`).
  Point Of(Point a, Way way) const {
    return {AddProducts(way, cos, a.x, -sin, a.y), AddProducts(way, sin, a.x, cos, a.y)};
  }
};

// These are 0 where their argument is, on every processor; most vehicles drive straight ahead.
inline double Sin(double x) { return x == 0.0 ? x : numerics::Sin(x); }
inline double Cos(double x) { return x == 0.0 ? 1.0 : numerics::Cos(x); }
inline double Tan(double x) { return x == 0.0 ? x : numerics::Tan(x); }
inline double Arcsin(double x) { return x == 0.0 ? x : numerics::Arcsin(x); }
inline double Arctan(double x) { return x == 0.0 ? x : numerics::Arctan(x); }

inline Point DirectionOf(double heading) { return {Cos(heading), Sin(heading)}; }

// x ** 2 of Python's and NumPy's numbers, which is libm's pow.
inline double Square(double x) { return numpy::Power(x, 2.0); }

// numpy.deg2rad
inline double Radians(double degrees) { return degrees * (kPi / 180.0); }

inline double WrapToPi(double angle) {
  const double turned = angle + kPi;
  if (turned > 0.0 && turned < 2 * kPi) return turned - kPi;  // which % leaves as it is
  return numpy::Remainder(turned, 2 * kPi) - kPi;
}

inline double NotZero(double x) {
  constexpr double kLeast = 1e-2;
  if (std::abs(x) > kLeast) return x;
  return x >= 0.0 ? kLeast : -kLeast;
}

// Python's max and min of two numbers, which keep the first if they cannot be compared.
inline double Max(double a, double b) { return b > a ? b : a; }
inline double Min(double a, double b) { return b < a ? b : a; }

// Python's sum() of floats. From 3.12 on it keeps what each addition rounds off, and adds that
// last.
class PythonSum {
 public:
  void Add(double x) {
    const double sum = total_ + x;
    if (kernels.sums_floats_exactly) {
      lost_ += std::abs(total_) >= std::abs(x) ? (total_ - sum) + x : (x - sum) + total_;
    }
    total_ = sum;
  }
  // Adds a number that is none of Python's, which ends that.
  void AddNumpys(double x) { total_ = Total() + x, lost_ = 0.0; }
  double Total() const { return total_ + lost_; }

 private:
  double total_ = 0.0;
  double lost_ = 0.0;
};

struct Interval {
  double low = 0.0;
  double high = 1.0;
};

// Maps x from one interval to another, in x's precision.
template <class T>
T Map(T x, Interval from, Interval to) {
  return static_cast<T>(to.low) + (x - static_cast<T>(from.low)) *
                                      static_cast<T>(to.high - to.low) /
                                      static_cast<T>(from.high - from.low);
}

}  // namespace envpool::highway
