// Batch: results on their way from the workers to one recv.
//
// Every row is completed exactly once, with a result in the block or with an error; the last one
// makes the batch ready.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "executor/block_pool.h"

namespace envpool {

struct EnvError {
  std::size_t row;
  int env_id;
  std::string message;
};

struct EnvWarning {
  int env_id;
  std::string message;
};

class Batch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Makes the batch wait for `rows` results, to be written to `lease`.
  void Open(std::size_t rows, BlockLease lease) {
    errors_.reserve(rows);  // so that Fail cannot fail
    warnings_.clear();
    rows_ = rows;
    block = std::move(lease);
    remaining_.store(rows);
  }

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

  // Only once the batch is ready.
  bool HasErrors() const { return !errors_.empty(); }

  bool Ready() const { return remaining_.load() == 0; }
  // Only once the batch is ready.
  Time ReadyTime() const { return completed_.load(std::memory_order_relaxed); }
  std::size_t Rows() const { return rows_; }
  // Only once the batch is ready.
  std::vector<EnvError> TakeErrors() {
    std::vector<EnvError> errors(errors_);
    errors_.clear();
    return errors;
  }

  // Only once the batch is ready.
  std::vector<EnvWarning> TakeWarnings() { return std::exchange(warnings_, {}); }

  BlockLease block;

 private:
  std::size_t rows_ = 0;
  std::atomic<std::size_t> remaining_ = 0;
  std::atomic<Time> completed_ = Time();
  std::mutex error_mutex_;
  std::vector<EnvError> errors_;
  std::vector<EnvWarning> warnings_;
};

}  // namespace envpool
