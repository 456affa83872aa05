#include "numerics/python_random.h"

#include <array>
#include <bit>
#include <span>

namespace envpool::numerics {
namespace {

// Python takes the words of the seed up to the last that is not 0, but one at least.
MersenneTwister TwisterOf(std::uint64_t seed) {
  const std::array words = {static_cast<std::uint32_t>(seed),
                            static_cast<std::uint32_t>(seed >> 32)};
  return MersenneTwister(std::span(words).first(words[1] == 0 ? 1 : 2));
}

}  // namespace

PythonRandom::PythonRandom(std::uint64_t seed) : twister_(TwisterOf(seed)) {}

std::uint32_t PythonRandom::Integer(std::uint32_t most) {
  const int unused = std::countl_zero(most + 1);
  std::uint32_t number = twister_.Next() >> unused;
  while (number > most) number = twister_.Next() >> unused;
  return number;
}

}  // namespace envpool::numerics
