// Pcg64: the bit generator behind numpy.random.default_rng, with the same state and output.
//
// PCG XSL RR 128/64 (M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
// Good Algorithms for Random Number Generation", 2014), seeded as numpy.random.PCG64(seed) is.
#pragma once

#include <bit>
#include <cstdint>

#include "envpool/archive.h"
#include "envpool/seed_sequence.h"

namespace envpool {

class Pcg64 {
 public:
  __extension__ typedef unsigned __int128 Word;

  explicit Pcg64(std::uint64_t seed) {
    const auto words = SeedSequence(seed).Generate<4>();
    increment_ = (Join(words[2], words[3]) << 1) | 1;
    Advance();
    state_ += Join(words[0], words[1]);
    Advance();
  }

  std::uint64_t Next64() {
    Advance();
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    const auto low = static_cast<std::uint64_t>(state_);
    return std::rotr(high ^ low, static_cast<int>(high >> 58));
  }

  // NumPy hands out the two halves of one 64-bit draw, the low one first.
  std::uint32_t Next32() {
    if (has_half_) {
      has_half_ = false;
      return half_;
    }
    const std::uint64_t both = Next64();
    has_half_ = true;
    half_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
  }

  // Uniform in [0, 1) with 53 random bits.
  double NextDouble() { return static_cast<double>(Next64() >> 11) * 0x1.0p-53; }

  void Serialize(Archive& archive) {
    Pcg64 read = *this;
    read.SerializeWords(archive);
    // A generator with an even increment may draw one number for ever, and a program that waits for
    // another never returns.
    archive.Require((read.increment_ & 1) != 0, "no random generator");
    *this = read;
  }

 private:
  static constexpr Word Join(std::uint64_t high, std::uint64_t low) {
    return (static_cast<Word>(high) << 64) | low;
  }

  void SerializeWords(Archive& archive) {
    for (Word* word : {&state_, &increment_}) {
      auto low = static_cast<std::uint64_t>(*word);
      auto high = static_cast<std::uint64_t>(*word >> 64);
      archive.Any(low, high);
      *word = Join(high, low);
    }
    archive.Any(half_);
    archive(has_half_);
  }

  void Advance() { state_ = state_ * Join(0x2360ed051fc65da4, 0x4385df649fccf645) + increment_; }

  Word state_ = 0;
  Word increment_ = 0;
  std::uint32_t half_ = 0;
  bool has_half_ = false;
};

}  // namespace envpool
