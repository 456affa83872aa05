#include "metaworld/sawyer_world.h"

#include <array>

namespace envpool::metaworld {

SawyerWorld::SawyerWorld(std::string name, std::shared_ptr<const mjModel> shared)
    : Simulation(std::move(name), std::move(shared)),
      bodies_(Own(&mjModel::body_pos, 3 * static_cast<std::size_t>(Model().nbody))),
      sites_(Own(&mjModel::site_pos, 3 * static_cast<std::size_t>(Model().nsite))) {
  constexpr std::array kWeld = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 5.0};
  const std::span<double> welds =
      Own(&mjModel::eq_data, mjNEQDATA * static_cast<std::size_t>(Model().neq));
  for (int i = 0; i < static_cast<int>(Model().neq); ++i) {
    if (Model().eq_type[i] == mjEQ_WELD) std::ranges::copy(kWeld, &welds[mjNEQDATA * i]);
  }
}

}  // namespace envpool::metaworld
