// EpisodeEnd: how an episode ended, or how far it has come.
#pragma once

#include <cstdint>

#include "executor/environments/slot.h"
#include "loading/pool_config.h"

namespace envpool {

// Plain data, also in shared memory.
struct EpisodeEnd {
  double episode_return = 0.0;
  std::int32_t length = 0;
  bool terminated = false;
  bool truncated = false;
  bool continues = false;  // its game goes on
  bool failed = false;     // the environment has, in the step after these
};

// Of an environment's last request: of the episode that was over in it, or that goes on.
EpisodeEnd EndOf(const Slot& slot, const Rare& rare, AutoresetMode mode);

}  // namespace envpool
