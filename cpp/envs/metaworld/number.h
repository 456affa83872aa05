// Number: a number whose type follows from those of its operands, as in NumPy's arithmetic.
//
// Actions are float32, and so are rewards that depend on them, unless a float64 takes part.
// Python's own numbers have no say in that: they become what they meet.
#pragma once

#include <algorithm>
#include <cstdint>

namespace envpool::metaworld {

class Number {
 public:
  // Python's numbers, among which bools are.
  Number(double python) : Number(python, Type::kPython) {}
  Number(bool python) : Number(python ? 1.0 : 0.0) {}
  static Number Float32(float value) { return {value, Type::kFloat32}; }
  static Number Float64(double value) { return {value, Type::kFloat64}; }

  double Value() const { return value_; }

  friend Number operator+(Number a, Number b) {
    return Of(a, b, [](double x, double y) { return x + y; });
  }
  friend Number operator-(Number a, Number b) {
    return Of(a, b, [](double x, double y) { return x - y; });
  }
  friend Number operator*(Number a, Number b) {
    return Of(a, b, [](double x, double y) { return x * y; });
  }
  friend Number operator/(Number a, Number b) {
    return Of(a, b, [](double x, double y) { return x / y; });
  }
  Number& operator+=(Number other) { return *this = *this + other; }
  Number& operator*=(Number other) { return *this = *this * other; }

  friend bool operator<(Number a, Number b) {
    const Type type = std::max(a.type_, b.type_);
    return In(type, a.value_) < In(type, b.value_);
  }
  friend bool operator>(Number a, Number b) { return b < a; }
  friend bool operator<=(Number a, Number b) {
    const Type type = std::max(a.type_, b.type_);
    return In(type, a.value_) <= In(type, b.value_);
  }
  friend bool operator>=(Number a, Number b) { return b <= a; }

 private:
  enum class Type : std::uint8_t { kPython, kFloat32, kFloat64 };  // the larger one wins

  Number(double value, Type type) : value_(value), type_(type) {}

  static double In(Type type, double value) {
    return type == Type::kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
  }

  // float64 has so many digits that rounding its result once more is float32's own rounding.
  template <class Operation>
  static Number Of(Number a, Number b, Operation operation) {
    const Type type = std::max(a.type_, b.type_);
    return {In(type, operation(In(type, a.value_), In(type, b.value_))), type};
  }

  double value_;
  Type type_;
};

}  // namespace envpool::metaworld
