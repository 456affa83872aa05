#include "xla/staging.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <utility>

#include "threads/machine.h"
#include "xla/transfer.h"

namespace envpool::xla {

namespace {

DeviceAddress AddressOf(const Buffer& buffer) {
  return reinterpret_cast<DeviceAddress>(buffer.data);
}

std::size_t RoomOf(const Buffer& buffer) { return RoundUp(BytesOf(buffer), kCacheLine); }

std::size_t RoomOf(std::span<Buffer* const> buffers) {
  std::size_t room = 0;
  for (const Buffer* buffer : buffers) room += RoomOf(*buffer);
  return room;
}

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

StreamContext::StreamContext(const CudaDriver& driver, CudaStream stream) : driver_(driver) {
  driver_.Call(driver_.get_context, stream, &context_);
  driver_.Call(driver_.push_context, context_);
}

Staging::HostArrays::HostArrays(std::span<Buffer* const> arrays) {
  for (const Buffer* array : arrays) buffers.push_back(*array);
  for (Buffer& buffer : buffers) pointers.push_back(&buffer);
}

Staging::Staging(const CudaDriver& driver, CudaStream stream, Inputs inputs, Outputs outputs)
    : driver_(driver),
      stream_(stream),
      context_(driver, stream),
      inputs_(inputs),
      outputs_(outputs),
      host_inputs_(inputs),
      host_outputs_(outputs),
      block_(PinnedMemory::Get().Take(driver, context_.Get(), RoomOf(inputs) + RoomOf(outputs))) {
  std::byte* place = block_->memory.get();
  for (HostArrays* arrays : {&host_inputs_, &host_outputs_}) {
    for (Buffer& buffer : arrays->buffers) {
      buffer.data = place;
      place += RoomOf(buffer);
    }
  }
}

Staging::~Staging() {
  PinnedMemory& memory = PinnedMemory::Get();
  try {
    if (is_copying_) driver_.Call(driver_.synchronize, stream_);
    memory.GiveBack(std::move(block_));
  } catch (const std::exception&) {
    memory.Abandon(std::move(block_));
  }
}

Inputs Staging::Fetch() {
  if (inputs_.empty()) return {};
  is_copying_ = true;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::size_t bytes = BytesOf(*inputs_[i]);
    if (bytes == 0) continue;
    driver_.Call(driver_.copy_to_host, host_inputs_.buffers[i].data, AddressOf(*inputs_[i]), bytes,
                 stream_);
  }
  driver_.Call(driver_.synchronize, stream_);
  is_copying_ = false;
  return host_inputs_.pointers;
}

void Staging::Deliver() {
  if (outputs_.empty()) return;
  is_copying_ = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::size_t bytes = BytesOf(*outputs_[i]);
    if (bytes == 0) continue;
    driver_.Call(driver_.copy_to_device, AddressOf(*outputs_[i]), host_outputs_.buffers[i].data,
                 bytes, stream_);
  }
  driver_.Call(driver_.record, block_->event, stream_);
  is_copying_ = false;
}

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
