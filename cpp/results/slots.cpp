#include "results/slots.h"

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "threads/machine.h"

namespace envpool {

Slots::Slots(std::size_t block_bytes, std::size_t count, std::size_t blocks)
    : BlockPool(block_bytes, 0),
      block_bytes_(block_bytes),
      count_(count),
      blocks_(blocks),
      memory_(std::calloc(blocks * block_bytes + kCacheLine, 1)) {
  if (!memory_) throw std::bad_alloc();
  void* first = memory_.get();
  std::size_t space = blocks * block_bytes + kCacheLine;
  first_ = static_cast<std::byte*>(std::align(kCacheLine, blocks * block_bytes, first, space));
}

void Slots::CheckFilled() const {
  if (!is_begun_.load()) throw std::runtime_error("there is nothing in the rollout: reset() it");
  if (filled_.load() == taken_.load()) return;
  throw std::runtime_error(
      "the rollout's last call failed or was interrupted, so a step is missing: reset() it");
}

Block Slots::Take() {
  CheckFilled();
  const std::size_t next = taken_.load();
  if (next == count_) {
    throw std::runtime_error("the rollout is full, with " + std::to_string(count_ - 1) +
                             " steps: begin() the next one");
  }
  taken_.store(next + 1);
  return Block(BlockOf(next));
}

std::size_t Slots::Fill() {
  filled_.store(taken_.load());
  return filled_.load() - 1;
}

void Slots::Rewind() {
  is_begun_.store(true);
  taken_.store(0);
  filled_.store(0);
}

void Slots::Restart() {
  CheckFilled();
  const std::byte* last = BlockOf(filled_.load() - 1);
  if (last != first_) std::memcpy(first_, last, block_bytes_);
  taken_.store(1);
  filled_.store(1);
}

}  // namespace envpool
