#include "workers/shared_config.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace envpool {

void SharedConfig::Check() const {
  pool.CheckSizes();
  if (workers.size() != static_cast<std::size_t>(pool.num_envs)) {
    throw std::invalid_argument("workers has " + std::to_string(workers.size()) +
                                " entries, expected num_envs = " + std::to_string(pool.num_envs));
  }
  if (pool.num_envs >= 1 << 24) {
    throw std::invalid_argument("num_envs is " + std::to_string(pool.num_envs) +
                                ", expected less than 2^24");
  }
  if (std::ranges::any_of(workers, [this](int w) { return w < 0 || w >= pool.num_threads; })) {
    throw std::invalid_argument("workers has one that is not below num_workers");
  }
  if (!HasPlayers()) return;
  if (pool.layout.final_rows) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  if (!check_actions || !std::ranges::all_of(spec.action, &Field::per_player)) {
    throw std::invalid_argument("actions of players are checked, and each has one of its own");
  }
}

}  // namespace envpool
