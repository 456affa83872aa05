#include "dm_control/tolerance.h"

#include <cmath>

#include "envpool/numpy_math.h"
#include "numerics/loops.h"

namespace envpool::dm_control {

namespace {

double Square(double x) { return x * x; }
double SquareOfScalar(double x) { return numpy::Power(x, 2.0); }

template <class SquareOf>
double Decrease(double x, const Interval& interval, const SquareOf& square) {
  const double value = interval.value_at_margin;
  switch (interval.sigmoid) {
    case Sigmoid::kGaussian:
      return numerics::Exp(-0.5 * square(x * std::sqrt(-2.0 * numerics::Log(value))));
    case Sigmoid::kLinear: {
      const double scaled = x * (1.0 - value);
      return std::abs(scaled) < 1.0 ? 1.0 - scaled : 0.0;
    }
    case Sigmoid::kQuadratic: {
      const double scaled = x * std::sqrt(1.0 - value);
      return std::abs(scaled) < 1.0 ? 1.0 - square(scaled) : 0.0;
    }
    case Sigmoid::kLongTail: return 1.0 / (square(x * std::sqrt(1.0 / value - 1.0)) + 1.0);
    case Sigmoid::kReciprocal: return 1.0 / (std::abs(x) * (1.0 / value - 1.0) + 1.0);
  }
  return 0.0;
}

template <class SquareOf>
double Evaluate(double x, const Interval& interval, const SquareOf& square) {
  if (interval.low <= x && x <= interval.high) return 1.0;
  if (interval.margin == 0.0) return 0.0;
  const double distance = x < interval.low ? interval.low - x : x - interval.high;
  return Decrease(distance / interval.margin, interval, square);
}

}  // namespace

double Tolerance(double x, const Interval& interval) {
  return Evaluate(x, interval, SquareOfScalar);
}

double ToleranceOfElement(double x, const Interval& interval) {
  return Evaluate(x, interval, Square);
}

}  // namespace envpool::dm_control
