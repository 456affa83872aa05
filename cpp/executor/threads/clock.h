// The clock that everything in the executor goes by.
#pragma once

#include <chrono>

namespace envpool {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;

}  // namespace envpool
