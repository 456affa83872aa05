#include "dm_control/random_state.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace envpool::dm_control {

RandomState::RandomState(std::uint64_t seed) {
  if (seed > std::numeric_limits<std::uint32_t>::max()) {
    throw std::out_of_range("the seed is " + std::to_string(seed) + ", expected seed < 2**32");
  }
  words_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < kWords; ++i) {
    const std::uint32_t before = words_[i - 1];
    words_[i] = 1812433253U * (before ^ (before >> 30)) + i;
  }
}

void RandomState::Refill() {
  constexpr std::size_t kOffset = 397;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t joined =
        (words_[i] & 0x80000000U) | (words_[(i + 1) % kWords] & 0x7fffffffU);
    const std::uint32_t twist = (joined & 1U) != 0 ? 0x9908b0dfU : 0U;
    words_[i] = words_[(i + kOffset) % kWords] ^ (joined >> 1) ^ twist;
  }
  next_ = 0;
}

std::uint32_t RandomState::Next32() {
  if (next_ == kWords) Refill();
  std::uint32_t word = words_[next_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680U;
  word ^= (word << 15) & 0xefc60000U;
  return word ^ (word >> 18);
}

double RandomState::Unit() {
  const std::uint32_t high = Next32() >> 5;
  const std::uint32_t low = Next32() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double RandomState::Normal() {
  if (has_normal_) {
    has_normal_ = false;
    return normal_;
  }
  double x;
  double y;
  double square;
  do {
    x = 2.0 * Unit() - 1.0;
    y = 2.0 * Unit() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  normal_ = factor * x;
  has_normal_ = true;
  return factor * y;
}

std::uint32_t RandomState::Integer(std::uint32_t count) {
  if (count <= 1) return 0;
  const std::uint32_t mask =
      std::numeric_limits<std::uint32_t>::max() >> std::countl_zero(count - 1);
  std::uint32_t drawn;
  do {
    drawn = Next32() & mask;
  } while (drawn >= count);
  return drawn;
}

std::size_t RandomState::Choice(std::span<const double> probabilities) {
  std::vector<double> cumulated(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), cumulated.begin());
  const double total = cumulated.back();
  for (double& sum : cumulated) sum /= total;
  const auto place = std::upper_bound(cumulated.begin(), cumulated.end(), Unit());
  return static_cast<std::size_t>(place - cumulated.begin());
}

void RandomState::Serialize(Archive& archive) {
  RandomState read = *this;
  archive.Any(read.words_);
  archive.Range(read.next_, 0, kWords);
  archive(read.has_normal_, read.normal_);
  // All zeros would be drawn for ever, and whoever waits for something else never returns.
  const bool draws = std::ranges::any_of(read.words_, [](std::uint32_t word) { return word != 0; });
  archive.Require(draws, "no random generator");
  *this = read;
}

}  // namespace envpool::dm_control
