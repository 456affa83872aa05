// SharedBatches: the batches in shared memory, which workers write to and callers read.
//
// Callers may keep results for as long as they like, but not those blocks of shared memory that the
// batches need which can be open: before that, results are copied to memory of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/batches.h"
#include "results/block_pool.h"
#include "results/layout.h"
#include "workers/exchange.h"
#include "workers/file.h"
#include "workers/shared_config.h"

namespace envpool {

// The blocks of shared memory.
class SharedBlocks final : public BlockPool {
 public:
  // Keeps the memory, not the exchange.
  SharedBlocks(const Exchange& exchange, std::size_t block_bytes)
      : BlockPool(block_bytes, 0), memory_(exchange.Memory()) {
    for (std::size_t i = exchange.NumBlocks(); i > 0; --i) free_.push_back(exchange.Block(i - 1));
  }

  // The caller has made sure that there is one.
  Block Take() override {
    const std::lock_guard lock(mutex_);
    std::byte* block = free_.back();
    free_.pop_back();
    return Block(block);
  }
  void GiveBack(Block block) override {
    const std::lock_guard lock(mutex_);
    free_.push_back(block.release());
  }

  // True if there are at least so many that nobody has.
  bool Has(std::size_t count) {
    const std::lock_guard lock(mutex_);
    return free_.size() >= count;
  }

 private:
  const std::shared_ptr<const SharedMemory> memory_;
  std::mutex mutex_;
  std::vector<std::byte*> free_;
};

class SharedBatches final : public Batches {
 public:
  // `outboxes` have the letters of each worker. What is referred to outlives it.
  SharedBatches(const SharedConfig& config, const Layout& layout, Exchange& exchange,
                std::span<const File> outboxes);

  // Makes a place for the results of so many requests. Throws if there are too many sends whose
  // results were not received.
  void Open(std::size_t rows);
  // Where the result of this request of the newest send goes. In an asynchronous pool nobody knows.
  std::optional<Place> PlaceOf(std::size_t request) const;

  // Of an environment in flight whose worker does not exist any more:
  // Returns the row of its result, if it has one already.
  std::optional<Place> FindPlace(std::int32_t env);
  // Completes its row, unless it has a result already.
  void Fail(std::int32_t env, std::string why);

  bool HasOpen() const override { return is_synchronous_ && num_open_.load() > 0; }
  std::size_t RequestsNeeded() const override { return is_synchronous_ ? 1 : batch_size_; }
  // Takes no lock: see LocalBatches.
  bool IsFrontReady() const { return num_open_.load() > 0 && exchange_.IsReady(front_.load()); }
  Delivery Take() override;

 private:
  void OpenAt(std::size_t batch, std::size_t rows);
  std::size_t After(std::size_t batch, std::size_t count) const {
    return (batch + count) % leases_.size();
  }
  BlockLease TakeBlock(std::size_t batch);
  void ReadRows(std::size_t batch, Delivery& delivery);

  const SharedConfig& config_;
  const Layout& layout_;
  Exchange& exchange_;
  const std::span<const File> outboxes_;
  const bool is_synchronous_;
  const std::size_t batch_size_;
  const std::shared_ptr<SharedBlocks> blocks_;
  std::vector<BlockLease> leases_;  // of each batch that is open
  std::vector<std::string> ends_;   // of each environment that has failed with its worker: how
  std::uint64_t received_ = 0;
  // Open batches follow one another, beginning with the front. In an asynchronous pool all are.
  std::atomic<std::size_t> front_ = 0;
  std::atomic<std::size_t> num_open_ = 0;
};

}  // namespace envpool
