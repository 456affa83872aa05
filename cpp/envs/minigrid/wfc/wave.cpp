#include "minigrid/wfc/wave.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace envpool::minigrid::wfc {

bool Wave::Collapse(std::span<const double> preferences, Random& random) {
  masks_.assign(preferences.size(), 0);
  scores_.assign(preferences.size(), 0.0);
  for (std::size_t i = 0; i < masks_.size(); ++i) Set(i, patterns_.All(), preferences[i]);
  while (true) {
    const auto least = std::ranges::min_element(scores_);
    if (std::isinf(*least)) return true;
    const auto cell = static_cast<std::size_t>(least - scores_.begin());
    Set(cell, Mask{1} << Draw(masks_[cell], random), preferences[cell]);
    if (!Propagate(cell, preferences)) return false;
  }
}

bool Wave::IsWall(std::size_t cell) const {
  return patterns_.IsWall(static_cast<std::size_t>(std::countr_zero(masks_[cell])));
}

void Wave::Set(std::size_t cell, Mask mask, double preference) {
  const int count = std::popcount(mask);
  masks_[cell] = mask;
  scores_[cell] = count > 1 ? preference + count : std::numeric_limits<double>::infinity();
}

std::size_t Wave::Draw(Mask mask, Random& random) const {
  const auto weights = patterns_.Weights();
  std::vector<double> shares(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    shares[i] = (mask >> i & 1) != 0 ? weights[i] : 0.0;
  }
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);  // of whole numbers
  for (double& share : shares) share /= all;
  return static_cast<std::size_t>(random.Choice(shares));
}

bool Wave::Propagate(std::size_t cell, std::span<const double> preferences) {
  std::vector<std::size_t> changed = {cell};
  while (!changed.empty()) {
    const std::size_t from = changed.back();
    changed.pop_back();
    const Point at = {static_cast<int>(from) / side_, static_cast<int>(from) % side_};
    for (std::size_t direction = 0; direction < kDirections.size(); ++direction) {
      Point to = at + kDirections[direction];
      if (is_periodic_) to = {(to.x + side_) % side_, (to.y + side_) % side_};
      if (to.x < 0 || to.y < 0 || to.x >= side_ || to.y >= side_) continue;
      const auto neighbor = static_cast<std::size_t>(to.x * side_ + to.y);
      const Mask left = masks_[neighbor] & patterns_.Beside(masks_[from], direction);
      if (left == masks_[neighbor]) continue;
      if (left == 0) return false;
      Set(neighbor, left, preferences[neighbor]);
      changed.push_back(neighbor);
    }
  }
  return true;
}

}  // namespace envpool::minigrid::wfc
