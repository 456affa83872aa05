// Scalar functions whose results must equal NumPy's bit for bit where libm or the compiler differ.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace envpool::numpy {

// x ** y of NumPy scalars, which call libm's pow. The compiler would turn pow(x, 2) into x * x,
// whose last bit differs for about one argument in a thousand.
inline double Power(double x, double y) {
  volatile double exponent = y;
  return std::pow(x, exponent);
}
inline float Power(float x, float y) {
  volatile float exponent = y;
  return std::pow(x, exponent);
}

// x % y: the result has the sign of y.
inline double Remainder(double x, double y) {
  const double remainder = std::fmod(x, y);
  if (remainder == 0.0) return std::copysign(0.0, y);
  return (y < 0.0) != (remainder < 0.0) ? remainder + y : remainder;
}

namespace internal {

// NumPy's own float32 sine and cosine (numpy/_core/src/umath/loops_trigonometric.dispatch.cpp):
// a three-term Cody-Waite reduction to [-pi/4, pi/4], then a polynomial, all in fused operations.
inline float SineOrCosine(float x, int quarter_turns) {
  const float turns = std::rint(x * 0x1.45f306p-1f);
  float r = std::fma(turns, -0x1.921fb0p+00f, x);
  r = std::fma(turns, -0x1.5110b4p-22f, r);
  r = std::fma(turns, -0x1.846988p-48f, r);
  const float square = r * r;
  const int quadrant = static_cast<int>(turns) + quarter_turns;
  float value;
  if (quadrant & 1) {
    value = std::fma(0x1.98e616p-16f, square, -0x1.6c06dcp-10f);
    value = std::fma(value, square, 0x1.55553cp-05f);
    value = std::fma(value, square, -0x1.000000p-01f);
    value = std::fma(value, square, 1.0f);
  } else {
    value = std::fma(0x1.7d3bbcp-19f, square, -0x1.a06bbap-13f);
    value = std::fma(value, square, 0x1.11119ap-07f);
    value = std::fma(value, square, -0x1.555556p-03f);
    value = std::fma(value * square, r, r);
  }
  return quadrant & 2 ? -value : value;
}

}  // namespace internal

// numpy.sign of a number that is not NaN.
template <class T>
T Sign(T x) {
  return static_cast<T>((x > T(0)) - (x < T(0)));
}

// numpy.clip of a number: NaN stays NaN.
inline double Clip(double x, double low, double high) {
  if (std::isnan(x)) return x;
  return std::min(std::max(x, low), high);
}

// numpy.sum of a contiguous array of at most 128 elements whose element i is element(i): its
// pairwise summation (numpy/_core/src/umath/loops_utils.h.src) has eight running sums then. The
// result has element's type.
template <class Element>
auto Sum(std::size_t size, Element element) {
  using T = decltype(element(std::size_t{0}));
  if (size < 8) {
    T sum = T(-0.0);
    for (std::size_t i = 0; i < size; ++i) sum += element(i);
    return sum;
  }
  T sums[8];
  for (std::size_t i = 0; i < 8; ++i) sums[i] = element(i);
  std::size_t i = 8;
  for (; i + 8 <= size; i += 8) {
    for (std::size_t j = 0; j < 8; ++j) sums[j] += element(i + j);
  }
  T sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < size; ++i) sum += element(i);
  return sum;
}

namespace internal {

template <class Element>
auto PairwiseSum(std::size_t first, std::size_t size, Element element) {
  if (size <= 128) return Sum(size, [&](std::size_t i) { return element(first + i); });
  const std::size_t half = size / 2 - size / 2 % 8;
  return PairwiseSum(first, half, element) + PairwiseSum(first + half, size - half, element);
}

}  // namespace internal

// numpy.sum of a contiguous array of any size.
template <class Element>
auto LongSum(std::size_t size, Element element) {
  return internal::PairwiseSum(0, size, element);
}

// numpy.sum(numpy.square(x)) of a contiguous array.
template <class T>
T SumOfSquares(std::span<const T> x) {
  return LongSum(x.size(), [x](std::size_t i) { return x[i] * x[i]; });
}

// A Dot is how BLAS adds the products of a short dot product. It depends on the processor, and on
// the BLAS that NumPy is linked with, so a library that uses Norm has to be told (see
// RegisterSettings).
enum class Dot {
  kRounded,  // each product is rounded before it is added
  kFused,    // it is not
  kPairs,    // rounded; first those of even indices: two are added at once (of aligned vectors)
};

namespace internal {

// Each library has its own.
[[gnu::visibility("hidden")]] inline std::atomic<Dot> dot = Dot::kRounded;

}  // namespace internal

// Sets the way of this name. Throws std::invalid_argument if there is none.
inline void SetDot(const std::string& name) {
  if (name != "rounded" && name != "fused" && name != "pairs") {
    throw std::invalid_argument("numpy_dot is '" + name + "'");
  }
  internal::dot = name == "fused" ? Dot::kFused : name == "pairs" ? Dot::kPairs : Dot::kRounded;
}

// numpy.linalg.norm of a vector of at most three elements: the root of its dot product.
inline double Norm(std::span<const double> x) {
  const Dot dot = internal::dot.load(std::memory_order_relaxed);
  double square = 0.0;
  if (dot == Dot::kFused) {
    for (const double element : x) square = std::fma(element, element, square);
  } else if (dot == Dot::kPairs && x.size() == 3) {
    square = x[0] * x[0] + x[2] * x[2] + x[1] * x[1];
  } else {
    for (const double element : x) square += element * element;
  }
  return std::sqrt(square);
}

// numpy.sin and numpy.cos of a float32; beyond these limits NumPy itself falls back to libm.
inline float Sin(float x) {
  return std::abs(x) <= 117435.992f ? internal::SineOrCosine(x, 0) : std::sin(x);
}
inline float Cos(float x) {
  return std::abs(x) <= 71476.0625f ? internal::SineOrCosine(x, 1) : std::cos(x);
}

}  // namespace envpool::numpy
