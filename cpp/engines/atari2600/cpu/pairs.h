// Pairs: two instructions that games often run one after the other, and that the interpreter runs
// with one handler. That saves a jump that is hard to predict, and registers stay where they are.
#pragma once

#include <algorithm>
#include <compare>
#include <functional>
#include <iterator>

#include "atari2600/cpu/opcodes.h"

namespace envpool::atari2600 {

struct Pair {
  ExtendedOpcode first;
  ExtendedOpcode second;

  constexpr auto operator<=>(const Pair&) const = default;
};

#define PAIR(first, second) {first, second},
inline constexpr Pair kPairs[] = {
#include "atari2600/cpu/pairs.def"
};
#undef PAIR
static_assert(std::ranges::is_sorted(kPairs, std::less_equal{}), "in order, and each once");

// Returns the extended opcode that runs two instructions in a row, or that of the first alone.
constexpr ExtendedOpcode PairOf(ExtendedOpcode first, ExtendedOpcode second) {
  const Pair pair = {first, second};
  const Pair* const found = std::ranges::lower_bound(kPairs, pair);
  if (found == std::end(kPairs) || *found != pair) return first;
  return static_cast<ExtendedOpcode>(kFirstPair + (found - kPairs));
}

}  // namespace envpool::atari2600
