// ProcessPool: steps environments in worker processes, and receives what they write.
//
// It promises what Pool does (executor/pool.h), with the parts that know no threads: the ledger,
// the layout, what a delivery is. Here is the pool's side; Station is the workers'. Who starts the
// processes is somebody else's business, and is asked what became of one that ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor/ledger.h"
#include "executor/threads/fork_mark.h"
#include "executor/threads/guarded.h"
#include "executor/threads/interrupt.h"
#include "executor/threads/interruptible_mutex.h"
#include "workers/action_writer.h"
#include "workers/exchange.h"
#include "workers/parcel.h"
#include "workers/process_journal.h"
#include "workers/shared_blocks.h"
#include "workers/shared_stats.h"
#include "workers/worker_watch.h"

namespace envpool {

class ProcessPool {
 public:
  // What became of a worker that ended, in words. Called while a caller waits.
  using DescribeEnd = std::function<std::string(int worker)>;

  ProcessPool(SharedConfig config, DescribeEnd describe_end);
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  ~ProcessPool() { Close(); }

  // The exchange's, the inbox's, and one outbox per worker.
  std::vector<int> Files() const;

  // A process of this worker begins; `sentinel` is readable when it has ended, and stays its
  // owner's.
  void SetWorker(int worker, int pid, int sentinel);
  // Those of these environments that have ended.
  std::vector<int> LostWorkers(std::span<const std::int32_t> env_ids);
  // The environments that have failed with their worker, but that no parcel has told of: they were
  // not running, or had their result already.
  std::vector<RowFailure> LostEnvs();
  // Instead of processes: runs a request in this thread, if there is one.
  void SetServer(std::function<bool()> run_next) { run_next_ = std::move(run_next); }

  // See ActionWriter::CheckOwners.
  void CheckPlayers(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> owners);
  void Send(std::span<const std::int32_t> env_ids, const Contents& contents);
  void SendReset(std::span<const std::int32_t> env_ids, const Contents& contents);
  std::optional<Parcel> Receive(std::optional<Duration> timeout, Interrupt interrupt);
  Parcel Step(std::span<const std::int32_t> env_ids, const Contents& contents, Interrupt interrupt);
  // With `observe_others` all environments have a row.
  Parcel Reset(std::span<const std::int32_t> env_ids, const Contents& contents, bool observe_others,
               Interrupt interrupt);
  void Discard(Interrupt interrupt);

  // Has a worker look at its other channel.
  void RingForControl(int worker);
  // Throws std::runtime_error if one of them runs or, unless it is `mended`, has failed.
  void CheckIdle(std::span<const std::int32_t> env_ids, bool mended);
  // They were given another state, whose episode is over or not, and in which, if they have
  // players, so many take part in the next step.
  void SetOver(std::span<const std::int32_t> env_ids, const std::vector<bool>& over,
               std::span<const int> acting = {});
  // They are being changed in another way than by steps and resets, for a recording.
  void NoteLost(std::span<const std::int32_t> env_ids, const std::string& why);

  // Why a recording has ended early, once; empty if it has not.
  std::string TakeRecordingProblem() {
    return journal_ && !IsForked() ? journal_->TakeProblem() : "";
  }

  SharedStats Stats(bool restart);

  // All calls end, and are refused from now on; workers end by themselves.
  void Close();
  // After that: until all that is recorded is written. Returns false when the time is over; then,
  // and if `interrupt` throws meanwhile, it is still being written.
  bool AwaitRecording(Interrupt interrupt, Clock::time_point deadline);

  bool IsForked() const { return fork_mark_.IsForked(); }
  const SharedConfig& Config() const { return config_; }
  const Exchange& Shared() const { return exchange_; }
  const Layout& GetLayout() const { return layout_; }
  const std::vector<std::int32_t>& AllIds() const { return all_ids_; }

 private:
  // What all calls share.
  struct Desk {
    Desk(const SharedConfig& config, const Layout& layout, Exchange& exchange,
         const std::vector<std::int32_t>& ids)
        : ledger(ids), actions(config, layout, exchange), watch(config, exchange) {}

    Ledger ledger;
    ActionWriter actions;
    WorkerWatch watch;
    std::deque<std::size_t> open = {};  // batches of sends, oldest first; if it is synchronous
    std::vector<std::size_t> spare = {};
    std::vector<std::int32_t> orphans = {};  // have a result in flight, and no worker any more
    SharedStats start = {};
    std::int64_t batches = 0;
  };

  void CheckUsable() const;
  // With the desk held. Close() has the recording written, after which nothing may be noted.
  bool IsRecording() const { return journal_ != nullptr && !is_closed_.load(); }
  void OpenBatch(std::size_t batch, std::size_t rows);
  void Queue(Desk& desk, std::span<const std::int32_t> env_ids, Task task, const Contents& contents,
             std::span<const std::int32_t> others);
  void CheckContents(std::span<const std::int32_t> env_ids, const Contents& contents) const;
  void CheckCanOpen(Desk& desk) const;
  void QueueSteps(Desk& desk, std::span<const std::int32_t> env_ids, const Contents& contents);
  void QueueResets(Desk& desk, std::span<const std::int32_t> env_ids, const Contents& contents,
                   bool observe_others);
  std::size_t RequestsNeeded() const;
  void CheckCanReceive(Desk& desk, std::size_t rows) const;
  bool IsFrontReady() const;
  bool Await(Clock::time_point deadline, Interrupt interrupt);
  Parcel Deliver(Desk& desk);
  Parcel AwaitParcel(std::size_t rows, Interrupt interrupt);
  void ReadLetters(std::size_t batch, Parcel& parcel);
  void NotePlayers(Desk& desk, std::size_t batch, const Delivery& delivery) const;
  void CopyAway(Delivery& delivery);
  void WatchWorkers();
  void LoseWorker(const WorkerWatch::Ended& ended, const std::string& end);
  bool FailRow(std::int32_t env);

  const SharedConfig config_;
  const Layout layout_;
  const std::vector<std::int32_t> all_ids_;
  const ForkMark fork_mark_;
  const Clock::time_point created_ = Clock::now();
  const DescribeEnd describe_end_;
  const File exchange_file_;
  const File inbox_file_;
  const std::vector<File> outboxes_;
  Exchange exchange_;
  const std::unique_ptr<ProcessJournal>
      journal_;  // null if nothing is recorded; with the desk held
  const std::shared_ptr<SharedBlocks> blocks_;
  const std::shared_ptr<BlockPool> copies_;
  LetterWriter inbox_;
  std::function<bool()> run_next_;
  std::atomic<bool> is_closed_ = false;
  // Locks are taken in this order.
  InterruptibleMutex receive_mutex_;
  Guarded<Desk> desk_;
  std::vector<BlockLease> leases_;      // of each open batch
  std::vector<std::string> no_worker_;  // of each environment: how its worker has ended, if nobody
                                        // was told; under the desk's lock
  std::atomic<std::size_t> front_;      // the batch that is received next; see kNone
  std::uint64_t received_ = 0;          // batches of an asynchronous pool
  std::atomic<std::int64_t> receive_wait_ns_ = 0;
};

}  // namespace envpool
