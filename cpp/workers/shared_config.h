// SharedConfig: what a pool and its workers must know alike. Each side computes the rest from it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "envpool/spec.h"
#include "loading/pool_config.h"
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

  // True if an environment has players with an action each: even one, who can be gone.
  bool HasPlayers() const { return std::ranges::any_of(spec.action, &Field::per_player); }

  Layout MakeLayout() const {
    return {spec, pool.layout, static_cast<std::size_t>(pool.batch_size)};
  }
};

}  // namespace envpool
