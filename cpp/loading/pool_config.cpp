#include "loading/pool_config.h"

#include <string>

#include "loading/require.h"

namespace envpool {

void PoolConfig::CheckSizes() const {
  Require(num_envs >= 1, "num_envs is " + std::to_string(num_envs) + ", expected at least 1");
  Require(batch_size >= 1 && batch_size <= num_envs,
          "batch_size is " + std::to_string(batch_size) +
              ", expected 1 to num_envs = " + std::to_string(num_envs));
}

void PoolConfig::Check() const {
  CheckSizes();
  const auto envs = static_cast<std::size_t>(num_envs);
  const int fewest = IsSynchronous() ? 0 : 1;
  Require(num_threads >= fewest, "num_threads is " + std::to_string(num_threads) +
                                     ", expected at least " + std::to_string(fewest));
  const auto require_steps = [](int steps) {
    Require(steps >= 1, "max_episode_steps is " + std::to_string(steps) + ", expected at least 1");
  };
  require_steps(max_episode_steps);
  for (const Kind& kind : kinds) require_steps(kind.max_episode_steps);
  Require(kind_of.empty() || kind_of.size() == envs, "kind_of: expected one per environment");
  for (const int kind : kind_of) {
    Require(kind >= 0 && static_cast<std::size_t>(kind) < kinds.size(),
            "kind_of has " + std::to_string(kind) + ", expected the index of a kind");
  }
  Require(seeds.size() == envs, "seeds: expected one per environment");
  Require(options.size() == 1 || options.size() == envs,
          "options: expected one for all environments, or one each");
  Require(kinds.size() <= 1 || options.size() == envs,
          "options: expected one for each environment, as there are several kinds");
  Require(layout.final_rows == (autoreset_mode == AutoresetMode::kSameStep),
          "final rows: expected exactly with auto-reset in the same step");
}

}  // namespace envpool
