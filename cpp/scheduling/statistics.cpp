#include "scheduling/statistics.h"

namespace envpool {

namespace {

void Subtract(WorkerTotals& totals, const WorkerTotals& start) {
  totals.steps -= start.steps;
  totals.episodes -= start.episodes;
  totals.busy_ns -= start.busy_ns;
  totals.copy_ns -= start.copy_ns;
  totals.idle_ns -= start.idle_ns;
}

}  // namespace

PoolStats PoolStats::Since(const PoolStats& start) const {
  PoolStats result = *this;
  result.elapsed_ns -= start.elapsed_ns;
  result.batches -= start.batches;
  result.batch_age_ns -= start.batch_age_ns;
  result.failures -= start.failures;
  result.judged -= start.judged;
  Subtract(result.caller, start.caller);
  for (std::size_t i = 0; i < start.workers.size(); ++i) {
    Subtract(result.workers[i], start.workers[i]);
  }
  return result;
}

PoolStats Statistics::Read(const std::function<void(PoolStats&)>& update, bool restart) {
  update(all_);
  all_.elapsed_ns = Duration(Clock::now() - created_).count();
  PoolStats stats = all_.Since(start_);
  if (restart) start_ = all_;
  return stats;
}

}  // namespace envpool
