// BlockPool: recycles the memory of batches.
//
// A block is leased to whoever writes a batch, then to whoever reads it (in Python: to the arrays
// that point into it), and comes back when the lease dies. In a steady loop nothing is allocated
// and no page is touched for the first time. Leases keep their pool alive, not the other way round.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "threads/fork_mark.h"
#include "threads/machine.h"

namespace envpool {

struct BlockDeleter {
  static constexpr std::align_val_t kAlignment{kCacheLine};
  void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
};
using Block = std::unique_ptr<std::byte[], BlockDeleter>;

class BlockPool {
 public:
  // Returned blocks beyond `max_free` are freed.
  BlockPool(std::size_t block_bytes, std::size_t max_free)
      : block_bytes_(block_bytes), max_free_(max_free) {
    free_.reserve(max_free);
  }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  virtual ~BlockPool() = default;

  virtual Block Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Block block = std::move(free_.back());
        free_.pop_back();
        return block;
      }
    }
    Block block(new (BlockDeleter::kAlignment) std::byte[block_bytes_]);
    std::memset(block.get(), 0, block_bytes_);
    return block;
  }

  virtual void GiveBack(Block block) {
    if (fork_mark_.IsForked()) return;  // another thread of the parent may have held the mutex
    const std::lock_guard lock(mutex_);
    if (free_.size() < max_free_) free_.push_back(std::move(block));
  }

 private:
  const std::size_t block_bytes_;
  const std::size_t max_free_;
  const ForkMark fork_mark_;
  std::mutex mutex_;
  std::vector<Block> free_;
};

// A block on loan. Outlives the Pool if need be.
class BlockLease {
 public:
  BlockLease() = default;
  explicit BlockLease(std::shared_ptr<BlockPool> pool)
      : pool_(std::move(pool)), block_(pool_->Take()) {}
  // Borrows memory from an owner who waits for the end of the lease.
  explicit BlockLease(std::byte* borrowed) : block_(borrowed) {}
  BlockLease(BlockLease&& other) noexcept = default;
  BlockLease& operator=(BlockLease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockLease() {
    if (block_ && pool_) {
      pool_->GiveBack(std::move(block_));
    } else {
      static_cast<void>(block_.release());
    }
  }

  std::byte* get() const { return block_.get(); }

 private:
  std::shared_ptr<BlockPool> pool_;
  Block block_;
};

}  // namespace envpool
