// Statistics: what the threads or processes of a pool did, and where the time went.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "threads/machine.h"

namespace envpool {

// What a thread or a process has counted.
struct WorkerTotals {
  std::int64_t steps = 0;
  std::int64_t episodes = 0;  // that ended
  std::int64_t busy_ns = 0;   // running environments
  std::int64_t copy_ns = 0;   // writing results, where that is told from running
  std::int64_t idle_ns = 0;   // waiting for requests; callers: for a batch
};

struct PoolStats {
  std::int64_t elapsed_ns = 0;
  std::int64_t batches = 0;       // received
  std::int64_t batch_age_ns = 0;  // sum over batches: from being ready to being received
  std::int64_t failures = 0;      // of environments that were reset for it
  std::int64_t judged = 0;        // episodes that callers have ended
  WorkerTotals caller;            // what callers do themselves while they wait
  std::vector<WorkerTotals> workers;

  std::int64_t Steps() const { return Sum(&WorkerTotals::steps); }
  std::int64_t Episodes() const { return judged + Sum(&WorkerTotals::episodes); }

  // What came after `start`.
  PoolStats Since(const PoolStats& start) const;

 private:
  std::int64_t Sum(std::int64_t WorkerTotals::* number) const {
    std::int64_t sum = caller.*number;
    for (const WorkerTotals& worker : workers) sum += worker.*number;
    return sum;
  }
};

// What one thread of a pool did and how long it took. Only the thread itself writes it, so counting
// needs no locked instruction; anybody may read.
class alignas(kCacheLine) ThreadCounters {
 public:
  using Time = Clock::time_point;

  void BeginWork(Time start) { Begin(busy_ns_, start); }
  void EndWork(Time end, std::int64_t steps, std::int64_t episodes) {
    Add(steps_, steps);
    Add(episodes_, episodes);
    End(busy_ns_, end);
    ++claims_;
  }

  // How many claims it has run; for the thread itself.
  std::int64_t Claims() const { return claims_; }

  // The thread waits for as long as this lives.
  class Rest {
   public:
    explicit Rest(ThreadCounters& counters) : counters_(counters) {
      Begin(counters.idle_ns_, Clock::now());
    }
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest() { End(counters_.idle_ns_, Clock::now()); }

   private:
    ThreadCounters& counters_;
  };

  // Brings an earlier reading up to date, what the thread is doing at the moment included. As that
  // may end during the reading, a time can be read as a little too long; none ever gets shorter.
  void Update(WorkerTotals& totals) const {
    totals.steps = Get(steps_);
    totals.episodes = Get(episodes_);
    totals.busy_ns = std::max(totals.busy_ns, Elapsed(busy_ns_));
    totals.idle_ns = std::max(totals.idle_ns, Elapsed(idle_ns_));
  }

 private:
  using Counter = std::atomic<std::int64_t>;

  static std::int64_t Nanoseconds(Time time) { return time.time_since_epoch().count(); }
  static std::int64_t Get(const Counter& counter) {
    return counter.load(std::memory_order_relaxed);
  }
  static void Add(Counter& counter, std::int64_t amount) {
    counter.store(Get(counter) + amount, std::memory_order_relaxed);
  }

  // A time that goes on is held as what it was less the start. That is negative: the clock began
  // before the thread did. One number is always consistent, which two would not be.
  static void Begin(Counter& time, Time start) { Add(time, -Nanoseconds(start)); }
  static void End(Counter& time, Time end) { Add(time, Nanoseconds(end)); }
  static std::int64_t Elapsed(const Counter& time) {
    const std::int64_t value = Get(time);
    return value < 0 ? value + Nanoseconds(Clock::now()) : value;
  }

  Counter steps_ = 0;
  Counter episodes_ = 0;
  Counter busy_ns_ = 0;
  Counter idle_ns_ = 0;
  std::int64_t claims_ = 0;
};
static_assert(sizeof(ThreadCounters) == kCacheLine, "no two threads write to one line");

// What all of a pool have counted, since the last new start.
class Statistics {
 public:
  explicit Statistics(int num_workers) {
    all_.workers.resize(static_cast<std::size_t>(num_workers));
  }

  // A batch was received, which had been ready for so long.
  void CountBatch(Duration age) {
    ++all_.batches;
    all_.batch_age_ns += age.count();
  }

  // A caller has ended an episode.
  void CountJudged() { ++all_.judged; }

  // `update` brings the totals of callers and workers up to date. `restart` makes this a new start.
  PoolStats Read(const std::function<void(PoolStats&)>& update, bool restart);

 private:
  const Clock::time_point created_ = Clock::now();
  PoolStats all_;    // since the creation, as it was read last
  PoolStats start_;  // subtracted from that
};

}  // namespace envpool
