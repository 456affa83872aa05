// Frames: the last pictures of the screen, made smaller, as an agent sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "envpool/archive.h"
#include "resize/resize.h"

namespace envpool::vizdoom {

class Frames {
 public:
  // Of so many planes of this size, made of a screen of that size.
  Frames(std::size_t count, std::size_t planes, PlaneSize screen, PlaneSize size,
         Interpolation interpolation);

  // All frames become this picture, plane by plane.
  void Fill(std::span<const std::uint8_t> screen);
  // The oldest frame makes room for this picture.
  void Push(std::span<const std::uint8_t> screen);

  // Writes the frames, the oldest one first.
  void Write(std::span<std::uint8_t> out) const;

  void Serialize(Archive& archive);

 private:
  std::size_t FrameBytes() const { return planes_ * size_.Pixels(); }

  const std::size_t count_;
  const std::size_t planes_;
  const PlaneSize screen_;
  const PlaneSize size_;
  const std::unique_ptr<Resize> resize_;
  std::vector<std::uint8_t> ring_;
  std::size_t newest_ = 0;
};

}  // namespace envpool::vizdoom
