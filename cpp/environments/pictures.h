// Pictures: the memory of pictures of environments, which the thread that draws shares with whoever
// asked for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "envpool/env_type.h"

namespace envpool {

// Pictures of one size, one after the other: rows of pixels of three bytes each.
class Pictures {
 public:
  // Throws std::invalid_argument unless the size is at least 1 x 1.
  Pictures(FrameSize size, std::size_t count);

  FrameSize Size() const { return size_; }
  std::span<std::uint8_t> At(std::size_t index);
  std::span<std::uint8_t> All() { return {pixels_.get(), bytes_}; }

 private:
  const FrameSize size_;
  const std::size_t bytes_;
  const std::unique_ptr<std::uint8_t[]> pixels_;
};

// What `look` throws of this environment, with its name in front: as a std::invalid_argument what
// was thrown as such, else as a std::runtime_error.
void LookAt(std::int32_t env_id, const std::function<void()>& look);

}  // namespace envpool
