#include "numerics/products.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace envpool::numerics {

namespace {

struct Kernels {
  std::atomic<bool> dot = false;  // is it fused?
  std::atomic<bool> gemv = false;
  std::atomic<bool> gemm = false;
};

Kernels kernels;

// sum + x * y
double Add(double sum, double x, double y, bool is_fused) {
  return is_fused ? std::fma(x, y, sum) : sum + x * y;
}

Vector Multiply(const Vector& x, const double* frame, bool is_fused) {
  Vector result = {};
  for (std::size_t column = 0; column < 3; ++column) {
    for (std::size_t i = 0; i < 3; ++i) {
      result[column] = Add(result[column], x[i], frame[3 * i + column], is_fused);
    }
  }
  return result;
}

}  // namespace

double Dot(std::span<const double> x, std::span<const double> y) {
  const bool is_fused = kernels.dot.load(std::memory_order_relaxed);
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum = Add(sum, x[i], y[i], is_fused);
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
                                "', expected 'fused' or 'rounded'");
  }
  std::atomic<bool>& is_fused = kernel == "gemv"   ? kernels.gemv
                                : kernel == "gemm" ? kernels.gemm
                                                   : kernels.dot;
  is_fused = way == "fused";
}

}  // namespace envpool::numerics
