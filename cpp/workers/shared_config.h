// SharedConfig: what a pool and its workers must know alike. Each side computes the rest from it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envpool/spec.h"
#include "loading/pool_config.h"
#include "loading/require.h"
#include "results/layout.h"
#include "threads/machine.h"

namespace envpool {

struct SharedConfig {
  PoolConfig pool;            // num_threads is the number of workers
  Spec spec;                  // the arrays of observations and actions; what is none goes by letter
  std::vector<int> workers;   // of each environment
  bool in_process = false;    // there is one worker, which is the thread that receives
  bool check_actions = true;  // convert them to their fields' types, and refuse what is outside
  std::optional<Duration> step_timeout = std::nullopt;

  // Throws std::invalid_argument if it contradicts itself.
  void Check() const {
    pool.CheckSizes();
    Require(std::cmp_equal(workers.size(), pool.num_envs),
            "workers has " + std::to_string(workers.size()) +
                " entries, expected num_envs = " + std::to_string(pool.num_envs));
    Require(pool.num_envs < 1 << 24,
            "num_envs is " + std::to_string(pool.num_envs) + ", expected less than 2^24");
    Require(std::ranges::all_of(workers, [this](int w) { return w >= 0 && w < pool.num_threads; }),
            "workers has one that is not below num_workers");
    if (!HasPlayers()) return;
    Require(!pool.layout.final_rows,
            "auto-reset in the same step is only for environments of one player");
    Require(check_actions && std::ranges::all_of(spec.action, &Field::per_player),
            "actions of players are checked, and each has one of its own");
  }

  // True if an environment has players with an action each: even one, who can be gone.
  bool HasPlayers() const { return std::ranges::any_of(spec.action, &Field::per_player); }

  Layout MakeLayout() const {
    return {spec, pool.layout, static_cast<std::size_t>(pool.batch_size)};
  }
};

}  // namespace envpool
