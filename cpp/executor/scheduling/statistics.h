// Statistics: what all threads of a pool have counted, since the last new start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/scheduling/pool_stats.h"
#include "executor/scheduling/thread_counters.h"
#include "executor/threads/clock.h"

namespace envpool {

class Statistics {
 public:
  // Of the receiver and `num_threads` workers.
  explicit Statistics(int num_threads) : totals_(1 + static_cast<std::size_t>(num_threads)) {}

  // A batch was received, which had been ready for so long.
  void CountBatch(Duration age) {
    ++batches_;
    batch_age_ns_ += age.count();
  }

  // `counters` are the receiver's, then one per worker. `restart` makes this a new start.
  PoolStats Read(std::span<const ThreadCounters> counters, bool restart);

 private:
  PoolStats ReadAll(std::span<const ThreadCounters> counters);

  const Clock::time_point created_ = Clock::now();
  std::vector<ThreadCounters::Totals> totals_;  // what the counters said when they were read last
  std::int64_t batches_ = 0;
  std::int64_t batch_age_ns_ = 0;
  PoolStats start_;  // subtracted from what all counters say
};

}  // namespace envpool
