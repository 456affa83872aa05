// Slots: the blocks of many batches one after the other in one piece of memory, for a rollout.
//
// A pool that is given slots leases the next one for its batch. So its threads write the results
// where they stay, and write them as they write all others. Slots of whoever copies results after
// each step share one block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include "results/block_pool.h"

namespace envpool {

// Always in a shared_ptr: what is leased keeps it.
class Slots final : public BlockPool, public std::enable_shared_from_this<Slots> {
 public:
  // Slots take turns with so many blocks: with fewer than slots, only the last ones stay. The
  // system gives pages when they are first written, so what nobody writes, such as the last rows of
  // episodes that go on, takes no memory. Throws std::bad_alloc.
  Slots(std::size_t block_bytes, std::size_t count, std::size_t blocks);

  // The next slot. Throws std::runtime_error if there is none, if the last one was not filled, or
  // before the first Rewind.
  Block Take() override;
  void GiveBack(Block block) override { static_cast<void>(block.release()); }  // it stays here

  // What follows are a caller's own calls, one at a time.

  // The batch in the slot that was taken last is complete. Returns which slot that is.
  std::size_t Fill();
  // The next slot is the first one, whatever happened before.
  void Rewind();
  // Copies the slot that was filled last into the first one, after which the second is the next.
  // Throws std::runtime_error if there is none, or if the last one was not filled.
  void Restart();

  std::size_t Taken() const { return taken_.load(); }
  std::size_t Blocks() const { return blocks_; }
  std::size_t BlockBytes() const { return block_bytes_; }
  std::byte* Memory() const { return first_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  void CheckFilled() const;
  std::byte* BlockOf(std::size_t slot) const { return first_ + slot % blocks_ * block_bytes_; }

  const std::size_t block_bytes_;
  const std::size_t count_;
  const std::size_t blocks_;
  const std::unique_ptr<void, Free> memory_;
  std::byte* first_;                    // in the memory, on a line of the cache
  std::atomic<bool> is_begun_ = false;  // there was a rewind
  // How many were leased, and how many of these have a complete batch: all of them, or all but the
  // last one. Another thread may be in a call.
  std::atomic<std::size_t> taken_ = 0;
  std::atomic<std::size_t> filled_ = 0;
};

}  // namespace envpool
