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
// caller, under request_mutex_, or who draws a picture of it. The queue (towards the worker) and
// the batch's counter (back) carry the memory from one to the other.
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
#include <string_view>
#include <thread>
#include <vector>

#include "envpool/family.h"
#include "executor/action_store.h"
#include "executor/batch.h"
#include "executor/final_rows.h"
#include "executor/gate.h"
#include "executor/interruptible_mutex.h"
#include "executor/layout.h"
#include "executor/pool_stats.h"
#include "executor/request_lanes.h"
#include "executor/snapshot.h"
#include "executor/thread_counters.h"

namespace envpool {

// What follows the end of an episode.
enum class AutoresetMode {
  kNextStep,  // the next step ignores its action and starts an episode
  kSameStep,  // the same step starts an episode; the layout needs final rows
  kDisabled,  // the next step is refused until the environment is reset
};

struct PoolConfig {
  int num_envs = 1;
  int batch_size = 1;
  int num_threads = 1;
  int thread_affinity_offset = -1;  // worker i runs on core offset + i; no pinning if negative
  int max_episode_steps = std::numeric_limits<int>::max();
  std::vector<std::uint64_t> seeds;  // one per environment
  std::vector<Options> options;      // one for all environments, or one each
  AutoresetMode autoreset_mode = AutoresetMode::kNextStep;
  LayoutConfig layout;
};

struct ResetRequest {
  std::span<const std::int32_t> env_ids;
  // One per id, or none at all: environments without one go on with their random generator.
  std::span<const std::optional<std::uint64_t>> seeds = {};
  std::shared_ptr<const Options> options = nullptr;  // null for the defaults
  // Give all other environments a row too, with what they would observe now. All rows are in the
  // order of the ids then. Only for synchronous pools.
  bool observe_others = false;
};

// One received batch. Its rows lie in the block as the pool's Layout says.
struct Delivery {
  BlockLease block;
  std::size_t rows = 0;          // environments
  std::size_t player_rows = 0;   // players
  std::vector<EnvError> errors;  // of environments that failed and so have no row
  std::vector<EnvWarning> warnings;
};

class Pool {
 public:
  using Duration = std::chrono::nanoseconds;
  // Called every now and then by a thread that waits; ends the wait by throwing.
  using Interrupt = void (*)();
  static void DontInterrupt() {}

  // `interrupt` is called after each environment was made.
  Pool(const EnvType& type, PoolConfig config, Interrupt interrupt = DontInterrupt);
  ~Pool();

  // Queues one step for each of `env_ids`, with one array per action field. Throws, and queues
  // nothing, if an id is out of range, repeated, running or broken, or an action is refused.
  void Send(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions);

  void SendReset(const ResetRequest& request);

  // Waits for the next batch. Without a timeout, throws at once if there are too few requests in
  // flight to fill one; with it, returns nothing when the time is over.
  std::optional<Delivery> Receive(std::optional<Duration> timeout, Interrupt interrupt);

  // Send and Receive, or SendReset and Receive, as one call that no other thread comes between.
  Delivery Step(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                Interrupt interrupt);
  Delivery Reset(const ResetRequest& request, Interrupt interrupt);

  // Everything that the next steps of these environments depend on, one string each. Throws if an
  // environment is running or broken.
  std::vector<std::string> GetState(std::span<const std::int32_t> env_ids);

  // Gives each of `env_ids` one of `states`, as GetState returned them from an environment of the
  // same type with the same options and max_episode_steps. Throws std::invalid_argument, and
  // changes nothing, if a state is damaged or comes from another environment; std::runtime_error
  // if an environment itself fails to read what it wrote. That one is broken then.
  void SetState(std::span<const std::int32_t> env_ids, std::span<const std::string_view> states);

  // The options of these environments. Throws std::out_of_range if there is no such environment.
  std::vector<Options> GetOptions(std::span<const std::int32_t> env_ids);

  // Of all environments, if none is running: their random generators, and the steps of their
  // episodes so far.
  std::vector<Random> GetRandom();
  std::vector<std::int32_t> GetElapsedSteps();

  // Replaces each environment by one with other options (one entry per id) that goes on from the
  // same state. Throws, and changes nothing, if one is running, has failed, or cannot be replaced
  // so.
  void SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options);

  // Draws a picture of width * height pixels of each of `env_ids`, one after the other into
  // `pixels`, as `camera` sees it (see Frame). Other environments may be used meanwhile. Throws
  // if an environment is running, broken, was never reset, or fails to draw itself; none is broken
  // by that. If `interrupt` throws, the pictures that are being drawn are finished first.
  void Render(std::span<const std::int32_t> env_ids, FrameSize size, int camera,
              std::span<std::uint8_t> pixels, Interrupt interrupt);

  // The same for environments that are described instead of drawn (Env::Describe).
  std::vector<Scene> Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt);

  // Since the pool's creation, or the last call that asked for a new start.
  PoolStats Stats(bool restart);

  // Waits for all results that are in flight, and throws them away. Only for synchronous pools.
  void Discard(Interrupt interrupt);

  // Ends the threads and forgets all requests and results, and environments release what they make
  // anew. Waits for environments that run or are drawn at the moment; if `interrupt` throws
  // meanwhile, the pool refuses everything until these are done. The next request starts the
  // threads again.
  void Close(Interrupt interrupt = DontInterrupt);

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

  // What an environment's next request does.
  enum class Task : std::uint8_t {
    kStep,  // or a reset, if the episode is over
    kReset,
    kObserve,  // nothing: the row shows the environment as it is
  };

  // What each step of an environment touches: one cache line, so that thousands of environments
  // stay in the cache. Only the thread that runs the environment writes to it, but for the request
  // of a reset.
  struct alignas(64) Slot {
    std::unique_ptr<Env> env;
    StepResult result;  // of the last request
    double episode_return = 0.0;
    std::int32_t elapsed_step = 0;
    std::int32_t players = 1;
    Task next = Task::kReset;
    bool episode_over = true;
    bool continues = false;      // the last episode that ended was not the end of its game
    bool first = false;          // the result is an episode's first, or none of a step at all
    bool failed = false;         // there is no result, see Rare::error
    std::uint8_t probation = 0;  // quick steps still to go until it counts as light again
  };
  static_assert(sizeof(Slot) == 64);

  // What callers know of an environment.
  enum class Status : std::uint8_t {
    kIdle,
    kInFlight,
    kBroken,       // failed, and not reset since
    kEpisodeOver,  // must be reset before it can be stepped; only without auto-reset
    kRendering,    // a picture of it is being drawn
  };

  // What only resets, failures and environments that draw random numbers need.
  struct Rare {
    Random random;
    std::string error;                             // why the last request failed
    std::shared_ptr<const Options> reset_options;  // of the requested reset, if not the defaults
    // Of the episode that ended in the step that also started the next one.
    double final_return = 0.0;
    std::int32_t final_elapsed_step = 0;
  };

  class Rendering;  // one call of Render or Describe

  static std::size_t CountLanes(const PoolConfig& config, std::size_t cores);

  bool IsSynchronous() const { return config_.batch_size == config_.num_envs; }

  // Callers' side, under request_mutex_, up to HelpersNeeded.
  void CheckUsable() const;
  void CheckNotStopping();
  void CheckNotInCallOfThisThread() const;
  enum class Purpose { kStep, kReset, kState };
  void CheckIds(std::span<const std::int32_t> env_ids, Purpose purpose);
  void CheckStatus(std::size_t env, Purpose purpose) const;
  void SetStatus(std::size_t env, Status status);
  Status IdleStatus(std::size_t env) const;
  std::size_t RequestsPerBatch() const;
  void CheckCanReceive(std::size_t count) const;
  std::size_t CountActionRows(const Field& field, std::span<const std::int32_t> env_ids);
  Batch* OpenBatch(std::size_t rows);
  void Enqueue(std::span<const std::int32_t> env_ids, Batch* batch, bool caller_helps);
  void EnqueueSteps(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                    bool caller_helps);
  void EnqueueResets(const ResetRequest& request, bool caller_helps);
  void Seed(std::size_t env, std::uint64_t seed);
  std::vector<std::size_t> OthersThan(std::span<const std::int32_t> env_ids) const;
  int HelpersNeeded(const std::array<std::size_t, 4>& costs, bool caller_helps) const;

  // Environments that don't run, under request_mutex_.
  const Options& OptionsOf(std::size_t env) const;
  SnapshotKey KeyOf(std::size_t env) const;
  void SerializeSlot(std::size_t env, Archive& archive);
  void LoadState(std::size_t env, std::string_view state);

  // The receiver's side, under receive_mutex_; NextBatch and Deliver under both.
  const Batch* NextBatch() const;
  bool IsNextBatchReady() const;
  bool AwaitBatch(Clock::time_point deadline, Interrupt interrupt);
  void HelpWorkers(Clock::time_point deadline, Interrupt interrupt);
  bool Wait(Clock::time_point deadline, Interrupt interrupt);
  Delivery AwaitDelivery(Interrupt interrupt);
  Delivery Deliver();
  void UpdateStatus(const Delivery& delivery);
  Delivery EmptyDelivery();
  PoolStats ReadCounters();
  void RemoveGaps(Delivery& delivery, std::vector<bool> failed) const;

  // Workers' side.
  void EnsureStarted();
  void RequestStop();
  void FinishStop();
  void FinishClose();
  void ForgetRequests();
  void Work(std::size_t worker);
  void Invite(int count);
  void TakeInvitation();
  bool IsCrowded() const;
  void Rest(ThreadCounters& counters);
  void CallForHelp(Cost cost);
  int MostLightWorkers() const;
  bool ClaimAndRun(std::size_t lane, bool is_worker, ThreadCounters& counters);
  std::size_t ClaimLimit() const;
  void Run(std::span<Request> requests, ThreadCounters& counters);
  bool Advance(std::size_t env);
  void StartEpisode(Slot& slot, Rare& rare);
  void StepEpisode(Slot& slot, std::size_t env);
  void StartNextEpisode(Slot& slot, std::size_t env);
  void CountPlayers(Slot& slot) const;
  void TakeRows(std::span<Request> requests);
  void Observe(const Request& request);
  bool WriteResult(const Request& request);
  void WritePlayers(Slot& slot, std::int32_t env, std::byte* block, std::size_t row) const;
  void WritePlayer(std::byte* block, std::size_t player_row, std::int32_t env,
                   const StepResult& result, double reward) const;
  void WriteFinalRow(const Request& request);
  void RecordCost(std::span<const Request> requests, std::int64_t nanoseconds);
  void Publish(std::span<const Request> requests, Clock::time_point now);

  const EnvType& type_;
  const Clock::time_point created_ = Clock::now();
  const PoolConfig config_;
  std::vector<Options> options_;  // one for all environments, or one each
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
  FinalRows final_rows_;
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
  std::size_t in_flight_ = 0;    // requests whose results were not received yet
  std::size_t unsteppable_ = 0;  // environments that can't be stepped, and are not in flight
  std::vector<std::thread::id> renderers_;  // threads that draw or describe
  std::uint64_t checks_ = 0;
  std::vector<std::uint64_t> last_check_;  // of each environment: finds repeated ids
  std::vector<int> player_counts_;

  // The receiver's (whoever holds receive_mutex_), then one per worker.
  std::vector<ThreadCounters> counters_;
  // Under request_mutex_.
  std::vector<ThreadCounters::Totals> totals_;  // what counters_ said when they were read last
  std::int64_t batches_ = 0;
  std::int64_t batch_age_ns_ = 0;
  PoolStats stats_base_;  // subtracted from what all counters say

  std::vector<std::thread> threads_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> running_threads_ = 0;
  std::atomic<int> closing_ = 0;                                // calls of Close
  std::atomic<int> rendering_ = 0;                              // calls of Render or Describe
  alignas(64) std::atomic<std::uint32_t> mean_step_ns_ = 1000;  // of light requests
  alignas(64) std::atomic<int> invitations_ = 0;                // for workers to look for requests
  std::atomic<int> spinning_ = 0;   // workers that wait for an invitation without sleeping
  std::atomic<int> available_ = 0;  // workers that don't sleep and run nothing that takes long
  Gate work_gate_;                  // workers wait here for requests
  Gate done_gate_;                  // receivers wait here for batches
  // Closers wait here for workers and pictures to end. These end while others hold request_mutex_,
  // so they must not come near done_gate_.
  Gate stopped_gate_;
};

}  // namespace envpool
