#include "numerics/products.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace envpool::numerics {

namespace {

enum class Way { kRounded, kFused, kPairs };

struct Kernels {
  std::atomic<Way> dot = Way::kRounded;
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

double Dot(std::span<const double> x, std::span<const double> y) {
  const Way way = kernels.dot.load(std::memory_order_relaxed);
  if (way == Way::kPairs && x.size() == 3) return x[0] * y[0] + x[2] * y[2] + x[1] * y[1];
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum = Add(sum, x[i], y[i], way);
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
  const bool is_dot = kernel == "dot";
  if (way != "fused" && way != "rounded" && !(is_dot && way == "pairs")) {
    throw std::invalid_argument("numpy_" + kernel + " is '" + way + "', expected 'rounded'" +
                                (is_dot ? ", 'fused' or 'pairs'" : " or 'fused'"));
  }
  std::atomic<Way>& known = is_dot ? kernels.dot : kernel == "gemv" ? kernels.gemv : kernels.gemm;
  known = way == "fused" ? Way::kFused : way == "pairs" ? Way::kPairs : Way::kRounded;
}

}  // namespace envpool::numerics
