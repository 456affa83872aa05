// ResetRequest: which environments of a pool a caller resets, and how.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "envpool/options.h"

namespace envpool {

struct ResetRequest {
  std::span<const std::int32_t> env_ids;
  // One per id, or none at all: environments without one go on with their random generator.
  std::span<const std::optional<std::uint64_t>> seeds = {};
  std::span<const std::shared_ptr<const Options>> options = {};  // one per kind; or the defaults
  // Give all other environments a row too, with what they would observe now. All rows are in the
  // order of the ids then. Only for synchronous pools.
  bool observe_others = false;
};

}  // namespace envpool
