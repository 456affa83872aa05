#include "dm_control/terrain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace envpool::dm_control {

namespace {

// The coefficients of a cubic spline through values in a line, in their place; beyond its ends the
// line is mirrored. (M. Unser, A. Aldroubi, M. Eden, "Fast B-Spline Transforms for Continuous Image
// Representation and Interpolation", 1991.)
class SplineFilter {
 public:
  // Filters `size` values which are `stride` apart.
  static void Apply(double* values, std::size_t size, std::size_t stride) {
    const auto value = [values, stride](std::size_t i) -> double& { return values[i * stride]; };
    const std::size_t last = size - 1;
    for (std::size_t i = 0; i < size; ++i) value(i) *= (1.0 - kPole) * (1.0 - 1.0 / kPole);

    const double far = std::pow(kPole, static_cast<double>(last));
    double power = kPole;
    value(0) = value(0) + far * value(last);
    for (std::size_t i = 1; i < last; ++i) {
      value(0) += power * (value(i) + far * value(last - i));
      power *= kPole;
    }
    value(0) /= 1.0 - far * far;
    for (std::size_t i = 1; i < size; ++i) value(i) += kPole * value(i - 1);

    value(last) = (kPole * value(last - 1) + value(last)) * kPole / (kPole * kPole - 1.0);
    for (std::size_t i = last; i-- > 0;) value(i) = kPole * (value(i + 1) - value(i));
  }

 private:
  static constexpr double kPole = -0.267949192431122706472553658494127633;  // sqrt(3) - 2
};

constexpr std::size_t kTaps = 4;  // of a cubic spline

// Which coefficients of a line make a value between them, and how much of each.
struct Taps {
  std::array<std::size_t, kTaps> places;
  std::array<double, kTaps> weights;
  bool is_outside;  // where the value is 0
};

// Into a line of `size`, whose places beyond the ends are mirrored.
std::size_t Mirrored(std::ptrdiff_t place, std::size_t size) {
  const auto last = static_cast<std::ptrdiff_t>(size) - 1;
  return static_cast<std::size_t>(place < 0 ? -place : place > last ? 2 * last - place : place);
}

Taps TapsAt(double x, std::size_t size) {
  Taps taps = {};
  taps.is_outside = x < 0.0 || x > static_cast<double>(size - 1);
  if (taps.is_outside) return taps;
  const auto start = static_cast<std::ptrdiff_t>(std::floor(x)) - 1;
  for (std::size_t i = 0; i < kTaps; ++i) {
    taps.places[i] = Mirrored(start + static_cast<std::ptrdiff_t>(i), size);
  }
  const double y = x - std::floor(x);
  const double z = 1.0 - y;
  taps.weights[0] = z * z * z / 6.0;
  taps.weights[1] = (y * y * (y - 2.0) * 3.0 + 4.0) / 6.0;
  taps.weights[2] = (z * z * (z - 2.0) * 3.0 + 4.0) / 6.0;
  taps.weights[3] = 1.0 - taps.weights[0] - taps.weights[1] - taps.weights[2];
  return taps;
}

double Interpolate(const Grid& coefficients, const Taps& row, const Taps& column) {
  if (row.is_outside || column.is_outside) return 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < kTaps; ++i) {
    for (std::size_t j = 0; j < kTaps; ++j) {
      const double coefficient =
          coefficients.values[row.places[i] * coefficients.side + column.places[j]];
      sum += coefficient * row.weights[i] * column.weights[j];
    }
  }
  return sum;
}

}  // namespace

Grid Zoom(const Grid& grid, std::size_t side) {
  Grid coefficients = grid;
  double* const values = coefficients.values.data();
  for (std::size_t i = 0; i < grid.side; ++i) SplineFilter::Apply(values + i, grid.side, grid.side);
  for (std::size_t i = 0; i < grid.side; ++i) {
    SplineFilter::Apply(values + i * grid.side, grid.side, 1);
  }
  const double step = static_cast<double>(grid.side - 1) / static_cast<double>(side - 1);
  std::vector<Taps> taps;
  for (std::size_t i = 0; i < side; ++i) {
    taps.push_back(TapsAt(static_cast<double>(i) * step, grid.side));
  }
  Grid zoomed{side, {}};
  for (const Taps& row : taps) {
    for (const Taps& column : taps) {
      zoomed.values.push_back(Interpolate(coefficients, row, column));
    }
  }
  return zoomed;
}

Grid DrawTerrain(RandomState& random, std::size_t side, double size) {
  constexpr double kSmoothness = 0.15;  // from 0, which is bumpy, to 1
  constexpr double kBumpScale = 2.0;    // m
  Grid bumps{static_cast<std::size_t>(size / kBumpScale), {}};
  for (std::size_t i = 0; i < bumps.side * bumps.side; ++i) {
    bumps.values.push_back(random.Uniform(kSmoothness, 1.0));
  }
  Grid terrain = Zoom(bumps, side);
  const double step = 2.0 / static_cast<double>(side - 1);
  const auto coordinate = [step](std::size_t i) { return static_cast<double>(i) * step + -1.0; };
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      const double x = coordinate(column);
      const double y = coordinate(row);
      const double radius = std::clamp(std::sqrt(x * x + y * y), 0.04, 1.0);
      const double bowl = 0.5 - std::cos(2.0 * std::numbers::pi * radius) / 2.0;
      double& height = terrain.values[row * side + column];
      height = bowl * height;
    }
  }
  return terrain;
}

}  // namespace envpool::dm_control
