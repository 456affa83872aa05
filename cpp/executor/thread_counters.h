// ThreadCounters: what one thread of a pool did and how long it took.
//
// Only the thread itself writes them, so counting needs no locked instruction; anybody may read.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace envpool {

class alignas(64) ThreadCounters {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Totals {
    std::int64_t steps = 0;
    std::int64_t episodes = 0;
    std::int64_t busy_ns = 0;  // running environments
    std::int64_t idle_ns = 0;  // waiting for requests
  };

  // `start` may be a time that the caller has anyway: the clock costs as much as a light step.
  void BeginWork(Time start) { Set(busy_since_, Nanoseconds(start)); }
  void EndWork(Time end, std::int64_t steps, std::int64_t episodes) {
    Add(steps_, steps);
    Add(episodes_, episodes);
    Stop(busy_since_, busy_ns_, end);
  }

  // The thread waits for as long as this lives.
  class Rest {
   public:
    explicit Rest(ThreadCounters& counters) : counters_(counters) {
      Set(counters.idle_since_, Nanoseconds(std::chrono::steady_clock::now()));
    }
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest() { Stop(counters_.idle_since_, counters_.idle_ns_, std::chrono::steady_clock::now()); }

   private:
    ThreadCounters& counters_;
  };

  // What it is doing at the moment included.
  Totals Read(Time now) const {
    return {Get(steps_), Get(episodes_), Total(busy_ns_, busy_since_, now),
            Total(idle_ns_, idle_since_, now)};
  }

 private:
  using Counter = std::atomic<std::int64_t>;

  static std::int64_t Nanoseconds(Time time) { return time.time_since_epoch().count(); }
  static std::int64_t Get(const Counter& counter) {
    return counter.load(std::memory_order_acquire);
  }
  static void Set(Counter& counter, std::int64_t value) {
    counter.store(value, std::memory_order_release);
  }
  static void Add(Counter& counter, std::int64_t amount) { Set(counter, Get(counter) + amount); }

  // The total is written last and read first. So a reader may miss the time that is running, but
  // never counts it twice.
  static std::int64_t Total(const Counter& total, const Counter& since, Time now) {
    const std::int64_t before = Get(total);
    const std::int64_t start = Get(since);
    return before + (start == 0 ? 0 : std::max<std::int64_t>(Nanoseconds(now) - start, 0));
  }
  static void Stop(Counter& since, Counter& total, Time end) {
    const std::int64_t start = Get(since);
    Set(since, 0);
    Add(total, Nanoseconds(end) - start);
  }

  Counter steps_ = 0;
  Counter episodes_ = 0;
  Counter busy_ns_ = 0;
  Counter idle_ns_ = 0;
  Counter busy_since_ = 0;  // 0: not at it
  Counter idle_since_ = 0;
};

}  // namespace envpool
