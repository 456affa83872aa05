// What callers ask of a pool's environments in one call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "environments/action_store.h"
#include "envpool/options.h"
#include "results/slots.h"

namespace envpool {

// Letters are for environments written in Python: bytes that only they understand, one string per
// id, which may be empty, or none at all.

struct StepRequest {
  std::span<const std::int32_t> env_ids;
  std::span<const ArrayView> actions = {};  // one array per field of the action
  std::span<const std::string> letters = {};
  Slots* slots = nullptr;  // where the results go; null: into the pool's own memory
};

struct ResetRequest {
  std::span<const std::int32_t> env_ids;
  // One per id, or none at all: environments without one go on with their random generator.
  std::span<const std::optional<std::uint64_t>> seeds = {};
  std::span<const std::shared_ptr<const Options>> options = {};  // one per kind; or the defaults
  // Give all other environments a row too, with what they would observe now. All rows are in the
  // order of the ids then. Only for synchronous pools.
  bool observe_others = false;
  std::span<const std::string> letters = {};
  // What a recording says of the options: them as JSON, one text per kind or one for all, or why
  // they are lost.
  std::span<const std::string> noted_options = {};
  std::string_view lost_options = {};
  Slots* slots = nullptr;  // whose first one the results go into; or null, as for steps
};

}  // namespace envpool
