#include "numerics/products.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "numerics/loops.h"

namespace envpool::numerics {

namespace {

enum class Way { kRounded, kFused };

struct Kernels {
  std::atomic<Way> gemv = Way::kRounded;
  std::atomic<Way> gemm = Way::kRounded;
};

Kernels kernels;

// sum + x * y
double Add(double sum, double x, double y, Way way) {
  return way == Way::kFused ? std::fma(x, y, sum) : sum + x * y;
}

Vector Multiply(const Vector& x, const double* frame, Way way) {
  Vector result = {};
  for (std::size_t column = 0; column < 3; ++column) {
    for (std::size_t i = 0; i < 3; ++i) {
      result[column] = Add(result[column], x[i], frame[3 * i + column], way);
    }
  }
  return result;
}

}  // namespace

// NumPy's loop of matmul calls for a row times a column what x.dot(y) calls. Some of BLAS's kernels
// add in another order where memory is not aligned; that of NumPy's arrays is.
double Dot(std::span<const double> x, std::span<const double> y) {
  constexpr std::size_t kMost = 12;
  struct alignas(16) Aligned {
    std::array<double, kMost> numbers;
  };
  if (x.size() > kMost || y.size() != x.size()) [[unlikely]] {
    throw std::length_error("the dot product of " + std::to_string(x.size()) + " and " +
                            std::to_string(y.size()) +
                            " numbers, expected as many of both, at most " + std::to_string(kMost));
  }
  Aligned row, column;
  std::ranges::copy(x, row.numbers.begin());
  std::ranges::copy(y, column.numbers.begin());
  double sum = 0.0;
  MatrixTimesVector(std::span(row.numbers).first(x.size()),
                    std::span(column.numbers).first(x.size()), {&sum, 1});
  return sum;
}

double Norm(std::span<const double> x) { return std::sqrt(Dot(x, x)); }

Vector InFrame(const Vector& x, const double* frame) {
  return Multiply(x, frame, kernels.gemv.load(std::memory_order_relaxed));
}

Vector RowInFrame(const Vector& row, const double* frame) {
  return Multiply(row, frame, kernels.gemm.load(std::memory_order_relaxed));
}

void SetProduct(const std::string& kernel, const std::string& way) {
  if (way != "fused" && way != "rounded") {
    throw std::invalid_argument("numpy_" + kernel + " is '" + way +
                                "', expected 'rounded' or 'fused'");
  }
  (kernel == "gemv" ? kernels.gemv : kernels.gemm) = way == "fused" ? Way::kFused : Way::kRounded;
}

}  // namespace envpool::numerics
