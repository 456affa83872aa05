// Interrupt: how a caller that waits notices Ctrl-C.
#pragma once

#include <algorithm>
#include <chrono>

#include "threads/machine.h"

namespace envpool {

// Called every now and then by a thread that waits; ends the wait by throwing. It runs Python's
// signal handlers, which may call anything: no lock may be held meanwhile that a call needs.
using Interrupt = void (*)();
inline void DontInterrupt() {}

// How long a thread may wait without looking whether it was interrupted.
inline constexpr Duration kInterruptPeriod = std::chrono::milliseconds(50);
inline Duration PeriodUntil(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return kInterruptPeriod;
  return std::min<Duration>(kInterruptPeriod, deadline - Clock::now());
}

// For a loop that is not a wait: notices an interrupt every now and then.
class InterruptTimer {
 public:
  explicit InterruptTimer(Interrupt interrupt, Clock::time_point now = Clock::now())
      : interrupt_(interrupt), last_(now) {}
  // At the time `now`. Returns the time afterwards.
  Clock::time_point Check(Clock::time_point now = Clock::now()) {
    if (now - last_ < kInterruptPeriod) return now;
    interrupt_();
    return last_ = Clock::now();
  }

 private:
  const Interrupt interrupt_;
  Clock::time_point last_;
};

// What such a handler is told where it would wait for the call that it interrupted.
inline constexpr const char* kCalledByHandler =
    "the pool was called by a signal handler during another call";

}  // namespace envpool
