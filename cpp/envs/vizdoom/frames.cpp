#include "vizdoom/frames.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace envpool::vizdoom {

Frames::Frames(std::size_t count, std::size_t planes, PlaneSize screen, PlaneSize size,
               Interpolation interpolation)
    : count_(count),
      planes_(planes),
      screen_(screen),
      size_(size),
      resize_(MakeResize(screen, size, interpolation)),
      ring_(count * planes * size.Pixels()) {}

void Frames::Fill(std::span<const std::uint8_t> screen) {
  Push(screen);
  const std::uint8_t* const frame = ring_.data() + newest_ * FrameBytes();
  for (std::size_t i = 0; i < count_; ++i) {
    if (i != newest_) std::copy_n(frame, FrameBytes(), ring_.data() + i * FrameBytes());
  }
}

void Frames::Push(std::span<const std::uint8_t> screen) {
  if (screen.size() != planes_ * screen_.Pixels()) {
    throw std::runtime_error("ViZDoom's screen has " + std::to_string(screen.size()) +
                             " bytes, expected " + std::to_string(planes_ * screen_.Pixels()));
  }
  newest_ = (newest_ + 1) % count_;
  std::uint8_t* row = ring_.data() + newest_ * FrameBytes();
  for (std::size_t plane = 0; plane < planes_; ++plane) {
    for (std::size_t y = 0; y < size_.height; ++y, row += size_.width) {
      resize_->Row(screen.data() + plane * screen_.Pixels(), y, row);
    }
  }
}

void Frames::Write(std::span<std::uint8_t> out) const {
  auto to = out.begin();
  for (std::size_t i = 1; i <= count_; ++i) {
    const std::size_t frame = (newest_ + i) % count_;
    to = std::copy_n(ring_.data() + frame * FrameBytes(), FrameBytes(), to);
  }
}

void Frames::Serialize(Archive& archive) {
  archive.Any(std::span(ring_));
  archive.Index(newest_, count_);
}

}  // namespace envpool::vizdoom
