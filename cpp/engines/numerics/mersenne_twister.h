// MersenneTwister: the generator MT19937 with snapshots (M. Matsumoto, T. Nishimura, "Mersenne
// Twister: A 623-Dimensionally Equidistributed Uniform Pseudo-Random Number Generator", 1998).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "envpool/archive.h"

namespace envpool::numerics {

class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed);
  // A generator with a longer seed, as init_by_array makes it. Requires at least one word.
  explicit MersenneTwister(std::span<const std::uint32_t> seed);

  std::uint32_t Next();

  // Returns the next number divided by 2 ^ 32.
  double NextUnit() { return Next() * 0x1p-32; }

  void Serialize(Archive& archive);

 private:
  static constexpr std::size_t kWords = 624;

  void Refill();

  std::array<std::uint32_t, kWords> words_;
  std::size_t next_ = kWords;
};

}  // namespace envpool::numerics
