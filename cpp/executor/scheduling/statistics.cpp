#include "executor/scheduling/statistics.h"

namespace envpool {

PoolStats Statistics::ReadAll(std::span<const ThreadCounters> counters) {
  PoolStats stats;
  stats.batches = batches_;
  stats.batch_age_ns = batch_age_ns_;
  for (std::size_t thread = 0; thread < counters.size(); ++thread) {
    ThreadCounters::Totals& totals = totals_[thread];
    counters[thread].Update(totals);
    stats.steps += totals.steps;
    stats.episodes += totals.episodes;
    if (thread == 0) {
      stats.caller_busy_ns = totals.busy_ns;
      stats.receive_wait_ns = totals.idle_ns;
    } else {
      stats.busy_ns.push_back(totals.busy_ns);
      stats.idle_ns.push_back(totals.idle_ns);
    }
  }
  stats.elapsed_ns = Duration(Clock::now() - created_).count();
  return stats;
}

PoolStats Statistics::Read(std::span<const ThreadCounters> counters, bool restart) {
  const PoolStats now = ReadAll(counters);
  PoolStats stats = now.Since(start_);
  if (restart) start_ = now;
  return stats;
}

}  // namespace envpool
