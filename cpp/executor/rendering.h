// Rendering: pictures, and descriptions for pictures, of environments that a call has borrowed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "envpool/family.h"
#include "executor/environments.h"
#include "executor/interrupt.h"

namespace envpool {

class Rendering {
 public:
  // Of these environments, in the order of the ids; what is referred to outlives it. As soon as
  // `closing` is not zero, no further pictures are begun.
  Rendering(Environments& environments, std::span<const std::int32_t> env_ids,
            const std::atomic<int>& closing)
      : environments_(environments), env_ids_(env_ids), closing_(closing) {}

  // Throws std::invalid_argument if that is not the room for so many pictures of this size.
  static void CheckRoom(FrameSize size, std::size_t count, std::span<const std::uint8_t> pixels);

  // Both throw if an environment fails: as a std::invalid_argument what it threw as such, else as a
  // std::runtime_error, with its name in front.
  void Draw(FrameSize size, int camera, std::span<std::uint8_t> pixels, std::size_t most_threads,
            Interrupt interrupt) const;
  std::vector<Scene> Describe(Interrupt interrupt) const;

 private:
  void VisitAll(const std::function<void(Env& env, std::size_t index)>& visit,
                std::size_t most_threads, Interrupt interrupt) const;

  Environments& environments_;
  const std::span<const std::int32_t> env_ids_;
  const std::atomic<int>& closing_;
};

}  // namespace envpool
