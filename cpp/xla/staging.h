// Staging: the arrays of a call that are in a GPU's memory, as a port can read and write them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "threads/gate.h"
#include "xla/cuda_driver.h"
#include "xla/port.h"

namespace envpool::xla {

struct PinnedBlock {
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  CudaContext context = nullptr;
  CudaEvent event = nullptr;  // of that context
  std::size_t bytes = 0;
  std::unique_ptr<std::byte[], Free> memory;
};

// The host's memory that GPUs read and write by themselves.
//
// To pin memory takes far longer than a step, so blocks are used again and again. A copy may still
// read a block after the call that began it has returned; the event of a block says when it is
// over.
class PinnedMemory {
 public:
  // The process's. It is never destroyed, and so needs no driver when the process ends.
  static PinnedMemory& Get();

  // A block of so many bytes or more that no copy uses. The context must be the current one. Throws
  // what the driver throws.
  std::unique_ptr<PinnedBlock> Take(const CudaDriver& driver, CudaContext context,
                                    std::size_t bytes);

  // Gives back a block, which is taken again once its event is over.
  void GiveBack(std::unique_ptr<PinnedBlock> block);

  // Gives up a block for ever: nobody knows whether a copy still uses it.
  void Abandon(std::unique_ptr<PinnedBlock> block);

 private:
  using Blocks = std::vector<std::unique_ptr<PinnedBlock>>;

  Guarded<Blocks> free_;
  Guarded<Blocks> abandoned_;
};

// Makes the context of a stream current for as long as it lives.
class StreamContext {
 public:
  StreamContext(const CudaDriver& driver, CudaStream stream);
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;
  ~StreamContext() { driver_.pop_context.address(&context_); }

  CudaContext Get() const { return context_; }

 private:
  const CudaDriver& driver_;
  CudaContext context_ = nullptr;
};

// All copies are work of the stream, as are the program's own before and after the call. So only
// arguments are waited for.
class Staging {
 public:
  // Throws what the driver throws, and std::invalid_argument for a type that no pool has.
  Staging(const CudaDriver& driver, CudaStream stream, Inputs inputs, Outputs outputs);
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  // Copies the arguments from the GPU, and waits until they are here.
  Inputs Fetch();

  // Where the results belong, until Deliver() begins to copy them to the GPU.
  Outputs HostOutputs() const { return host_outputs_.pointers; }
  void Deliver();

 private:
  // The same arrays in the block.
  struct HostArrays {
    explicit HostArrays(std::span<Buffer* const> arrays);

    std::vector<Buffer> buffers;
    std::vector<Buffer*> pointers;
  };

  const CudaDriver& driver_;
  const CudaStream stream_;
  const StreamContext context_;
  const Inputs inputs_;  // in the GPU's memory
  const Outputs outputs_;
  HostArrays host_inputs_;
  HostArrays host_outputs_;
  std::unique_ptr<PinnedBlock> block_;
  bool is_copying_ = false;  // there may be copies of which no event tells
};

}  // namespace envpool::xla
