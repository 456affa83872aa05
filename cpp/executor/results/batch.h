// Batch: results on their way from the workers to one recv.
//
// Every row is completed exactly once, with a result in the block or with an error; the last one
// makes the batch ready.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "executor/results/block_pool.h"
#include "executor/results/delivery.h"
#include "executor/threads/clock.h"

namespace envpool {

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

  // Call before completing the row.
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
    delivery.errors = errors_;  // a copy: the memory stays here, for Fail
    errors_.clear();
    delivery.warnings = std::exchange(warnings_, {});
    delivery.block = std::move(block_);
    return delivery;
  }

 private:
  BlockLease block_;
  std::size_t rows_ = 0;
  std::atomic<std::size_t> remaining_ = 0;
  std::atomic<Time> completed_ = Time();
  std::mutex error_mutex_;
  std::vector<EnvError> errors_;
  std::vector<EnvWarning> warnings_;
};

}  // namespace envpool
