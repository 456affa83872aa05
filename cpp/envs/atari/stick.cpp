#include "atari/stick.h"

#include <cmath>

namespace envpool::atari {

namespace {

constexpr float kLargeAngle = 71476.0625F;

// The cosine, or with `is_sine` the sine, rounded as NumPy rounds those of 32-bit floats where the
// processor has fused multiplication: by the same reduction to a quarter turn and the same
// polynomials, or for large angles by the C library.
float Trigonometric(float angle, bool is_sine) {
  if (!(std::fabs(angle) < kLargeAngle)) return is_sine ? std::sin(angle) : std::cos(angle);
  const float quarters = std::nearbyint(angle * 0x1.45f306p-1F);
  float rest = std::fma(quarters, -0x1.921fb0p+00F, angle);
  rest = std::fma(quarters, -0x1.5110b4p-22F, rest);
  rest = std::fma(quarters, -0x1.846988p-48F, rest);
  const float square = rest * rest;

  float cosine = std::fma(0x1.98e616p-16F, square, -0x1.6c06dcp-10F);
  cosine = std::fma(cosine, square, 0x1.55553cp-05F);
  cosine = std::fma(cosine, square, -0.5F);
  cosine = std::fma(cosine, square, 1.0F);
  float sine = std::fma(0x1.7d3bbcp-19F, square, -0x1.a06bbap-13F);
  sine = std::fma(sine, square, 0x1.11119ap-07F);
  sine = std::fma(sine, square, -0x1.555556p-03F);
  sine = std::fma(sine * square, rest, rest);

  const int quadrant = static_cast<int>(quarters) + (is_sine ? 0 : 1);
  const float value = (quadrant & 1) != 0 ? cosine : sine;
  return (quadrant & 2) != 0 ? -value : value;
}

// Returns -1, 0 or 1.
int Contact(float place, float threshold) {
  return static_cast<int>(place > threshold) - static_cast<int>(place < -threshold);
}

}  // namespace

Action ActionOfStick(const Stick& stick, float threshold) {
  // The rows are down, middle and up, the columns left, middle and right.
  static constexpr Action kReleased[3][3] = {{Action::kDownLeft, Action::kDown, Action::kDownRight},
                                             {Action::kLeft, Action::kNoop, Action::kRight},
                                             {Action::kUpLeft, Action::kUp, Action::kUpRight}};
  static constexpr Action kPressed[3][3] = {
      {Action::kDownLeftFire, Action::kDownFire, Action::kDownRightFire},
      {Action::kLeftFire, Action::kFire, Action::kRightFire},
      {Action::kUpLeftFire, Action::kUpFire, Action::kUpRightFire}};
  const int column = 1 + Contact(stick.radius * Trigonometric(stick.angle, false), threshold);
  const int row = 1 + Contact(stick.radius * Trigonometric(stick.angle, true), threshold);
  return stick.button > threshold ? kPressed[row][column] : kReleased[row][column];
}

}  // namespace envpool::atari
