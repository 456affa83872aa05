// Batches: where the rows of results go, and which batch is received next.
//
// There are two kinds: ordered batches, one for each send, whose rows follow the ids of the send;
// and first-come batches of one size, whose rows are taken in the order of finishing. A receiver
// gets a Delivery.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/block_pool.h"
#include "results/layout.h"
#include "results/slots.h"
#include "scheduling/request.h"
#include "threads/machine.h"

namespace envpool {

// Why an environment has failed.
struct EnvError {
  enum class Kind : std::uint8_t {
    kException,  // the message is what it says
    kLetter,     // the message is what its worker has made of one
    kWorkerEnd,  // the message is how its worker has ended
    kSurvived,   // the message is what it says; it was reset, and has a row
  };

  std::size_t row;
  std::int32_t env_id;
  std::string message;
  Kind kind = Kind::kException;
};

struct EnvWarning {
  std::int32_t env_id;
  std::string message;
};

// What came along with the row of an environment written in Python.
struct RowLetter {
  std::size_t row;  // once gaps are closed
  std::string bytes;
};

// One received batch. Its rows lie in the block as the pool's Layout says.
struct Delivery {
  BlockLease block;
  std::size_t rows = 0;          // environments
  std::size_t player_rows = 0;   // players
  std::vector<EnvError> errors;  // of environments that failed and so have no row
  std::vector<EnvError> survived;
  std::vector<EnvWarning> warnings;
  std::vector<RowLetter> letters;

  // Moves rows up to where failed environments and absent players left room, and counts those of
  // the players. Before that, the environments' rows are as they were requested.
  void CloseGaps(const Layout& layout);
};

// Results on their way from threads to one recv.
//
// Every row is completed exactly once, with a result in the block or with an error; the last one
// makes the batch ready.
class Batch {
 public:
  using Time = Clock::time_point;

  // Makes the batch wait for `rows` results, to be written to `lease`.
  void Open(std::size_t rows, BlockLease lease) {
    errors_.reserve(rows);  // so that Fail cannot fail
    warnings_.clear();
    rows_ = rows;
    block_ = std::move(lease);
    remaining_.store(rows);
  }

  std::byte* Block() const { return block_.get(); }

  // Returns true to the caller that completed the last row.
  bool Complete(std::size_t rows, Time now) {
    // The last of several threads that come at nearly the same time is not worth knowing better.
    completed_.store(now, std::memory_order_relaxed);
    return remaining_.fetch_sub(rows) == rows;
  }

  // Call before completing the row, which stays the environment's if it survived.
  void Fail(EnvError error) {
    const std::lock_guard lock(error_mutex_);
    errors_.push_back(std::move(error));
  }

  // Call before completing the row. May throw std::bad_alloc.
  void Warn(EnvWarning warning) {
    const std::lock_guard lock(error_mutex_);
    warnings_.push_back(std::move(warning));
  }

  // Sequentially consistent, because a receiver that is about to sleep asks (see Gate).
  bool Ready() const { return remaining_.load() == 0; }

  // What follows, only once the batch is ready.
  Time ReadyTime() const { return completed_.load(std::memory_order_relaxed); }

  // If it throws, everything is still there.
  Delivery Take() {
    Delivery delivery;
    delivery.rows = rows_;
    for (const EnvError& error : errors_) {  // copies: the memory stays here, for Fail
      const bool is_survived = error.kind == EnvError::Kind::kSurvived;
      (is_survived ? delivery.survived : delivery.errors).push_back(error);
    }
    errors_.clear();
    delivery.warnings = std::exchange(warnings_, {});
    delivery.block = std::move(block_);
    return delivery;
  }

 private:
  BlockLease block_;
  std::size_t rows_ = 0;
  std::mutex error_mutex_;
  std::vector<EnvError> errors_;
  std::vector<EnvWarning> warnings_;
  // Each claim writes these two, so they have a line of the cache apart from the block, which each
  // claim reads.
  alignas(kCacheLine) std::atomic<std::size_t> remaining_ = 0;
  std::atomic<Time> completed_ = Time();
};

// Returns those of a claim's requests, one or more, whose rows are in the first one's batch.
// (Nothing of another batch is between them.)
std::span<const Request> OfFirstBatch(std::span<const Request> requests);

// What a pool's callers know of its batches, one call at a time.
class Batches {
 public:
  explicit Batches(std::shared_ptr<BlockPool> blocks) : blocks_(std::move(blocks)) {}
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  virtual ~Batches() = default;

  // True if there is a batch that belongs to an earlier send.
  virtual bool HasOpen() const = 0;
  // How many requests must be in flight so that a receive returns.
  virtual std::size_t RequestsNeeded() const = 0;
  // A batch of no rows.
  Delivery Empty() const {
    Delivery delivery;
    delivery.block = Lease();
    return delivery;
  }

  // The next calls are the one receiver's, about the front: the batch that is received next.

  // Returns for how long the front has been ready; none where the receiver waits for it anyway.
  virtual Duration FrontAge() const { return Duration::zero(); }
  // Takes what is in the front, which is ready; the next batch becomes the front. If this throws,
  // nothing has changed.
  virtual Delivery Take() = 0;

 protected:
  BlockLease Lease() const { return BlockLease(blocks_); }

 private:
  const std::shared_ptr<BlockPool> blocks_;
};

// Batches that threads write to.
class LocalBatches : public Batches {
 public:
  using Batches::Batches;

  // The callers' side, one call at a time.

  // Before the first request, and again after everything was forgotten. If it fails, it can be
  // called again.
  virtual void Start() = 0;
  // Makes a place for the results of `rows` requests, more than none: in the next of these slots,
  // if they are not null. Only ordered batches can be in slots. Throws as Slots::Take does, and
  // std::runtime_error unless the first slot is the next one, or the last batch is in these slots.
  virtual void Open(std::size_t rows, Slots* slots) = 0;
  // Where the requests for which a place was made last put their results; null if they find out
  // themselves.
  virtual Batch* Newest() = 0;
  // Only while there are no workers and no receiver.
  virtual void Forget() = 0;

  // The workers' side.

  // Gives each of these requests, which have run, its row, unless it had one from the start.
  virtual void TakeRows(std::span<Request> requests) = 0;
  // Their rows were written. Returns true if that made a batch ready.
  static bool Complete(std::span<const Request> requests, Clock::time_point now);

  // The receiver's side.

  // Takes no lock: only the receiver itself takes a batch away, so the one that it looks at stays.
  // Sequentially consistent, because the receiver asks before it sleeps (see Gate): a batch comes
  // to the front before its requests are published, and a worker that completes it has seen these.
  bool IsFrontReady() const {
    const Batch* front = front_.load();
    return front != nullptr && front->Ready();
  }

 protected:
  Batch* Front() const { return front_.load(); }
  void SetFront(Batch* batch) { front_.store(batch); }

 private:
  // Null if no batch is open. Workers never look at it.
  alignas(kCacheLine) std::atomic<Batch*> front_ = nullptr;
};
static_assert(alignof(LocalBatches) == kCacheLine && sizeof(LocalBatches) == 2 * kCacheLine);

// One batch for each send, with a row for each id in the order of the ids. They are received in the
// order of the sends.
class OrderedBatches final : public LocalBatches {
 public:
  using LocalBatches::LocalBatches;

  void Start() override {}
  void Open(std::size_t rows, Slots* slots) override;
  Batch* Newest() override { return &open_.back(); }
  bool HasOpen() const override { return !open_.empty(); }
  std::size_t RequestsNeeded() const override { return 1; }
  void Forget() override;
  void TakeRows(std::span<Request>) override {}
  Delivery Take() override;

 private:
  std::list<Batch> open_;  // oldest first
  std::list<Batch> spare_;
  const Slots* last_slots_ = nullptr;  // which the last batch is in, if any
};

// Batches of one size, whose rows are taken in the order of finishing.
//
// Ticket t is row t % batch_size of batch t / batch_size. There is a window of open batches as wide
// as all results that can be in flight, so that a worker never waits for room; batch b is
// window_[b % window_.size()].
class FirstComeBatches final : public LocalBatches {
 public:
  FirstComeBatches(std::shared_ptr<BlockPool> blocks, std::size_t num_envs, std::size_t batch_size);

  void Start() override;
  void Open(std::size_t, Slots*) override {}
  Batch* Newest() override { return nullptr; }
  bool HasOpen() const override { return false; }
  std::size_t RequestsNeeded() const override { return batch_size_; }
  void Forget() override;
  void TakeRows(std::span<Request> requests) override;
  Duration FrontAge() const override { return Clock::now() - Front()->ReadyTime(); }
  Delivery Take() override;

 private:
  const std::size_t batch_size_;
  const std::size_t window_size_;
  std::deque<Batch> window_;
  std::uint64_t next_batch_ = 0;  // the number of the front
  alignas(kCacheLine) std::atomic<std::uint64_t> next_ticket_ = 0;
};

}  // namespace envpool
