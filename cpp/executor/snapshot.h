// Snapshot: an environment's state as bytes that can be stored, and are refused where they don't
// belong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "envpool/options.h"

namespace envpool {

// What an environment must have in common with the one whose state it takes over.
struct SnapshotKey {
  std::string type;
  std::uint32_t state_version;
  std::uint64_t options;  // hash of all that makes one environment of a type go on differently
};

// The same number for the same options and episode length, in all processes.
std::uint64_t HashOptions(const Options& options, int max_episode_steps);

std::string SealSnapshot(const SnapshotKey& key, std::string state);

// The state in a snapshot. Throws std::invalid_argument, with a message that begins with `name`, if
// these bytes are no snapshot, are damaged, or were sealed with another key.
std::string OpenSnapshot(const SnapshotKey& key, std::string_view snapshot,
                         const std::string& name);

}  // namespace envpool
