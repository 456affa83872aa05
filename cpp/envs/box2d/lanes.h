// Floats: eight floats that are computed with side by side, each as if it were alone.
//
// The operations are the compiler's own on vectors of 16 bytes, which all processors have that we
// build for. A lane's bits are those of the same operation on a single float.
#pragma once

#include <Box2D/Box2D.h>

#include <cstddef>
#include <cstdint>

namespace envpool::box2d {

inline constexpr std::size_t kLanes = 8;

using FourFloats [[gnu::vector_size(16)]] = float;
using FourMasks [[gnu::vector_size(16)]] = std::int32_t;

struct Floats {
  FourFloats low;
  FourFloats high;

  static Floats All(float value) {
    const FourFloats four = {value, value, value, value};
    return {four, four};
  }
  float Get(std::size_t lane) const { return lane < 4 ? low[lane] : high[lane - 4]; }
  void Set(std::size_t lane, float value) {
    FourFloats& half = lane < 4 ? low : high;
    half[lane % 4] = value;
  }
};

// In each lane all bits or none, as comparisons give them.
struct Mask {
  FourMasks low;
  FourMasks high;

  void Set(std::size_t lane, bool value) {
    FourMasks& half = lane < 4 ? low : high;
    half[lane % 4] = -value;
  }
};

inline Floats operator+(Floats a, Floats b) { return {a.low + b.low, a.high + b.high}; }
inline Floats operator-(Floats a, Floats b) { return {a.low - b.low, a.high - b.high}; }
inline Floats operator*(Floats a, Floats b) { return {a.low * b.low, a.high * b.high}; }
inline Floats operator-(Floats a) { return {-a.low, -a.high}; }
inline Mask operator<(Floats a, Floats b) { return {a.low < b.low, a.high < b.high}; }
inline Mask operator>(Floats a, Floats b) { return {a.low > b.low, a.high > b.high}; }
inline Mask operator&(Mask a, Mask b) { return {a.low & b.low, a.high & b.high}; }
inline Mask operator|(Mask a, Mask b) { return {a.low | b.low, a.high | b.high}; }
inline Mask operator~(Mask a) { return {~a.low, ~a.high}; }

inline bool IsAny(Mask mask) {
  using Two [[gnu::vector_size(16)]] = std::int64_t;
  const auto two = reinterpret_cast<Two>(mask.low | mask.high);
  return (two[0] | two[1]) != 0;
}

inline Floats Select(Mask mask, Floats yes, Floats no) {
  const auto select = [](FourMasks where, FourFloats a, FourFloats b) {
    const auto bits_a = reinterpret_cast<FourMasks>(a), bits_b = reinterpret_cast<FourMasks>(b);
    return reinterpret_cast<FourFloats>((bits_a & where) | (bits_b & ~where));
  };
  return {select(mask.low, yes.low, no.low), select(mask.high, yes.high, no.high)};
}

// Box2D's, which differ from others where numbers are equal or NaN.
inline Floats Min(Floats a, Floats b) { return Select(a < b, a, b); }
inline Floats Max(Floats a, Floats b) { return Select(a > b, a, b); }
inline Floats Clamp(Floats a, Floats low, Floats high) { return Max(low, Min(a, high)); }

struct Vectors {
  Floats x, y;

  b2Vec2 Get(std::size_t lane) const { return {x.Get(lane), y.Get(lane)}; }
  void Set(std::size_t lane, const b2Vec2& value) {
    x.Set(lane, value.x);
    y.Set(lane, value.y);
  }
};

inline Vectors operator+(const Vectors& a, const Vectors& b) { return {a.x + b.x, a.y + b.y}; }
inline Vectors operator-(const Vectors& a, const Vectors& b) { return {a.x - b.x, a.y - b.y}; }
inline Vectors operator-(const Vectors& a) { return {-a.x, -a.y}; }
inline Vectors operator*(Floats a, const Vectors& b) { return {a * b.x, a * b.y}; }
inline Floats Cross(const Vectors& a, const Vectors& b) { return a.x * b.y - a.y * b.x; }
inline Vectors Cross(Floats a, const Vectors& b) { return {-a * b.y, a * b.x}; }
inline Vectors Select(Mask mask, const Vectors& yes, const Vectors& no) {
  return {Select(mask, yes.x, no.x), Select(mask, yes.y, no.y)};
}

struct Velocities {
  Vectors v;
  Floats w;
};

}  // namespace envpool::box2d
