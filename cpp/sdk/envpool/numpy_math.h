// Scalar functions whose results must equal NumPy's bit for bit where libm or the compiler differ.
#pragma once

#include <cmath>

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

// numpy.sin and numpy.cos of a float32; beyond these limits NumPy itself falls back to libm.
inline float Sin(float x) {
  return std::abs(x) <= 117435.992f ? internal::SineOrCosine(x, 0) : std::sin(x);
}
inline float Cos(float x) {
  return std::abs(x) <= 71476.0625f ? internal::SineOrCosine(x, 1) : std::cos(x);
}

}  // namespace envpool::numpy
