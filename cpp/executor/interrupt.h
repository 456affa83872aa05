// Interrupt: how a caller that waits notices Ctrl-C.
#pragma once

#include <chrono>

#include "executor/clock.h"

namespace envpool {

// Called every now and then by a thread that waits; ends the wait by throwing. It runs Python's
// signal handlers, which may call anything: no lock may be held meanwhile that a call needs.
using Interrupt = void (*)();
inline void DontInterrupt() {}

// How long a thread may wait without looking whether it was interrupted.
inline constexpr Duration kInterruptPeriod = std::chrono::milliseconds(50);

// What such a handler is told where it would wait for the call that it interrupted.
inline constexpr const char* kCalledByHandler =
    "the pool was called by a signal handler during another call";

}  // namespace envpool
