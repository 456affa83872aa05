// Pool: steps many copies of an environment on a few threads.
//
// Life of a request. A caller checks everything about it, copies the action to the environment's
// place and queues a request. A worker claims it, advances the environment
// (Env::Reset or Env::Step), then takes a row of a batch and lets the environment write its result
// there (Env::Observe). The last row of a batch makes it ready for Receive.
//
// Synchronous pools (batch_size == num_envs): each send has a batch of its own, with a row for each
// id in the order they were sent, and the receiving thread works too. Asynchronous pools: rows are
// taken in the order of finishing, so a batch has the first batch_size results, whoever they are.
//
// Who may touch a slot: while its request is in flight, the worker that claimed it; otherwise the
// caller, under request_mutex_. The queue (towards the worker) and the batch's counter (back) carry
// the memory from one to the other.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "envpool/family.h"
#include "executor/action_store.h"
#include "executor/batch.h"
#include "executor/gate.h"
#include "executor/interruptible_mutex.h"
#include "executor/layout.h"
#include "executor/request_lanes.h"

namespace envpool {

struct PoolConfig {
  int num_envs = 1;
  int batch_size = 1;
  int num_threads = 1;
  int thread_affinity_offset = -1;  // worker i runs on core offset + i; no pinning if negative
  int max_episode_steps = std::numeric_limits<int>::max();
  std::vector<std::uint64_t> seeds;  // one per environment
  std::vector<Options> options;      // one for all environments, or one each
  LayoutConfig layout;
};

// One received batch. Its rows lie in the block as the pool's Layout says.
struct Delivery {
  BlockLease block;
  std::size_t rows = 0;          // environments
  std::size_t player_rows = 0;   // players
  std::vector<EnvError> errors;  // of environments that failed and so have no row
};

class Pool {
 public:
  using Duration = std::chrono::nanoseconds;
  // Called every now and then by a thread that waits; ends the wait by throwing.
  using Interrupt = void (*)();

  Pool(const EnvType& type, PoolConfig config);
  ~Pool();

  // Queues one step for each of `env_ids`, with one array per action field. Throws, and queues
  // nothing, if an id is out of range, repeated, running or broken, or an action is refused.
  void Send(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions);

  // Queues a reset, after seeding anew if `seeds` (one per id) is not empty.
  void SendReset(std::span<const std::int32_t> env_ids, std::span<const std::uint64_t> seeds,
                 std::shared_ptr<const Options> options);

  // Waits for the next batch. Without a timeout, throws at once if there are too few requests in
  // flight to fill one; with it, returns nothing when the time is over.
  std::optional<Delivery> Receive(std::optional<Duration> timeout, Interrupt interrupt);

  // Send and Receive, or SendReset and Receive, as one call that no other thread comes between.
  Delivery Step(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                Interrupt interrupt);
  Delivery Reset(std::span<const std::int32_t> env_ids, std::span<const std::uint64_t> seeds,
                 std::shared_ptr<const Options> options, Interrupt interrupt);

  // Joins the threads and forgets all requests and results. The next request starts them again.
  void Close();

  // True in a process forked after the pool's creation, where its threads don't exist.
  bool IsForked() const;

  const Spec& GetSpec() const { return spec_; }
  const Layout& GetLayout() const { return layout_; }
  const PoolConfig& Config() const { return config_; }
  const ActionStore& Actions() const { return actions_; }
  const std::vector<std::int32_t>& AllIds() const { return all_ids_; }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kMaxClaim = 64;
  // Waking a sleeping thread costs several microseconds: worth it from about this much work on.
  static constexpr std::size_t kWorthWakingNs = 16000;

  // What each step of an environment touches: one cache line, so that thousands of environments
  // stay in the cache. Only the thread that runs the environment writes to it, but for the request
  // of a reset.
  struct alignas(64) Slot {
    std::unique_ptr<Env> env;
    StepResult result;  // of the last request
    double episode_return = 0.0;
    std::int32_t elapsed_step = 0;
    std::int32_t players = 1;
    bool reset_requested = true;
    bool episode_over = true;    // auto-reset: the next request starts an episode
    bool first = false;          // the result is an episode's first observation
    bool failed = false;         // there is no result, see Rare::error
    std::uint8_t probation = 0;  // quick steps still to go until it counts as light again
  };
  static_assert(sizeof(Slot) == 64);

  // What callers know of an environment.
  enum class Status : std::uint8_t {
    kIdle,
    kInFlight,
    kBroken,  // failed, and not reset since
  };

  // What only resets, failures and environments that draw random numbers need.
  struct Rare {
    Random random;
    std::string error;                             // why the last request failed
    std::shared_ptr<const Options> reset_options;  // of the requested reset, if not the defaults
  };

  static std::size_t CountLanes(const PoolConfig& config, std::size_t cores);

  bool IsSynchronous() const { return config_.batch_size == config_.num_envs; }

  // Callers' side, under request_mutex_, up to HelpersNeeded.
  void CheckUsable() const;
  void CheckIds(std::span<const std::int32_t> env_ids, bool is_reset);
  std::size_t RequestsPerBatch() const;
  void CheckCanReceive(std::size_t count) const;
  std::size_t CountActionRows(const Field& field, std::span<const std::int32_t> env_ids);
  void Enqueue(std::span<const std::int32_t> env_ids, bool caller_helps);
  void EnqueueSteps(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                    bool caller_helps);
  void EnqueueResets(std::span<const std::int32_t> env_ids, std::span<const std::uint64_t> seeds,
                     std::shared_ptr<const Options> options, bool caller_helps);
  int HelpersNeeded(const std::array<std::size_t, 4>& costs, bool caller_helps) const;

  // The receiver's side, under receive_mutex_; NextBatch and Deliver under both.
  const Batch* NextBatch() const;
  bool IsNextBatchReady() const;
  bool AwaitBatch(std::optional<Duration> timeout, Interrupt interrupt);
  void HelpWorkers(Clock::time_point deadline, Interrupt interrupt);
  Delivery AwaitDelivery(Interrupt interrupt);
  Delivery Deliver();
  Delivery EmptyDelivery();
  void RemoveGaps(Delivery& delivery, std::vector<bool> failed) const;

  // Workers' side.
  void EnsureStarted();
  void Stop();
  void Work(std::size_t worker);
  void Invite(int count);
  void TakeInvitation();
  bool IsCrowded() const;
  void Rest();
  void CallForHelp(Cost cost);
  int MostLightWorkers() const;
  bool ClaimAndRun(std::size_t lane, bool is_worker);
  std::size_t ClaimLimit() const;
  void Run(std::span<Request> requests);
  void Advance(std::size_t env);
  void CountPlayers(Slot& slot) const;
  void TakeRows(std::span<Request> requests);
  void Observe(const Request& request);
  void WriteResult(const Request& request);
  void RecordCost(std::span<const Request> requests, std::int64_t nanoseconds);
  void Publish(std::span<const Request> requests);

  const PoolConfig config_;
  const Spec spec_;
  const Layout layout_;
  const Options default_reset_options_;
  const int fork_generation_;
  const std::size_t cores_;  // asking the system costs microseconds

  std::vector<Slot> slots_;
  std::vector<Rare> rare_;
  std::vector<Cost> costs_;  // written by workers when a cost changes, read by callers
  std::vector<Status> status_;
  std::vector<std::int32_t> all_ids_;
  ActionStore actions_;
  RequestLanes requests_;
  std::shared_ptr<BlockPool> blocks_;

  // Synchronous: the batches of sends that were not received yet, oldest first.
  std::list<Batch> open_batches_;
  std::list<Batch> spare_batches_;

  // Asynchronous: the window of batches that results in flight can fall into. Ticket t is row
  // t % batch_size of batch t / batch_size, and batch b is window_[b % window_.size()].
  std::deque<Batch> window_;
  std::uint64_t next_batch_ = 0;
  alignas(64) std::atomic<std::uint64_t> next_ticket_ = 0;

  // Locks are taken in this order: receive_mutex_, done_gate_'s mutex, request_mutex_.
  InterruptibleMutex receive_mutex_;
  mutable std::mutex request_mutex_;
  std::size_t in_flight_ = 0;  // requests whose results were not received yet
  std::size_t broken_ = 0;     // environments that failed and were not reset since
  std::uint64_t checks_ = 0;
  std::vector<std::uint64_t> last_check_;  // of each environment: finds repeated ids
  std::vector<int> player_counts_;

  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> closing_ = 0;                                // calls of Close
  alignas(64) std::atomic<std::uint32_t> mean_step_ns_ = 1000;  // of light requests
  alignas(64) std::atomic<int> invitations_ = 0;                // for workers to look for requests
  std::atomic<int> spinning_ = 0;   // workers that wait for an invitation without sleeping
  std::atomic<int> available_ = 0;  // workers that don't sleep and run nothing that takes long
  Gate work_gate_;                  // workers wait here for requests
  Gate done_gate_;                  // receivers wait here for batches
};

}  // namespace envpool
