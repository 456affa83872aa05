// Status: what callers know of an environment.
#pragma once

#include <cstdint>

namespace envpool {

enum class Status : std::uint8_t {
  kIdle,
  kInFlight,
  kBroken,       // failed, and not reset since
  kEpisodeOver,  // must be reset before it can be stepped; only without auto-reset
  // Lent to a call that takes long:
  kRendering,  // a picture of it is being drawn
  kSaving,     // its state is being read
  kChanging,   // it is being given another state or other options
};

// What a call wants of an environment decides which status it refuses.
enum class Purpose : std::uint8_t {
  kStep,
  kReset,  // mends what has failed
  kState,
};

}  // namespace envpool
