// Staging: the arrays of a call that are in a GPU's memory, as a port can read and write them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "xla/cuda_driver.h"
#include "xla/pinned_memory.h"
#include "xla/port.h"

namespace envpool::xla {

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
