// PinnedMemory: the host's memory that GPUs read and write by themselves.
//
// To pin memory takes far longer than a step, so blocks are used again and again. A copy may still
// read a block after the call that began it has returned; the event of a block says when it is
// over.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "threads/guarded.h"
#include "xla/cuda_driver.h"

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

}  // namespace envpool::xla
