// LineMask: a set of the 160 pixels of a line. Bit 0 of word 0 is the leftmost pixel.
#pragma once

#include <array>
#include <cstdint>

#include "atari2600/tia/pictures.h"

namespace envpool::atari2600 {

// Returns the lowest `count` bits; none if it is negative, all if it is 64 or more.
constexpr std::uint64_t LowBits(int count) {
  if (count <= 0) return 0;
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Up to 128 pixels.
struct Pattern {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

struct LineMask {
  // Returns the pixels of a pattern whose first one is at 0 <= `place` < 160. What is beyond the
  // end of the line is at its beginning.
  static LineMask Place(const Pattern& pattern, int place) {
    const auto at = static_cast<unsigned>(place);
    const unsigned shift = at % 64;
    const std::uint64_t low = pattern.low << shift;
    const std::uint64_t middle = pattern.high << shift | (pattern.low >> 1) >> (63 - shift);
    const std::uint64_t high = (pattern.high >> 1) >> (63 - shift);
    // Word 2 has 32 pixels: what is beyond them is at the beginning of word 0.
    switch (at / 64) {
      case 0: return {{low | high >> 32, middle, high & 0xffffffff}};
      case 1: return {{middle >> 32 | high << 32, low | high >> 32, middle & 0xffffffff}};
      default: return {{low >> 32 | middle << 32, middle >> 32 | high << 32, low & 0xffffffff}};
    }
  }

  std::array<std::uint64_t, 3> words = {};
};

}  // namespace envpool::atari2600
