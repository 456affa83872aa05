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
#include <stdexcept>
#include <thread>
#include <utility>

#include "threads/interrupt.h"
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

// An object that can only be reached with its mutex held. A function that takes a T& from here says
// with it that the mutex is held; no comment need say so.
template <class T>
class Guarded {
 public:
  template <class... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_{std::forward<Arguments>(arguments)...} {}

  // Holds the mutex for as long as it lives.
  class Access {
   public:
    explicit Access(Guarded& guarded) : lock_(guarded.mutex_), value_(guarded.value_) {}
    T& operator*() const { return value_; }
    T* operator->() const { return &value_; }

   private:
    std::unique_lock<std::mutex> lock_;
    T& value_;
  };

  [[nodiscard]] Access Lock() { return Access(*this); }

 private:
  std::mutex mutex_;
  T value_;
};

// A mutex whose waiters can be interrupted now and then.
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

// How many are still at work in a pool, so that whoever closes it can wait for them.
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
