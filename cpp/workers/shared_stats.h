// SharedStats: what a pool and its workers did, and where the time went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool {

struct SharedStats {
  std::int64_t elapsed_ns = 0;
  std::int64_t batches = 0;          // received
  std::int64_t receive_wait_ns = 0;  // callers waiting for a batch
  // Of each worker.
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> episodes;
  std::vector<std::int64_t> env_ns;   // inside of environments
  std::vector<std::int64_t> copy_ns;  // writing results
  std::vector<std::int64_t> idle_ns;  // waiting for requests

  // What came after `start`, which may be empty.
  SharedStats Since(const SharedStats& start) const {
    SharedStats result = *this;
    result.elapsed_ns -= start.elapsed_ns;
    result.batches -= start.batches;
    result.receive_wait_ns -= start.receive_wait_ns;
    for (std::size_t i = 0; i < start.steps.size(); ++i) {
      result.steps[i] -= start.steps[i];
      result.episodes[i] -= start.episodes[i];
      result.env_ns[i] -= start.env_ns[i];
      result.copy_ns[i] -= start.copy_ns[i];
      result.idle_ns[i] -= start.idle_ns[i];
    }
    return result;
  }
};

}  // namespace envpool
