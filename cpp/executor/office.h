// Office: what all calls of a pool share, whatever its workers are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "environments/calls.h"
#include "environments/choices.h"
#include "environments/failure_budget.h"
#include "executor/ledger.h"
#include "recording/journal.h"
#include "results/batches.h"
#include "results/layout.h"
#include "scheduling/statistics.h"
#include "threads/fork_mark.h"
#include "threads/gate.h"
#include "threads/interrupt.h"
#include "threads/machine.h"

namespace envpool {

struct Desk;

// Who does the work behind a front: a Pool has threads, a ProcessPool processes.
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
  // Gives the workers what their next episodes are to begin with, one choice each. If it throws,
  // nothing has changed.
  virtual void PassNext(std::span<const std::int32_t> env_ids, std::span<Choice> next) = 0;
  virtual Choices& ChoicesOf(std::int32_t env) = 0;
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

// The books of a pool. The call that holds the desk is the one caller that the parts of a pool have
// at a time.
struct Desk {
  Ledger ledger;
  Statistics statistics;
  Journal* journal = nullptr;  // null if nothing is recorded
  bool is_stopping = false;    // the workers were told to stop, and may not have ended
  bool is_closed = false;      // the pool takes no more requests

  // Before they are queued: environments that were checked are in flight from now on. `players` are
  // how many actions each is given, if that is not one.
  void Begin(const StepRequest& request, std::span<const std::int32_t> players);
  void Begin(const ResetRequest& request, std::span<const std::int32_t> others);

  // Takes the front of the batches, which is ready. Its environments belong to the callers again.
  Delivery Take(Batches& batches, const Layout& layout);
  // After that, and whatever else follows from a delivery: those that have failed are refused until
  // they are reset, and the delivery is as the caller gets it.
  void Finish(Delivery& delivery, const Layout& layout);
};

using DeskAccess = Guarded<Desk>::Access;

struct Office {
  // The crew outlives it, and is asked nothing yet.
  Office(int num_envs, int num_workers, Crew& workers);
  Office(const Office&) = delete;
  Office& operator=(const Office&) = delete;

  // True in a process forked after the pool's creation, where its workers are not its own.
  bool IsForked() const { return fork_mark.IsForked(); }
  // Throws std::runtime_error in such a process, where the desk may be held for ever.
  void CheckUsable() const;
  // Returns the desk. Throws if the pool takes no requests.
  DeskAccess OpenDesk();
  // If the pool is to be recorded, has the desk note all that happens from now on; see Journal.
  void Record(const PoolConfig& config, std::span<const Field> actions, const Layout& layout,
              Journal::Source& source);

  // The office of the pool whose environments this thread has borrowed for its call; none: null.
  static inline thread_local const Office* visited = nullptr;

  Crew& crew;
  const std::vector<std::int32_t> all_ids;
  const ForkMark fork_mark;
  std::atomic<int> closing = 0;      // calls of Close
  Attendance attendance;             // threads and borrowers, for which they wait
  std::unique_ptr<Journal> journal;  // null if nothing is recorded; the desk refers to it
  // Locks are taken in this order: receive_mutex, desk. Gates have locks of their own, which come
  // last and are held for no time.
  InterruptibleMutex receive_mutex;
  Guarded<Desk> desk;
};

// Returns the ids of a delivery's environments, a row each.
inline std::span<const std::int32_t> IdsOf(const Delivery& delivery, const Layout& layout) {
  return layout.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
}

}  // namespace envpool
