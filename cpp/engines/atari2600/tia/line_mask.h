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

struct alignas(32) LineMask {
  // Returns the pixels from `first` to before `end`.
  static LineMask Range(int first, int end) {
    LineMask range;
    for (int k = 0; k < 3; ++k) {
      range.words[static_cast<unsigned>(k)] = LowBits(end - 64 * k) & ~LowBits(first - 64 * k);
    }
    return range;
  }

  // Adds up to 32 pixels, the lowest bit at 0 <= `place` < 2 * 160. WrapAround has to follow.
  void Add(std::uint64_t pixels, int place) {
    const auto at = static_cast<unsigned>(place >= kWidth ? place - kWidth : place);
    const unsigned shift = at % 64;
    words[at / 64] |= pixels << shift;
    words[at / 64 + 1] |= (pixels >> 1) >> (63 - shift);
  }

  // Moves what was added beyond the end of the line to its beginning.
  void WrapAround() {
    words[0] |= words[2] >> 32;
    words[2] &= 0xffffffff;
  }

  void Add(const LineMask& other) {
    words[0] |= other.words[0];
    words[1] |= other.words[1];
    words[2] |= other.words[2];
  }

  // The fourth word is always 0. It is there so that Add need not ask.
  std::array<std::uint64_t, 4> words = {};
};

// Returns something other than 0 if the masks have a pixel of the range in common.
inline std::uint64_t Common(const LineMask& a, const LineMask& b, const LineMask& range) {
  return (a.words[0] & b.words[0] & range.words[0]) | (a.words[1] & b.words[1] & range.words[1]) |
         (a.words[2] & b.words[2] & range.words[2]);
}

}  // namespace envpool::atari2600
