// Attendance: how many are still at work in a pool, so that whoever closes it can wait for them.
#pragma once

#include <atomic>

#include "threads/gate.h"
#include "threads/interrupt.h"

namespace envpool {

class Attendance {
 public:
  void Enter() { present_.fetch_add(1); }
  void Leave() {
    present_.fetch_sub(1);
    gate_.NotifyAll();
  }

  bool IsEmpty() const { return present_.load() == 0; }

  // Waits until nobody is there. Returns false when the time is over; then, and if `interrupt`
  // throws meanwhile, they stay.
  bool AwaitEmpty(Interrupt interrupt, Clock::time_point deadline) {
    while (!gate_.WaitFor(PeriodUntil(deadline), [this] { return IsEmpty(); })) {
      if (Clock::now() >= deadline) return false;
      interrupt();
    }
    return true;
  }

 private:
  std::atomic<int> present_ = 0;
  // A gate of their own: they leave while others hold the pool's desk, and the condition of this
  // gate asks for no lock.
  Gate gate_;
};

}  // namespace envpool
