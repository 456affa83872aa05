// Snapshot: an environment's state as bytes that can be stored, and are refused where they don't
// belong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/options.h"

namespace envpool {

// What an environment must have in common with the one whose state it takes over.
struct SnapshotKey {
  std::string type;
  std::uint32_t state_version;
  std::vector<std::string> settings;  // see DescribeSettings and Env::Fingerprint
};

// All that makes one environment of a type go on differently from another, as "name=value".
std::vector<std::string> DescribeSettings(const Options& options, int max_episode_steps);

std::string SealSnapshot(const SnapshotKey& key, std::string state);

// The state in a snapshot. Throws std::invalid_argument, with a message that begins with `name`, if
// these bytes are no snapshot, are damaged, or were sealed with another key.
std::string OpenSnapshot(const SnapshotKey& key, std::string_view snapshot,
                         const std::string& name);

}  // namespace envpool
