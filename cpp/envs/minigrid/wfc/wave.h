// Wave: cells that may have some patterns each, until every cell has one, as
// minigrid/envs/wfc/wfclogic/solver.py does it with the heuristics "entropy" and "weighted".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "envpool/random.h"
#include "minigrid/wfc/patterns.h"

namespace envpool::minigrid::wfc {

class Wave {
 public:
  // A wave is a square of cells, column by column; `patterns` must outlive it.
  Wave(const Patterns& patterns, int side, bool is_periodic)
      : patterns_(patterns), side_(side), is_periodic_(is_periodic) {}

  // Draws a pattern for every cell. Returns false if there came a cell that no pattern fits. The
  // next cell is one of those with the fewest patterns: the one with the least preference.
  bool Collapse(std::span<const double> preferences, Random& random);

  bool IsWall(std::size_t cell) const;

 private:
  void Set(std::size_t cell, Mask mask, double preference);
  std::size_t Draw(Mask mask, Random& random) const;
  // Takes from all cells the patterns that no longer fit beside others, since this cell has
  // changed.
  bool Propagate(std::size_t cell, std::span<const double> preferences);

  const Patterns& patterns_;
  const int side_;
  const bool is_periodic_;
  std::vector<Mask> masks_;     // which patterns a cell may have
  std::vector<double> scores_;  // the least is decided next; infinite for a cell with one pattern
};

}  // namespace envpool::minigrid::wfc
