// SharedGate: lets processes sleep until a condition on atomics in shared memory holds.
//
// It is Gate (threads/gate.h) across processes, and no wake-up is lost for the same reason: a
// sleeper announces itself before it tests the condition, a waker makes the condition true before
// it asks for sleepers. A waker that comes in between changes `signal_`, and the kernel lets nobody
// sleep who has read an older one. A process may be killed at any point of it: what it leaves
// behind is one sleeper too many, which costs a system call.
//
// Sleepers that wait for different things have groups, so that one system call wakes just those of
// several groups: each call costs as much as waking somebody does.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "platform/platform.h"
#include "threads/machine.h"

namespace envpool {

// Counts who sleeps at a gate and waits for the same event.
class Sleepers {
 public:
  // Nobody sleeps here: those who did were killed.
  void Clear() { count_.store(0); }

 private:
  friend class SharedGate;
  std::atomic<std::uint32_t> count_ = 0;
};

class SharedGate {
 public:
  // A set of groups. Of more than there are bits some are woken together, for no reason.
  using Groups = std::uint32_t;
  static constexpr Groups GroupOf(std::size_t number) { return Groups{1} << number % 32; }

  // Sleeps until ready(), until the time is over, or for no reason; returns ready().
  template <class Ready>
  bool WaitFor(Sleepers& sleepers, Groups groups, Duration duration, Ready ready) {
    sleepers.count_.fetch_add(1);
    const std::uint32_t signal = signal_.load();
    bool result = ready();
    if (!result) {
      Sleep(signal, groups, duration);
      result = ready();
    }
    sleepers.count_.fetch_sub(1);
    return result;
  }

  // The set of one group if somebody of it has to be woken, and else none.
  static Groups ToWake(const Sleepers& sleepers, Groups group) {
    return sleepers.count_.load() == 0 ? 0 : group;
  }
  void Wake(Groups groups) {
    if (groups == 0) return;
    signal_.fetch_add(1);
    WakeSleepers(Word(), groups);
  }

 private:
  std::uint32_t* Word() { return reinterpret_cast<std::uint32_t*>(&signal_); }

  void Sleep(std::uint32_t signal, Groups groups, Duration duration) {
    SleepOn(Word(), signal, groups, std::clamp(duration, Duration::zero(), Duration(kLongest)));
  }

  static constexpr std::chrono::hours kLongest{24};

  std::atomic<std::uint32_t> signal_ = 0;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace envpool
