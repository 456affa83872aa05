// Frames: the last pictures of the screen, resized, as an agent sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "resize/resize.h"

namespace envpool::vizdoom {

class Frames {
 public:
  // Each has so many planes, which are made from the first of these sizes to the last, step by
  // step.
  Frames(std::size_t count, std::size_t planes, const std::vector<PlaneSize>& sizes,
         Interpolation interpolation);

  // All frames become this picture, plane by plane.
  void Fill(std::span<const std::uint8_t> screen);
  // The oldest frame makes room for this picture.
  void Push(std::span<const std::uint8_t> screen);

  // Writes the frames, the oldest one first.
  void Write(std::span<std::uint8_t> out) const;

 private:
  // A resize, and its result if that is not the last.
  struct Stage {
    PlaneSize size;
    std::unique_ptr<Resize> resize;
    std::vector<std::uint8_t> plane;
  };

  std::size_t FrameBytes() const { return planes_ * stages_.back().size.Pixels(); }

  std::size_t count_;
  std::size_t planes_;
  PlaneSize screen_;
  std::vector<Stage> stages_;
  std::vector<std::uint8_t> ring_;
  std::size_t newest_ = 0;
};

}  // namespace envpool::vizdoom
