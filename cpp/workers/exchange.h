// Exchange: the memory that a pool and its workers have in common, and how rows become batches.
//
// A worker can be killed at any instruction, and nothing of this may then be lost or wait for it:
// - A row is completed by setting its bit, which the pool can do in its place.
// - In asynchronous pools rows are taken in the order of finishing. The counter of rows also names
//   who took the last one, and whoever takes the next one first notes that in the row's line. So at
//   any time the pool can tell which rows a worker took.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "environments/action_store.h"
#include "environments/failure_budget.h"
#include "environments/slot.h"
#include "threads/machine.h"
#include "workers/file.h"
#include "workers/letters.h"
#include "workers/shared_config.h"
#include "workers/shared_gate.h"

namespace envpool {

// Where a result goes.
struct Place {
  std::uint32_t batch;
  std::uint32_t row;
};

// One row of a batch that is being filled.
struct RowLine {
  std::atomic<std::uint64_t> taken = 0;  // see Exchange::TakeRow
  Letter letter;
  bool failed = false;
  bool survived = false;        // a failure
  std::uint64_t text_size = 0;  // of that one's text, which is in front of the letter
};

struct BatchLine {
  std::uint32_t rows = 0;
  std::uint32_t block = 0;
  std::atomic<bool> has_letters = false;  // or failures: the rows' lines are worth reading
};

// An environment's next request, and what its worker is doing with it.
struct alignas(kCacheLine) EnvLine {
  Task task = Task::kStep;
  bool has_episode = false;  // after its last request
  Letter letter;
  // What its next episode begins with, which the pool's side drops, and how many there were.
  Letter next;
  std::uint32_t num_next = 0;
  bool has_begun = false;  // an episode, in this request
  // For environments with several players:
  std::uint32_t action_rows = 1;  // how many actions there are
  std::int32_t acting = 0;        // who takes part in the next step
  // Where its result goes: always in a synchronous pool, otherwise if a worker that has ended had
  // taken that row for it.
  std::optional<Place> place;
  std::atomic<std::int64_t> running_since = 0;  // of Clock; 0: it does not run
  // What its last request came to; with Task::kSurvive how far its episode had come.
  EpisodeEnd end;
};

struct WorkerCounters {
  std::atomic<std::int64_t> steps = 0;
  std::atomic<std::int64_t> episodes = 0;
  std::atomic<std::int64_t> env_ns = 0;   // inside of environments
  std::atomic<std::int64_t> copy_ns = 0;  // writing results
  std::atomic<std::int64_t> idle_ns = 0;  // waiting for requests
};

struct alignas(kCacheLine) WorkerLine {
  // The pool's side.
  std::atomic<std::uint32_t> requested = 0;  // requests so far
  std::atomic<bool> control = false;         // the worker is asked to look at its other channel
  Sleepers sleepers;
  // The worker's side.
  alignas(kCacheLine) std::atomic<std::uint32_t> claimed = 0;
  std::atomic<bool> answers = false;  // the worker is busy with its other channel, or closes
  WorkerCounters counters;
};

struct ExchangeHeader {
  std::atomic<bool> closed = false;
  FailureBudget failures;
  alignas(kCacheLine) SharedGate workers;  // each is a group
  alignas(kCacheLine) SharedGate receiver;
  Sleepers receivers;
  alignas(kCacheLine) std::atomic<std::uint64_t> last_taken = 0;  // see Exchange::TakeRow
};

class Exchange {
 public:
  // In a file that is empty, or has been made one by the same configuration.
  Exchange(const File& file, const SharedConfig& config, const Layout& layout);

  static constexpr SharedGate::Groups kReceivers = SharedGate::GroupOf(0);

  ExchangeHeader& Header() const { return *header_; }
  std::span<WorkerLine> Workers() const { return workers_; }
  EnvLine& Env(std::size_t env) const { return envs_[env]; }
  BatchLine& Batch(std::size_t batch) const { return batches_[batch]; }
  RowLine& Row(Place place) const { return rows_[place.batch * batch_size_ + place.row]; }
  std::byte* Block(std::size_t block) const { return blocks_ + block * block_bytes_; }
  std::size_t IndexOf(const std::byte* block) const {
    return static_cast<std::size_t>(block - blocks_) / block_bytes_;
  }
  std::size_t NumBatches() const { return batches_.size(); }
  std::size_t NumBlocks() const { return num_blocks_; }
  const std::shared_ptr<const SharedMemory>& Memory() const { return memory_; }

  // Where the environments' next actions are. Each side has a store of its own over that memory.
  ActionStore MakeActions(const SharedConfig& config) const;

  // Wakes these workers (SharedGate::GroupOf), or the receiver.
  void WakeWorkers(SharedGate::Groups workers) { header_->workers.Wake(workers); }
  SharedGate::Groups ToWake(std::size_t worker) const {
    return SharedGate::ToWake(workers_[worker].sleepers, SharedGate::GroupOf(worker));
  }
  void WakeReceiver() {
    header_->receiver.Wake(SharedGate::ToWake(header_->receivers, kReceivers));
  }

  // Requests of a worker, one side each.
  void Request(std::size_t worker, std::uint32_t env);
  // Returns the environment of the next request, which counts as running from then on, because its
  // worker may be stopped at any point.
  std::optional<std::uint32_t> Claim(std::size_t worker);
  bool HasRequests(std::size_t worker) const;

  // Makes a batch wait for so many rows, to be written to this block.
  void Open(std::size_t batch, std::size_t rows, std::size_t block);
  // Takes the next row of an asynchronous pool.
  Place TakeRow(std::uint32_t env);
  // The row that this environment took, if it is one from the ticket `first` on.
  std::optional<Place> FindRow(std::uint32_t env, std::uint64_t first);
  // Returns true if that made the batch ready.
  bool Complete(Place place);
  bool IsComplete(Place place) const;
  bool IsReady(std::size_t batch) const;

 private:
  Place PlaceOf(std::uint64_t ticket) const;
  void NoteTaken(std::uint64_t taken);
  std::span<std::atomic<std::uint64_t>> Done(std::size_t batch) const;

  std::size_t batch_size_;
  std::size_t done_words_;  // of a batch
  std::size_t ring_size_;   // of a worker: a power of two
  std::size_t block_bytes_;
  std::size_t num_blocks_;
  std::shared_ptr<const SharedMemory> memory_;
  ExchangeHeader* header_;
  std::span<WorkerLine> workers_;
  std::span<std::uint32_t> rings_;
  std::span<EnvLine> envs_;
  std::span<BatchLine> batches_;
  std::span<RowLine> rows_;
  std::span<std::atomic<std::uint64_t>> done_;
  std::byte* actions_;
  std::byte* blocks_;
};

}  // namespace envpool
