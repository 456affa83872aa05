// Batches: where the rows of results go, and which batch is received next.
//
// There are two kinds: ordered batches, one for each send, whose rows follow the ids of the send;
// and first-come batches of one size, whose rows are taken in the order of finishing.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "executor/results/batch.h"
#include "executor/results/block_pool.h"
#include "executor/scheduling/request.h"
#include "executor/threads/cache_line.h"
#include "executor/threads/clock.h"

namespace envpool {

class Batches {
 public:
  explicit Batches(std::shared_ptr<BlockPool> blocks) : blocks_(std::move(blocks)) {}
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  virtual ~Batches() = default;

  // The callers' side, one call at a time.

  // Before the first request, and again after everything was forgotten. If it fails, it can be
  // called again.
  virtual void Start() = 0;
  // Where `rows` requests, more than none, put their results; null if they find out themselves.
  virtual Batch* Open(std::size_t rows) = 0;
  // Is there a batch that belongs to an earlier send?
  virtual bool HasOpen() const = 0;
  // How many requests must be in flight so that a receive returns.
  virtual std::size_t RequestsNeeded() const = 0;
  // Only while there are no workers and no receiver.
  virtual void Forget() = 0;
  // A batch of no rows.
  Delivery Empty() const {
    Delivery delivery;
    delivery.block = BlockLease(blocks_);
    return delivery;
  }

  // The workers' side.

  // Gives each of these requests, which have run, its row, unless it had one from the start.
  virtual void TakeRows(std::span<Request> requests) = 0;
  // Their rows were written. Returns true if that made a batch ready.
  static bool Complete(std::span<const Request> requests, Clock::time_point now);

  // The receiver's side, one thread at a time.

  // Takes no lock: only the receiver itself takes a batch away, so the one that it looks at stays.
  // Sequentially consistent, because the receiver asks before it sleeps (see Gate): a batch comes
  // to the front before its requests are published, and a worker that completes it has seen these.
  bool IsFrontReady() const {
    const Batch* front = front_.load();
    return front != nullptr && front->Ready();
  }
  // For how long the front has been ready; none where the receiver waits for it anyway.
  virtual Duration FrontAge() const = 0;
  // The front, which is ready; the next batch becomes the front. Not while a caller is at the other
  // side. If it throws, nothing has changed.
  virtual Delivery Take() = 0;

 protected:
  BlockLease Lease() const { return BlockLease(blocks_); }
  Batch* Front() const { return front_.load(); }
  void SetFront(Batch* batch) { front_.store(batch); }

 private:
  const std::shared_ptr<BlockPool> blocks_;
  // The batch that is received next; null if none is open. Workers never look at it.
  alignas(kCacheLine) std::atomic<Batch*> front_ = nullptr;
};
static_assert(alignof(Batches) == kCacheLine && sizeof(Batches) == 2 * kCacheLine);

}  // namespace envpool
