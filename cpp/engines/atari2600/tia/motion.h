// Motion: how far HMOVE moves an object, by the cycle of the line in which HMOVE is written and the
// code in the object's motion register.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace envpool::atari2600 {

inline constexpr int kCyclesPerLine = 76;
inline constexpr int kMotionCodes = 16;

// Returns the pixels to the right. Written early in the blank part of a line, or in its last cycle,
// HMOVE makes the full movement, from 7 to the left to 8 to the right. ALE: written at other times,
// it moves objects as far as these lines say.
constexpr int ComputeMotion(int cycle, int code) {
  const int full = code < 8 ? -code : kMotionCodes - code;
  const auto quarter = [](int clocks) { return (clocks - ((clocks % 4 + 4) % 4)) / 4; };
  if (cycle < 21) return std::max(full, quarter(3 * cycle - 35));
  if (cycle < 75) return std::min(0, full - quarter(3 * cycle - 187));
  return full;
}

constexpr auto MakeMotions() {
  std::array<std::array<std::int8_t, kMotionCodes>, kCyclesPerLine> table = {};
  for (int cycle = 0; cycle < kCyclesPerLine; ++cycle) {
    for (int code = 0; code < kMotionCodes; ++code) {
      table[static_cast<std::size_t>(cycle)][static_cast<std::size_t>(code)] =
          static_cast<std::int8_t>(ComputeMotion(cycle, code));
    }
  }
  return table;
}

inline constexpr auto kMotions = MakeMotions();

}  // namespace envpool::atari2600
