// Tolerance: a soft indicator of whether a number is within bounds.
//
// Follows dm_control/utils/rewards.py.
#pragma once

#include <limits>

namespace envpool::dm_control {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

enum class Sigmoid { kGaussian, kLinear, kQuadratic, kLongTail, kReciprocal };

struct Interval {
  double low = 0.0;
  double high = 0.0;
  double margin = 0.0;
  Sigmoid sigmoid = Sigmoid::kGaussian;
  double value_at_margin = 0.1;
};

// At least `low`, and softly so a `margin` below it.
constexpr Interval AtLeast(double low, double margin) {
  return {.low = low, .high = kUnbounded, .margin = margin};
}

// At least `low`; below it, a straight line to the value where a `margin` is missing.
constexpr Interval LinearFrom(double low, double margin, double value_at_margin) {
  return {low, kUnbounded, margin, Sigmoid::kLinear, value_at_margin};
}

// 1 within the interval, between 0 and 1 elsewhere.
double Tolerance(double x, const Interval& interval);

// The same for an element of an array, whose last bit may differ: NumPy squares it otherwise.
double ToleranceOfElement(double x, const Interval& interval);

}  // namespace envpool::dm_control
