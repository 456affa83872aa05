#include "numerics/mersenne_twister.h"

#include <algorithm>

namespace envpool::numerics {

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  words_[0] = seed;
  for (std::uint32_t i = 1; i < kWords; ++i) {
    const std::uint32_t last = words_[i - 1];
    words_[i] = 1812433253U * (last ^ (last >> 30)) + i;
  }
}

MersenneTwister::MersenneTwister(std::span<const std::uint32_t> seed) : MersenneTwister(19650218U) {
  std::size_t i = 1;
  const auto mix = [this, &i](std::uint32_t factor, std::uint32_t added) {
    const std::uint32_t last = words_[i - 1];
    words_[i] = (words_[i] ^ ((last ^ (last >> 30)) * factor)) + added;
    if (++i < kWords) return;
    words_[0] = words_[kWords - 1];
    i = 1;
  };
  for (std::size_t k = 0; k < std::max(kWords, seed.size()); ++k) {
    const std::size_t word = k % seed.size();
    mix(1664525U, seed[word] + static_cast<std::uint32_t>(word));
  }
  for (std::size_t k = 1; k < kWords; ++k) mix(1566083941U, 0U - static_cast<std::uint32_t>(i));
  words_[0] = 0x80000000U;
}

void MersenneTwister::Refill() {
  constexpr std::size_t kDistance = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t joined =
        (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7fffffffU);
    const std::uint32_t twist = (joined & 1) != 0 ? 0x9908b0dfU : 0;
    words_[i] = words_[(i + kDistance) % kWords] ^ (joined >> 1) ^ twist;
  }
  next_ = 0;
}

std::uint32_t MersenneTwister::Next() {
  if (next_ == kWords) Refill();
  std::uint32_t word = words_[next_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680U;
  word ^= (word << 15) & 0xefc60000U;
  return word ^ (word >> 18);
}

void MersenneTwister::Serialize(Archive& archive) {
  MersenneTwister read = *this;
  archive.Any(read.words_);
  archive.Range(read.next_, 0, kWords);
  // All zeros would be drawn for ever, and whoever waits for something else never returns.
  const bool draws = std::ranges::any_of(read.words_, [](std::uint32_t word) { return word != 0; });
  archive.Require(draws, "no random generator");
  *this = read;
}

}  // namespace envpool::numerics
