// Obstacle: what bars an agent's way, lava or walls, for levels that have this as an option.
#pragma once

#include <string>

#include "minigrid/level.h"

namespace envpool::minigrid {

inline const OptionSpec obstacle_type = {
    "obstacle_type", "lava", "what is in the way", {}, {"lava", "wall"}};

struct Obstacle {
  explicit Obstacle(const Options& options) : is_lava(options.Text("obstacle_type") == "lava") {}

  Handle MakeIn(Grid& grid) const { return is_lava ? grid.MakeLava() : kWall; }
  const char* Mission() const {
    return is_lava ? "avoid the lava and get to the green goal square"
                   : "find the opening and get to the green goal square";
  }

  const bool is_lava;
};

}  // namespace envpool::minigrid
