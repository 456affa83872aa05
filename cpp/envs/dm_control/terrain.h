// The terrain of Quadruped's task "escape": a bowl with random smooth bumps.
#pragma once

#include <cstddef>
#include <vector>

#include "dm_control/random_state.h"

namespace envpool::dm_control {

// A square of numbers, row by row.
struct Grid {
  std::size_t side;
  std::vector<double> values;
};

// scipy.ndimage.zoom(grid, side / grid.side) of a grid of at least two rows: cubic splines.
Grid Zoom(const Grid& grid, std::size_t side);

// The heights of a terrain with so many rows, which is `size` m long.
Grid DrawTerrain(RandomState& random, std::size_t side, double size);

}  // namespace envpool::dm_control
