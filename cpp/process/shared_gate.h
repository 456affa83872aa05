// SharedGate: lets a process sleep until a condition on atomics in shared memory holds.
//
// It is Gate (executor/gate.h) across processes, and no wake-up is lost for the same reason: a
// sleeper announces itself before it tests the condition, a waker makes the condition true before
// it asks for sleepers. A waker that comes in between changes `signal_`, and the kernel lets nobody
// sleep who has read an older one. A process may be killed at any point of it: what it leaves
// behind is one sleeper too many, which costs a system call.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>

#include "executor/clock.h"

namespace envpool {

class SharedGate {
 public:
  // Sleeps until ready(), until the time is over, or for no reason; returns ready().
  template <class Ready>
  bool WaitFor(Duration duration, Ready ready) {
    sleepers_.fetch_add(1);
    const std::uint32_t signal = signal_.load();
    bool result = ready();
    if (!result) {
      Sleep(signal, duration);
      result = ready();
    }
    sleepers_.fetch_sub(1);
    return result;
  }

  void Notify() {
    if (sleepers_.load() == 0) return;
    signal_.fetch_add(1);
    syscall(SYS_futex, Word(), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

  // Nobody sleeps here: those who did were killed.
  void Clear() { sleepers_.store(0); }

 private:
  std::uint32_t* Word() { return reinterpret_cast<std::uint32_t*>(&signal_); }

  void Sleep(std::uint32_t signal, Duration duration) {
    const auto nanoseconds = std::max<std::int64_t>(duration.count(), 0);
    timespec time;
    time.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    time.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    syscall(SYS_futex, Word(), FUTEX_WAIT, signal, &time, nullptr, 0);
  }

  std::atomic<std::uint32_t> signal_ = 0;
  std::atomic<std::uint32_t> sleepers_ = 0;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace envpool
