#include "metaworld/rewards.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "envpool/numpy_math.h"
#include "envpool/options.h"
#include "numerics/loops.h"

namespace envpool::metaworld {

namespace {

constexpr double kAtMargin = 0.1;

double LongTail(double x) {
  return 1.0 / (numpy::Power(x * std::sqrt(1.0 / kAtMargin - 1.0), 2.0) + 1.0);
}

double Gaussian(double x) {
  const double scale = std::sqrt(-2.0 * numerics::Log(kAtMargin));
  return numerics::Exp(-0.5 * numpy::Power(x * scale, 2.0));
}

double Evaluate(double x, const Interval& bounds, double margin, double (*decrease)(double)) {
  if (margin < 0.0) {
    throw std::runtime_error("a reward's margin is " + Shortest(margin) +
                             ", which Meta-World refuses: expected 0 or more");
  }
  if (bounds.low <= x && x <= bounds.high) return 1.0;
  if (margin == 0.0) return 0.0;
  return decrease((x < bounds.low ? bounds.low - x : x - bounds.high) / margin);
}

bool IsBetween(double x, double a, double b) {
  return b >= a ? a <= x && x <= b : b <= x && x <= a;
}

bool IsUnit(Number x) { return x.Value() >= 0.0 && x.Value() <= 1.0; }

}  // namespace

double Tolerance(double x, const Interval& bounds, double margin) {
  return Evaluate(x, bounds, margin, LongTail);
}

double GaussianTolerance(double x, const Interval& bounds, double margin) {
  return Evaluate(x, bounds, margin, Gaussian);
}

Number HamacherProduct(Number a, Number b) {
  if (!IsUnit(a) || !IsUnit(b)) {
    throw std::runtime_error("a reward's factors are " + Shortest(a.Value()) + " and " +
                             Shortest(b.Value()) +
                             ", which Meta-World refuses: expected 0 <= factor <= 1");
  }
  const Number denominator = a + b - a * b;
  return denominator > 0.0 ? a * b / denominator : 0.0;
}

double SafeHeight(double distance, double near, double slope, double height) {
  return distance > near ? slope * numerics::Log(distance - near) + height : 0.0;
}

double GrabEffort(float effort) {
  return (static_cast<float>(numpy::Clip(effort, -1.0, 1.0)) + 1.0F) / 2.0F;
}

Number BoxTolerance(const Vector& x, const Vector& zero, const Vector& one) {
  double product = 1.0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!IsBetween(x[i], zero[i], one[i])) return 1.0;
    product *= (x[i] - zero[i]) / (one[i] - zero[i]);
  }
  return Number::Float64(product);
}

}  // namespace envpool::metaworld
