// Front: what callers see of a pool, whatever its workers are.
//
// It checks every call, says what is wrong with it, keeps account of the environments in a ledger,
// and hands out one batch after the other. Who works behind it is told what to do by a few virtual
// functions, which are called once per call: Pool has threads, ProcessPool has processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "environments/calls.h"
#include "environments/failure_budget.h"
#include "executor/ledger.h"
#include "recording/journal.h"
#include "results/batches.h"
#include "results/delivery.h"
#include "results/layout.h"
#include "scheduling/statistics.h"
#include "threads/attendance.h"
#include "threads/fork_mark.h"
#include "threads/guarded.h"
#include "threads/interrupt.h"
#include "threads/interruptible_mutex.h"
#include "threads/machine.h"

namespace envpool {

class Front {
 public:
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;
  virtual ~Front() = default;

  // Queues one step for each of these environments. Throws, and queues nothing, if an id is out of
  // range, repeated, running, borrowed or broken, or an action is refused.
  void Send(const StepRequest& request);
  void SendReset(const ResetRequest& request);

  // Throws as Send would, and std::invalid_argument unless `owners` has each of `env_ids` once for
  // each player whose action it takes now, in order. For callers who say whose their actions are.
  void CheckPlayers(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> owners);

  // Waits for the next batch. Without a timeout, throws at once if there are too few requests in
  // flight to fill one; with it, returns nothing when the time is over.
  std::optional<Delivery> Receive(std::optional<Duration> timeout, Interrupt interrupt);

  // Send and Receive, or SendReset and Receive, as one call that no other thread comes between.
  Delivery Step(const StepRequest& request, Interrupt interrupt);
  Delivery Reset(const ResetRequest& request, Interrupt interrupt);

  // Waits for all results that are in flight, and throws them away. Only for synchronous pools.
  void Discard(Interrupt interrupt);

  // True if there are batches of earlier sends that Receive has not given: in synchronous pools all
  // of them, in others none.
  bool HasOpen();
  // Throws what a call does that would wait for results of its own behind those of earlier calls.
  [[noreturn]] static void RefuseForEarlierResults();

  // So many failures of environments are survived, each by the end of an episode: see Episodes.
  void SurviveFailures(std::int64_t most) { Failures().most.store(most); }
  // How many there were since the pool's creation, and how many there may be.
  std::pair<std::int64_t, std::int64_t> SurvivedFailures() {
    return {Failures().survived.load(), Failures().most.load()};
  }

  // Since the pool's creation, or the last call that asked for a new start.
  PoolStats Stats(bool restart);

  // Ends all calls that wait, then has the workers stop. Waits for environments that run or are
  // borrowed at the moment, and then until what is recorded is written; if `interrupt` throws
  // meanwhile or the time is over, which returns false, the pool refuses everything until these
  // environments are done, and writes on.
  bool Close(Interrupt interrupt = DontInterrupt,
             Clock::time_point deadline = Clock::time_point::max());

  // Why a recording has ended early, once; empty if it has not.
  std::string TakeRecordingProblem();
  // After Close has returned false: was the recording a reason?
  bool IsWritingRecording() const { return journal_ && journal_->IsWriting(); }

  // True in a process forked after the pool's creation, where its workers are not its own.
  bool IsForked() const { return fork_mark_.IsForked(); }
  // Throws std::runtime_error in such a process.
  void CheckUsable() const;

  const Layout& GetLayout() const { return layout_; }
  const std::vector<std::int32_t>& AllIds() const { return all_ids_; }

 protected:
  // What all calls share. The call that holds the desk is the one caller that the parts of a pool
  // have at a time.
  struct Desk {
    Ledger ledger;
    Statistics statistics;
  };
  using DeskAccess = Guarded<Desk>::Access;

  Front(Layout layout, int num_envs, int num_workers);

  // Returns the desk. Throws if the pool takes no requests.
  DeskAccess OpenDesk();

  // What threads and processes do differently. The front holds the desk when it calls these
  // functions, unless their comment says otherwise.

  // Throws if the pool is closed, or being closed.
  virtual void CheckOpen(Desk& desk) = 0;
  // Returns how many actions each of these environments takes when they are given so many rows;
  // nothing if there are no players. The span is valid until the next call.
  virtual std::span<const std::int32_t> PlayersOf(std::span<const std::int32_t> env_ids,
                                                  std::size_t rows) = 0;
  // Puts the actions where the workers read them. Throws if one is refused.
  virtual void StoreActions(const StepRequest& request) = 0;
  // Throws if an environment cannot be reset for a reason that the ledger does not know.
  virtual void CheckResets(const ResetRequest& /*request*/) {}
  // Makes a place for the results of so many requests. After this nothing may fail.
  virtual void OpenBatch(std::size_t rows) = 0;
  // `caller_stays`: the caller will wait for the results.
  virtual void QueueSteps(const StepRequest& request, bool caller_stays) = 0;
  // The pool observes `others` as well; all environments have a row then.
  virtual void QueueResets(const ResetRequest& request, std::span<const std::int32_t> others,
                           bool caller_stays) = 0;
  // Draws the conclusions from a delivery whose gaps are not closed yet: which of its environments
  // must be reset now, for instance.
  virtual void Settle(Desk& desk, const Delivery& delivery,
                      std::span<const std::int32_t> env_ids) = 0;
  // Brings what workers have counted up to date.
  virtual void UpdateTotals(PoolStats& stats) = 0;

  virtual Batches& GetBatches() = 0;
  // Without the desk.
  virtual FailureBudget& Failures() = 0;
  // Without the desk: waits until the next batch is ready, the time is over or the pool is being
  // closed. Returns true if the batch is ready.
  virtual bool AwaitFront(Clock::time_point deadline, Interrupt interrupt) = 0;
  // Without the desk: a call that waits in AwaitFront looks whether the pool is being closed.
  virtual void WakeReceiver() = 0;

  // Has the workers stop as soon as they have finished what they are at.
  virtual void RequestStop() = 0;
  // Takes account of the workers' end.
  virtual void FinishStop(Desk& desk) = 0;

 private:
  const Layout layout_;
  const std::vector<std::int32_t> all_ids_;
  const ForkMark fork_mark_;

 protected:
  std::atomic<int> closing_ = 0;      // calls of Close
  Attendance attendance_;             // threads and borrowers, for which they wait
  std::unique_ptr<Journal> journal_;  // null if nothing is recorded; with the desk held
  // Locks are taken in this order: receive_mutex_, desk_. Gates have locks of their own, which come
  // last and are held for no time.
  InterruptibleMutex receive_mutex_;
  Guarded<Desk> desk_;

 private:
  void EnqueueSteps(Desk& desk, const StepRequest& request, bool caller_stays);
  void EnqueueResets(Desk& desk, const ResetRequest& request, bool caller_stays);
  void CheckCanReceive(Desk& desk, std::size_t rows);
  bool Await(Clock::time_point deadline, Interrupt interrupt);
  Delivery AwaitDelivery(std::size_t rows, Interrupt interrupt);
  Delivery Deliver(Desk& desk);
};

}  // namespace envpool
