#include "xla/staging.h"

#include <exception>
#include <utility>

#include "threads/machine.h"
#include "xla/transfer.h"

namespace envpool::xla {

namespace {

DeviceAddress AddressOf(const Buffer& buffer) {
  return reinterpret_cast<DeviceAddress>(buffer.data);
}

std::size_t RoomOf(const Buffer& buffer) {
  return (BytesOf(buffer) + kCacheLine - 1) / kCacheLine * kCacheLine;
}

std::size_t RoomOf(std::span<Buffer* const> buffers) {
  std::size_t room = 0;
  for (const Buffer* buffer : buffers) room += RoomOf(*buffer);
  return room;
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

}  // namespace envpool::xla
