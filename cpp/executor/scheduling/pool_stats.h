// PoolStats: what a pool did and where its time went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool {

struct PoolStats {
  std::int64_t elapsed_ns = 0;
  std::int64_t steps = 0;
  std::int64_t episodes = 0;
  std::int64_t batches = 0;           // received
  std::int64_t batch_age_ns = 0;      // sum over batches: from being ready to being received
  std::int64_t receive_wait_ns = 0;   // callers waiting for a batch
  std::int64_t caller_busy_ns = 0;    // callers running environments themselves meanwhile
  std::vector<std::int64_t> busy_ns;  // each worker running environments
  std::vector<std::int64_t> idle_ns;  // each worker waiting for requests

  // What came after `start`.
  PoolStats Since(const PoolStats& start) const {
    PoolStats result = *this;
    result.elapsed_ns -= start.elapsed_ns;
    result.steps -= start.steps;
    result.episodes -= start.episodes;
    result.batches -= start.batches;
    result.batch_age_ns -= start.batch_age_ns;
    result.receive_wait_ns -= start.receive_wait_ns;
    result.caller_busy_ns -= start.caller_busy_ns;
    for (std::size_t i = 0; i < start.busy_ns.size(); ++i) {
      result.busy_ns[i] -= start.busy_ns[i];
      result.idle_ns[i] -= start.idle_ns[i];
    }
    return result;
  }
};

}  // namespace envpool
