// LargestComponent finds the largest part of a square's open cells that hangs together.
#pragma once

#include <vector>

#include "minigrid/object.h"

namespace envpool::minigrid::wfc {

// `is_open` tells of each cell, column by column, if it is open. Returns the cells in the order in
// which networkx has them when minigrid/envs/wfc/wfcenv.py has taken the component out of its
// graph; none, if there are no two cells side by side.
std::vector<Point> LargestComponent(const std::vector<bool>& is_open, int side);

}  // namespace envpool::minigrid::wfc
