// SharedBlocks: the blocks of shared memory that workers write results to, and that callers read.
//
// Callers may keep results for as long as they like, but not those blocks that the batches need
// which can be open: before that, results are copied to memory of the process (ProcessPool).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "executor/results/block_pool.h"
#include "workers/exchange.h"

namespace envpool {

class SharedBlocks final : public BlockPool {
 public:
  // Keeps the memory, not the exchange.
  explicit SharedBlocks(const Exchange& exchange, std::size_t block_bytes)
      : BlockPool(block_bytes, 0), memory_(exchange.Memory()) {
    for (std::size_t i = exchange.NumBlocks(); i > 0; --i) free_.push_back(exchange.Block(i - 1));
  }

  // Throws if more are taken than batches can be open.
  Block Take() override {
    const std::lock_guard lock(mutex_);
    std::byte* block = free_.back();
    free_.pop_back();
    return Block(block);
  }

  void GiveBack(Block block) override {
    if (block.get() < memory_->Begin() || block.get() >= memory_->End()) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(block.release());
  }

  // Are there at least so many that nobody has?
  bool Has(std::size_t count) {
    const std::lock_guard lock(mutex_);
    return free_.size() >= count;
  }

 private:
  const std::shared_ptr<const SharedMemory> memory_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

}  // namespace envpool
