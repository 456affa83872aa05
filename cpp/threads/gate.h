// Gate: lets threads sleep until a condition on atomics holds, and costs the waker one load while
// nobody sleeps.
//
// Why no wake-up is lost: a sleeper first announces itself (waiters_), then tests the condition
// under the mutex, then sleeps. A waker first makes the condition true, then reads waiters_. All
// four are sequentially consistent, so either the waker sees the sleeper and takes the mutex before
// it notifies, by which time the sleeper has either seen the condition or really sleeps; or the
// sleeper's announcement came later, and then its test sees the condition. The condition must
// therefore be read and written with sequentially consistent operations.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "threads/machine.h"

namespace envpool {

class Gate {
 public:
  // Sleeps until ready() or until the time is over; returns ready().
  template <class Ready>
  bool WaitFor(std::chrono::nanoseconds duration, Ready ready) {
    waiters_.fetch_add(1);
    std::unique_lock lock(mutex_);
    const bool result = condition_.wait_for(lock, duration, ready);
    lock.unlock();
    waiters_.fetch_sub(1);
    return result;
  }

  template <class Ready>
  void Wait(Ready ready) {
    waiters_.fetch_add(1);
    std::unique_lock lock(mutex_);
    condition_.wait(lock, ready);
    lock.unlock();
    waiters_.fetch_sub(1);
  }

  int Waiters() const { return waiters_.load(); }

  // Wakes up to `count` sleepers.
  void Notify(int count) {
    const int waiters = waiters_.load();
    if (count <= 0 || waiters == 0) return;
    {
      const std::lock_guard lock(mutex_);
    }
    if (count >= waiters) {
      condition_.notify_all();
    } else {
      for (int i = 0; i < count; ++i) condition_.notify_one();
    }
  }

  void NotifyAll() { Notify(waiters_.load()); }

 private:
  std::atomic<int> waiters_ = 0;
  std::mutex mutex_;
  std::condition_variable condition_;
};

}  // namespace envpool
