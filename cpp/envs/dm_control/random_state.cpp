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

RandomState::RandomState(std::uint64_t seed) : bits_(static_cast<std::uint32_t>(seed)) {
  if (seed > std::numeric_limits<std::uint32_t>::max()) {
    throw std::out_of_range("the seed is " + std::to_string(seed) + ", expected seed < 2**32");
  }
}

double RandomState::Unit() {
  const std::uint32_t high = bits_.Next() >> 5;
  const std::uint32_t low = bits_.Next() >> 6;
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
    drawn = bits_.Next() & mask;
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

void RandomState::Serialize(Archive& archive) { archive(bits_, has_normal_, normal_); }

}  // namespace envpool::dm_control
