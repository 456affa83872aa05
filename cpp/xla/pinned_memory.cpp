#include "xla/pinned_memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace envpool::xla {

namespace {

// The largest pages that processors have: what is pinned are whole ones, each only once.
constexpr std::size_t kPageBytes = 1 << 16;

// Flags of the driver's functions.
constexpr unsigned kPinnedForAllContexts = 1;
constexpr unsigned kEventWithoutTime = 2;

// Sizes are powers of two, so that pools of all sizes can use each other's blocks.
std::unique_ptr<PinnedBlock> MakeBlock(const CudaDriver& driver, CudaContext context,
                                       std::size_t bytes) {
  auto block = std::make_unique<PinnedBlock>();
  block->context = context;
  block->bytes = std::bit_ceil(std::max(bytes, kPageBytes));
  block->memory.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, block->bytes)));
  if (!block->memory) throw std::bad_alloc();
  driver.Call(driver.make_event, &block->event, kEventWithoutTime);
  try {
    driver.Call(driver.pin, block->memory.get(), block->bytes, kPinnedForAllContexts);
  } catch (...) {
    driver.destroy_event.address(block->event);
    throw;
  }
  return block;
}

}  // namespace

PinnedMemory& PinnedMemory::Get() {
  static PinnedMemory& memory = *new PinnedMemory;
  return memory;
}

std::unique_ptr<PinnedBlock> PinnedMemory::Take(const CudaDriver& driver, CudaContext context,
                                                std::size_t bytes) {
  {
    const auto free = free_.Lock();
    const auto found = std::ranges::find_if(*free, [&](const auto& block) {
      return block->context == context && block->bytes >= bytes && driver.IsOver(block->event);
    });
    if (found != free->end()) {
      std::unique_ptr<PinnedBlock> block = std::move(*found);
      free->erase(found);
      return block;
    }
  }
  return MakeBlock(driver, context, bytes);
}

void PinnedMemory::GiveBack(std::unique_ptr<PinnedBlock> block) {
  free_.Lock()->push_back(std::move(block));
}

void PinnedMemory::Abandon(std::unique_ptr<PinnedBlock> block) {
  abandoned_.Lock()->push_back(std::move(block));
}

}  // namespace envpool::xla
