// Patterns: the small squares that a sample has, and which of them may stand side by side, as
// minigrid/envs/wfc/wfclogic/patterns.py and adjacency.py find them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "minigrid/object.h"
#include "minigrid/wfc/samples.h"

namespace envpool::minigrid::wfc {

using Mask = std::uint64_t;  // some of the patterns, of which no sample has more than 64

class Patterns {
 public:
  explicit Patterns(const Sample& sample);

  Mask All() const { return (Mask{2} << (weights_.size() - 1)) - 1; }

  // Returns how often each pattern is to be drawn, in proportion.
  std::span<const double> Weights() const { return weights_; }

  // True if the pattern has a wall in its first cell, which is the one that it stands for.
  bool IsWall(std::size_t pattern) const { return is_wall_[pattern]; }

  // Returns what may stand beside any of these patterns, in one of kDirections.
  Mask Beside(Mask these, std::size_t direction) const {
    Mask beside = 0;
    for (; these != 0; these &= these - 1) {
      beside |= beside_[direction][static_cast<std::size_t>(std::countr_zero(these))];
    }
    return beside;
  }

 private:
  std::vector<double> weights_;
  std::vector<bool> is_wall_;
  std::array<std::vector<Mask>, 4> beside_;
};

}  // namespace envpool::minigrid::wfc
