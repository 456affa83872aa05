// InterruptibleMutex: a mutex whose waiters can be interrupted now and then.
#pragma once

#include <atomic>
#include <stdexcept>
#include <thread>

#include "threads/gate.h"
#include "threads/interrupt.h"

namespace envpool {

class InterruptibleMutex {
 public:
  using Time = Clock::time_point;

  // Holds the mutex for as long as it lives, unless the time is over before that. While it waits,
  // it calls `interrupt` again and again, which ends the wait by throwing. Throws if this thread
  // holds the mutex already: an interrupt runs Python's signal handlers, and they may call
  // anything.
  class Lock {
   public:
    Lock(InterruptibleMutex& mutex, Interrupt interrupt, Time deadline = Time::max())
        : mutex_(mutex) {
      mutex_.CheckNotHeldByThisThread();
      while (mutex_.locked_.exchange(true)) {
        if (Clock::now() >= deadline) return;
        const auto free = [this] { return !mutex_.locked_.load(); };
        if (!mutex_.gate_.WaitFor(PeriodUntil(deadline), free)) interrupt();
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
    InterruptibleMutex& mutex_;
    bool is_held_ = false;
  };

  bool IsHeldByThisThread() const { return holder_.load() == std::this_thread::get_id(); }
  void CheckNotHeldByThisThread() const {
    if (IsHeldByThisThread()) throw std::runtime_error(kCalledByHandler);
  }

 private:
  std::atomic<bool> locked_ = false;
  std::atomic<std::thread::id> holder_;
  Gate gate_;
};

}  // namespace envpool
