// InterruptibleMutex: a mutex whose waiters can be interrupted now and then.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "executor/gate.h"

namespace envpool {

// How long a thread may wait without looking whether it was interrupted.
inline constexpr std::chrono::nanoseconds kInterruptPeriod = std::chrono::milliseconds(50);

class InterruptibleMutex {
 public:
  static constexpr const char* kHeldByThisThread =
      "the pool was called by a signal handler during another call";

  using Time = std::chrono::steady_clock::time_point;

  // Holds the mutex for as long as it lives, unless the time is over before that. While it waits,
  // it calls `interrupt` again and again, which ends the wait by throwing. Throws if this thread
  // holds the mutex already: an interrupt runs Python's signal handlers, and they may call
  // anything.
  class Lock {
   public:
    template <class Interrupt>
    Lock(InterruptibleMutex& mutex, Interrupt interrupt, Time deadline = Time::max())
        : mutex_(mutex) {
      mutex_.CheckNotHeldByThisThread();
      while (mutex_.locked_.exchange(true)) {
        if (std::chrono::steady_clock::now() >= deadline) return;
        const auto free = [this] { return !mutex_.locked_.load(); };
        if (!mutex_.gate_.WaitFor(Period(deadline), free)) interrupt();
      }
      is_held_ = true;
      mutex_.holder_.store(std::this_thread::get_id());
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
      if (!is_held_) return;
      mutex_.holder_.store(std::thread::id());
      mutex_.locked_.store(false);
      mutex_.gate_.Notify(1);
    }

    bool IsHeld() const { return is_held_; }

   private:
    static std::chrono::nanoseconds Period(Time deadline) {
      if (deadline == Time::max()) return kInterruptPeriod;
      return std::min<std::chrono::nanoseconds>(kInterruptPeriod,
                                                deadline - std::chrono::steady_clock::now());
    }

    InterruptibleMutex& mutex_;
    bool is_held_ = false;
  };

  void CheckNotHeldByThisThread() const {
    if (holder_.load() == std::this_thread::get_id()) {
      throw std::runtime_error(kHeldByThisThread);
    }
  }

 private:
  std::atomic<bool> locked_ = false;
  std::atomic<std::thread::id> holder_;
  Gate gate_;
};

}  // namespace envpool
