// Delivery: what a receiver gets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "executor/results/block_pool.h"
#include "executor/results/layout.h"

namespace envpool {

struct EnvError {
  std::size_t row;
  int env_id;
  std::string message;
};

struct EnvWarning {
  int env_id;
  std::string message;
};

// One received batch. Its rows lie in the block as the pool's Layout says.
struct Delivery {
  BlockLease block;
  std::size_t rows = 0;          // environments
  std::size_t player_rows = 0;   // players
  std::vector<EnvError> errors;  // of environments that failed and so have no row
  std::vector<EnvWarning> warnings;

  // Moves rows up to where failed environments and absent players left room, and counts those of
  // the players. Before that, the environments' rows are as they were requested.
  void CloseGaps(const Layout& layout);
};

}  // namespace envpool
