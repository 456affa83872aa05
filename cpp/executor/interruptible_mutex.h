// InterruptibleMutex: a mutex whose waiters can be interrupted now and then.
#pragma once

#include <atomic>
#include <chrono>

#include "executor/gate.h"

namespace envpool {

// How long a thread may wait without looking whether it was interrupted.
inline constexpr std::chrono::nanoseconds kInterruptPeriod = std::chrono::milliseconds(50);

class InterruptibleMutex {
 public:
  // Holds the mutex for as long as it lives. While it waits, it calls `interrupt` again and again,
  // which ends the wait by throwing.
  class Lock {
   public:
    template <class Interrupt>
    Lock(InterruptibleMutex& mutex, Interrupt interrupt) : mutex_(mutex) {
      while (mutex_.locked_.exchange(true)) {
        const auto free = [this] { return !mutex_.locked_.load(); };
        if (!mutex_.gate_.WaitFor(kInterruptPeriod, free)) interrupt();
      }
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
      mutex_.locked_.store(false);
      mutex_.gate_.Notify(1);
    }

   private:
    InterruptibleMutex& mutex_;
  };

 private:
  std::atomic<bool> locked_ = false;
  Gate gate_;
};

}  // namespace envpool
