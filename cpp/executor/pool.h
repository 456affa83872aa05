// Pool: steps many copies of an environment on a few threads.
//
// It only conducts. What runs is the Environments' business, who runs when the Scheduler's, where
// results go the Batches', and who may be called the Ledger's. States and Visits are for
// environments that a call has borrowed.
//
// Life of a request. A caller checks everything about it, copies the action to the environment's
// place and queues a request. A worker claims it, advances the environment (Env::Reset or
// Env::Step), then takes a row of a batch and lets the environment write its result there
// (Env::Observe). The last row of a batch makes it ready for Receive.
//
// Synchronous pools (batch_size == num_envs): each send has a batch of its own, with a row for each
// id in the order they were sent, and the receiving thread works too. Asynchronous pools: rows are
// taken in the order of finishing, so a batch has the first batch_size results, whoever they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/env_type.h"
#include "executor/environments/action_store.h"
#include "executor/environments/environments.h"
#include "executor/environments/pictures.h"
#include "executor/environments/reset_request.h"
#include "executor/environments/states.h"
#include "executor/ledger.h"
#include "executor/results/batches.h"
#include "executor/results/delivery.h"
#include "executor/results/layout.h"
#include "executor/results/receiver.h"
#include "executor/scheduling/pool_stats.h"
#include "executor/scheduling/runner.h"
#include "executor/scheduling/scheduler.h"
#include "executor/scheduling/statistics.h"
#include "executor/threads/attendance.h"
#include "executor/threads/clock.h"
#include "executor/threads/fork_mark.h"
#include "executor/threads/guarded.h"
#include "executor/threads/interrupt.h"
#include "executor/threads/interruptible_mutex.h"
#include "executor/threads/visits.h"
#include "loading/pool_config.h"
#include "loading/pool_spec.h"
#include "recording/journal.h"

namespace envpool {

class Pool : private Runner {
 public:
  using Duration = envpool::Duration;
  using Interrupt = envpool::Interrupt;
  static void DontInterrupt() { envpool::DontInterrupt(); }

  // The environments are made by threads of their own: if `interrupt` throws, those that are being
  // made are left to themselves.
  explicit Pool(PoolConfig config, Interrupt interrupt = DontInterrupt);
  // All environments are of this type, which outlives all pools.
  Pool(const EnvType& type, PoolConfig config, Interrupt interrupt = DontInterrupt);
  ~Pool();

  // Queues one step for each of `env_ids`, with one array per action field. Throws, and queues
  // nothing, if an id is out of range, repeated, running, borrowed or broken, or an action is
  // refused.
  void Send(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions);

  // Throws as Send would, and std::invalid_argument unless `owners` has each of `env_ids` once for
  // each player whose action it takes now, in order. For callers who say whose their actions are.
  void CheckPlayers(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> owners);

  void SendReset(const ResetRequest& request);

  // Waits for the next batch. Without a timeout, throws at once if there are too few requests in
  // flight to fill one; with it, returns nothing when the time is over.
  std::optional<Delivery> Receive(std::optional<Duration> timeout, Interrupt interrupt);

  // Send and Receive, or SendReset and Receive, as one call that no other thread comes between.
  Delivery Step(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                Interrupt interrupt);
  Delivery Reset(const ResetRequest& request, Interrupt interrupt);

  // The next five borrow their environments: all other calls refuse these meanwhile, and other
  // environments may be used. All throw if an environment is running, borrowed or broken. If
  // `interrupt` throws or the pool is closed, the rest is left out; what was begun is finished, and
  // its environments are borrowed until then. An interrupted call does not wait for that.

  // Everything that the next steps of these environments depend on, one string each.
  std::vector<std::string> GetState(std::span<const std::int32_t> env_ids,
                                    Interrupt interrupt = DontInterrupt);

  // Gives each of `env_ids` one of `states`, as GetState returned them from an environment of the
  // same type with the same options and max_episode_steps. Throws std::invalid_argument, and
  // changes nothing, if a state is damaged or comes from another environment; std::runtime_error
  // if an environment itself fails to read what it wrote. That one is broken then; one that was
  // broken is mended. If it is cut short, some environments have their new state.
  void SetState(std::span<const std::int32_t> env_ids, std::span<const std::string_view> states,
                Interrupt interrupt = DontInterrupt);

  // Replaces each environment by one with other options (one entry per id) that goes on from the
  // same state. Throws, and changes nothing, if one cannot be replaced so, or if it is cut short.
  void SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options,
                  Interrupt interrupt = DontInterrupt);

  // A picture of this size of each of `env_ids`, in their order, as `camera` sees it (see Frame).
  // Throws if an environment was never reset or fails to draw itself; none is broken by that.
  std::shared_ptr<Pictures> Render(std::span<const std::int32_t> env_ids, FrameSize size,
                                   int camera, Interrupt interrupt);

  // The same for environments that are described instead of drawn (Env::Describe).
  std::vector<Scene> Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt);

  // Has each of `env_ids` take on the state that its scene tells (Env::Assume). Throws if one is
  // running, borrowed, broken, was never reset, or refuses; those before it have changed then.
  void Assume(std::span<const std::int32_t> env_ids, std::span<const Scene> scenes);

  // Throws std::out_of_range unless there are such environments.
  void CheckIds(std::span<const std::int32_t> env_ids) const;

  // The options of these environments. Throws std::out_of_range if there is no such environment.
  std::vector<Options> GetOptions(std::span<const std::int32_t> env_ids);

  // Of all environments, if none is running or borrowed: their random generators, and the steps of
  // their episodes so far.
  std::vector<Random> GetRandom();
  std::vector<std::int32_t> GetElapsedSteps();

  // Why a recording has ended early, once; empty if it has not.
  std::string TakeRecordingProblem();
  // After Close has returned false: was the recording a reason?
  bool IsWritingRecording() const { return journal_ && journal_->IsWriting(); }

  // Since the pool's creation, or the last call that asked for a new start.
  PoolStats Stats(bool restart);

  // Waits for all results that are in flight, and throws them away. Only for synchronous pools.
  void Discard(Interrupt interrupt);

  // Ends the threads and forgets all requests and results, and environments release what they make
  // anew. Waits for environments that run or are borrowed at the moment, and then until what is
  // recorded is written; if `interrupt` throws meanwhile or the time is over, which returns false,
  // the pool refuses everything until these environments are done, and writes on. The next request
  // starts the threads again.
  bool Close(Interrupt interrupt = DontInterrupt,
             Clock::time_point deadline = Clock::time_point::max());

  // True in a process forked after the pool's creation, where its threads don't exist.
  bool IsForked() const { return fork_mark_.IsForked(); }

  const Spec& GetSpec() const { return spec_.common; }
  const Layout& GetLayout() const { return layout_; }
  const PoolConfig& Config() const { return config_; }
  const ActionStore& Actions() const { return environments_.Actions(); }
  const std::vector<std::int32_t>& AllIds() const { return all_ids_; }

 private:
  // What all calls share. Whoever holds it is the one caller that Environments, Batches and
  // Scheduler have at a time.
  struct Desk {
    Ledger ledger;
    Statistics statistics;
  };
  class Loan;
  class Visitor;

  Tally Run(std::span<Request> requests) override;
  void Publish(std::span<const Request> requests, Clock::time_point now) override;

  void CheckUsable() const;
  void CheckNotStopping(Desk& desk);
  void EnsureStarted();
  void QueueSteps(Desk& desk, std::span<const std::int32_t> env_ids,
                  std::span<const ArrayView> actions, bool caller_stays);
  void QueueResets(Desk& desk, const ResetRequest& request, bool caller_stays);
  void Queue(Desk& desk, std::span<const std::int32_t> env_ids, Batch* batch, bool caller_stays);
  void CheckCanReceive(Desk& desk, std::size_t rows);
  Delivery AwaitDelivery(Interrupt interrupt);
  Delivery Deliver(Desk& desk);
  std::shared_ptr<const Loan> Borrow(std::span<const std::int32_t> env_ids, Purpose purpose,
                                     Status status);
  void Visit(std::shared_ptr<const Loan> loan, std::size_t count,
             std::function<void(std::size_t)> visit, Pace& pace, const std::string& call,
             Interrupt interrupt, std::size_t size = 0);
  void FinishClose(Desk& desk);

  const PoolConfig config_;
  const PoolSpec spec_;
  const Layout layout_;
  const std::vector<std::int32_t> all_ids_;
  const ForkMark fork_mark_;
  std::atomic<int> closing_ = 0;  // calls of Close
  Attendance attendance_;         // threads and borrowers, for which they wait
  // Locks are taken in this order: receive_mutex_, desk_. Gates have locks of their own, which come
  // last and are held for no time.
  InterruptibleMutex receive_mutex_;
  Guarded<Desk> desk_;
  Environments environments_;
  States states_;
  const std::unique_ptr<Journal> journal_;  // null if nothing is recorded; with the desk held
  // Of the calls that may be done by the calling thread.
  Pace saving_;
  Pace loading_;
  Pace drawing_;
  Pace describing_;
  const std::unique_ptr<Batches> batches_;
  Scheduler scheduler_;
  Receiver receiver_;
};

}  // namespace envpool
