// SeedSequence: spreads a 64-bit seed over the words that a generator's state needs.
//
// The algorithm and its constants are those of numpy.random.SeedSequence with a pool of four words
// (M. E. O'Neill, "Developing a seed_seq Alternative", 2015), so both give the same words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace envpool {

class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::uint32_t entropy[] = {static_cast<std::uint32_t>(seed),
                                     static_cast<std::uint32_t>(seed >> 32)};
    std::uint32_t hash = 0x43b0d7e5;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      pool_[i] = HashMix(i < 2 ? entropy[i] : 0, hash, 0x931e8875);
    }
    for (std::size_t source = 0; source < pool_.size(); ++source) {
      for (std::size_t target = 0; target < pool_.size(); ++target) {
        if (source == target) continue;
        pool_[target] = Mix(pool_[target], HashMix(pool_[source], hash, 0x931e8875));
      }
    }
  }

  // Returns the same as SeedSequence(seed).generate_state(kWords, numpy.uint64).
  template <std::size_t kWords>
  std::array<std::uint64_t, kWords> Generate() const {
    std::array<std::uint64_t, kWords> words{};
    std::uint32_t hash = 0x8b51f9dd;
    for (std::size_t i = 0; i < 2 * kWords; ++i) {
      const std::uint64_t half = HashMix(pool_[i % pool_.size()], hash, 0x58f38ded);
      words[i / 2] |= half << (32 * (i % 2));
    }
    return words;
  }

 private:
  static std::uint32_t HashMix(std::uint32_t value, std::uint32_t& hash, std::uint32_t factor) {
    value ^= hash;
    hash *= factor;
    value *= hash;
    return value ^ (value >> 16);
  }

  static std::uint32_t Mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t mixed = 0xca01f9ddU * x - 0x4973f715U * y;
    return mixed ^ (mixed >> 16);
  }

  std::array<std::uint32_t, 4> pool_{};
};

}  // namespace envpool
