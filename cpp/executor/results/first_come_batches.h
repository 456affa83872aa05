// FirstComeBatches: batches of one size, whose rows are taken in the order of finishing.
//
// Ticket t is row t % batch_size of batch t / batch_size. There is a window of open batches as wide
// as all results that can be in flight, so that a worker never waits for room; batch b is
// window_[b % window_.size()].
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "executor/results/batches.h"
#include "executor/threads/cache_line.h"

namespace envpool {

class FirstComeBatches final : public Batches {
 public:
  FirstComeBatches(std::shared_ptr<BlockPool> blocks, std::size_t num_envs, std::size_t batch_size);

  void Start() override;
  Batch* Open(std::size_t) override { return nullptr; }
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
