// Receiver: how a caller waits for the next batch. It runs requests itself where that helps, then
// spins, then sleeps.
#pragma once

#include <atomic>

#include "results/batches.h"
#include "scheduling/scheduler.h"
#include "threads/gate.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

class Receiver {
 public:
  // What is referred to outlives it. A wait ends when `closing` is not zero and Wake was called.
  Receiver(const LocalBatches& batches, Scheduler& scheduler, const std::atomic<int>& closing)
      : batches_(batches), scheduler_(scheduler), closing_(closing) {}

  // Waits until the next batch is ready; returns false when the time is over, or if the pool is
  // being closed. One thread at a time.
  bool Await(Clock::time_point deadline, Interrupt interrupt);

  // A batch is ready, or the pool is being closed.
  void Wake() { gate_.NotifyAll(); }

 private:
  bool IsOver() const { return batches_.IsFrontReady() || closing_.load() > 0; }
  void Help(Clock::time_point deadline, Interrupt interrupt);
  void Spin();
  bool Sleep(Duration duration);
  void Wait(Clock::time_point deadline, Interrupt interrupt);

  const LocalBatches& batches_;
  Scheduler& scheduler_;
  const std::atomic<int>& closing_;  // how many calls are closing the pool
  Gate gate_;
};

}  // namespace envpool
