// PoolConfig: everything that is decided when a pool is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "envpool/env_type.h"
#include "envpool/options.h"
#include "envpool/spec.h"
#include "results/layout.h"

namespace envpool {

// What follows the end of an episode.
enum class AutoresetMode {
  kNextStep,  // the next step ignores its action and starts an episode
  kSameStep,  // the same step starts an episode; the layout needs final rows
  kDisabled,  // the next step is refused until the environment is reset
};

// What some environments of a pool have in common: users call it a task.
struct Kind {
  std::string name;               // for messages
  const EnvType* type = nullptr;  // outlives all pools
  int max_episode_steps = std::numeric_limits<int>::max();
  std::optional<Spec> spec = std::nullopt;  // of the first environment; none: its type is asked
};

// Nobody checks it: what makes one has read options that Python has checked.
struct PoolConfig {
  int num_envs = 1;
  int batch_size = 1;
  int num_threads = 1;  // 0: the caller alone runs the environments of a synchronous pool
  int thread_affinity_offset = -1;  // worker i runs on core offset + i; no pinning if negative
  int max_episode_steps = std::numeric_limits<int>::max();  // where all are of one type
  std::vector<Kind> kinds;                                  // of its environments
  std::vector<int> kind_of;          // an index of these per environment; empty: all are the first
  std::vector<std::uint64_t> seeds;  // one per environment
  std::vector<Options> options;      // one for all environments, or one each
  AutoresetMode autoreset_mode = AutoresetMode::kNextStep;
  LayoutConfig layout;
  std::int64_t most_failures = 0;  // of environments, that are survived: see FailureBudget
  std::string record;  // the file, not there yet, of a recording of all that happens; empty: none

  std::size_t KindIndex(std::size_t env) const {
    return kind_of.empty() ? 0 : static_cast<std::size_t>(kind_of[env]);
  }
  const Kind& KindOf(std::size_t env) const { return kinds[KindIndex(env)]; }
  const Options& OptionsOf(std::size_t env) const { return options[env % options.size()]; }

  bool IsSynchronous() const { return batch_size == num_envs; }
};

}  // namespace envpool
