// Request: what a caller wants of one environment, on its way to the thread that does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "threads/machine.h"

namespace envpool {

class Batch;

// What an environment's last request cost, and with it how the next one is scheduled.
enum class Cost : std::uint8_t {
  kUnknown,   // not measured yet: treated as heavy
  kLight,     // under about a microsecond: claimed several at a time
  kModerate,  // claimed one at a time, or as many as step together
  kHeavy,     // so long that the calling thread leaves it to the workers
};

// Short enough for a caller that must be able to notice Ctrl-C.
constexpr bool IsQuick(Cost cost) { return cost == Cost::kLight || cost == Cost::kModerate; }

struct Request {
  std::uint32_t env;
  // Where the result goes. In an asynchronous pool that is only known once it is there.
  std::uint32_t row;
  Batch* batch;
  Cost cost;
};

// What a scheduler's threads do with the requests that they claimed.
class Runner {
 public:
  // What requests turned out to be.
  struct Tally {
    int steps = 0;
    int episodes = 0;  // that ended
    // What the environments took of the time, if that was to be measured: without waiting for rows,
    // and for what other threads write to the same lines of the cache.
    std::optional<Duration> environments = {};
  };

  // Runs the environments and writes their results. Called by any number of threads at a time, for
  // different environments. Must not throw: what fails becomes a result.
  virtual Tally Run(std::span<Request> requests, bool is_measured) = 0;

  // Hands the results over, which were complete at `now`. From here on the environments belong to
  // the callers again.
  virtual void Publish(std::span<const Request> requests, Clock::time_point now) = 0;

 protected:
  ~Runner() = default;
};

}  // namespace envpool
