// Scheduler: who runs when. It has the queue and the threads, and knows of environments only their
// numbers and what their steps cost.
//
// A sender appends requests. Worker threads, and the caller that waits for the results, claim some
// of them at a time and have the Runner run them: in synchronous pools the caller claims all that
// is quick, in asynchronous ones at most what is light.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "scheduling/costs.h"
#include "scheduling/request.h"
#include "scheduling/request_lanes.h"
#include "scheduling/staffing.h"
#include "scheduling/statistics.h"
#include "threads/gate.h"

namespace envpool {

struct SchedulerConfig {
  std::size_t num_envs = 1;
  int num_threads = 1;            // 0: the caller does all of the work
  int affinity_offset = -1;       // worker i runs on core offset + i; no pinning if negative
  bool caller_works = false;      // see Staffing
  std::size_t most_together = 1;  // how many moderate requests are claimed at once
  Duration light_step = Costs::kLightStep;  // see Costs
};

class Scheduler {
 public:
  // The threads enter `attendance` and leave it when they end.
  Scheduler(const SchedulerConfig& config, Runner& runner, Attendance& attendance);

  bool CallerWorks() const { return staffing_.CallerWorks(); }
  const std::vector<ThreadCounters>& Counters() const { return counters_; }

  // The callers' side, one call at a time.

  // All of the threads, or none if that fails. Does nothing if they are there.
  void Start();
  bool IsStarted() const {
    return threads_.size() == static_cast<std::size_t>(config_.num_threads);
  }
  // Queues a request for each of these environments, which are not running, with its result in the
  // row of `batch` that the id has here. `caller_stays`: the caller will wait for the results.
  void Enqueue(std::span<const std::int32_t> env_ids, Batch* batch, bool caller_stays);
  void ForgetCost(std::size_t env) { costs_.Forget(env); }

  // Makes the workers end as soon as they have finished what they are at.
  void RequestStop();
  bool IsStopping() const { return stopping_.load(); }
  // Waits for them, and drops what they have left.
  void FinishStop();

  // The receiver's side, one thread at a time.

  // Runs a claim of requests, if the caller helps and there are some for it. `now` becomes the time
  // when that is done.
  bool Help(Clock::time_point& now) {
    return staffing_.CallerHelps() && ClaimAndRun(0, false, counters_[0], now);
  }
  // True if it may wait without sleeping.
  bool HasCoreForReceiver() const { return staffing_.HasCoreForCaller(); }
  // Requests have waited for long: perhaps a light one was not so light.
  void CallForMore();
  ThreadCounters& ReceiverCounters() { return counters_[0]; }

 private:
  static constexpr std::size_t kMaxClaim = 64;
  static constexpr std::size_t kMinLanes = 8;  // where several threads run

  static std::size_t CountLaneOwners(const SchedulerConfig& config, std::size_t cores);
  static std::size_t CountLanes(const SchedulerConfig& config, std::size_t cores);

  std::size_t LaneOwner(std::size_t worker) const;
  void Work(std::size_t worker);
  void Rest(ThreadCounters& counters);
  std::size_t ClaimLimit(Cost cost, std::size_t waiting) const;
  std::size_t RunLength(std::span<const std::int32_t> env_ids, Cost cost) const;
  bool ClaimAndRun(std::size_t owner, bool is_worker, ThreadCounters& counters,
                   Clock::time_point& now);
  void CallForHelp(Cost cost);
  void Run(std::span<Request> requests, ThreadCounters& counters, Clock::time_point& now);

  const SchedulerConfig config_;
  const std::size_t cores_;  // asking the system costs microseconds
  Runner& runner_;
  Attendance& attendance_;
  Costs costs_;
  RequestLanes requests_;
  std::vector<ThreadCounters> counters_;  // the receiver's, then one per worker
  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_ = false;
  Staffing staffing_;
  Gate work_gate_;  // workers sleep here
};

}  // namespace envpool
