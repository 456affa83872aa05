// The largest part of a square's open cells that hangs together.
#pragma once

#include <vector>

#include "minigrid/object.h"

namespace envpool::minigrid::wfc {

// Column by column: is a cell open? The cells are in the order in which networkx has them, when
// minigrid/envs/wfc/wfcenv.py has taken the component out of its graph. None, if there are no two
// cells side by side.
std::vector<Point> LargestComponent(const std::vector<bool>& is_open, int side);

}  // namespace envpool::minigrid::wfc
