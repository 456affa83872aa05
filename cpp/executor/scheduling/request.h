// Request: what a caller wants of one environment, on its way to the thread that does it.
#pragma once

#include <cstdint>

namespace envpool {

class Batch;

// What an environment's last request cost, and with it how the next one is scheduled.
enum class Cost : std::uint8_t {
  kUnknown,   // not measured yet: treated as heavy
  kLight,     // under about a microsecond: claimed several at a time
  kModerate,  // claimed one at a time
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

}  // namespace envpool
