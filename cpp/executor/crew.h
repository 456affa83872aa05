// Crew: who does the work behind a front. A Pool has threads, a ProcessPool processes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "environments/calls.h"
#include "environments/failure_budget.h"
#include "results/batches.h"
#include "results/delivery.h"
#include "scheduling/statistics.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

struct Desk;

class Crew {
 public:
  // With the desk held, and environments that were checked:

  // Puts the actions where the workers read them, has the desk begin, and queues the steps. If it
  // throws, because an action is refused, say, nothing has changed. `caller_stays`: the caller will
  // wait for the results.
  virtual void QueueSteps(Desk& desk, const StepRequest& request, bool caller_stays) = 0;
  // The same for resets. The pool observes `others` as well; all environments have a row then.
  virtual void QueueResets(Desk& desk, const ResetRequest& request,
                           std::span<const std::int32_t> others, bool caller_stays) = 0;
  // Returns how many actions each of these environments takes when they are given so many rows;
  // nothing if there are no players. The span is valid until the next call.
  virtual std::span<const std::int32_t> PlayersOf(std::span<const std::int32_t> env_ids,
                                                  std::size_t rows) = 0;
  // Brings what workers have counted up to date.
  virtual void UpdateTotals(PoolStats& stats) = 0;
  // Has the workers stop as soon as they have finished what they are at.
  virtual void RequestStop() = 0;
  // Takes account of the workers' end.
  virtual void FinishStop(Desk& desk) = 0;

  // Without the desk:

  // Waits until the next batch is ready, and takes it; returns nothing if the time is over or the
  // pool is being closed. `interrupt` is called once more when it is ready: what that throws leaves
  // the batch there.
  virtual std::optional<Delivery> Await(Clock::time_point deadline, Interrupt interrupt) = 0;
  // A call that waits in Await looks whether the pool is being closed.
  virtual void WakeReceiver() = 0;
  virtual Batches& GetBatches() = 0;
  virtual FailureBudget& Failures() = 0;

 protected:
  ~Crew() = default;
};

}  // namespace envpool
