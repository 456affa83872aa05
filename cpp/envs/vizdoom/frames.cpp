#include "vizdoom/frames.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace envpool::vizdoom {

Frames::Frames(std::size_t count, std::size_t planes, const std::vector<PlaneSize>& sizes,
               Interpolation interpolation)
    : count_(count), planes_(planes), screen_(sizes.front()) {
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const bool is_last = i + 1 == sizes.size();
    stages_.push_back({.size = sizes[i],
                       .resize = MakeResize(sizes[i - 1], sizes[i], interpolation),
                       .plane = std::vector<std::uint8_t>(is_last ? 0 : sizes[i].Pixels())});
  }
  ring_.resize(count * FrameBytes());
}

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
  std::uint8_t* frame = ring_.data() + newest_ * FrameBytes();
  for (std::size_t plane = 0; plane < planes_; ++plane) {
    const std::uint8_t* from = screen.data() + plane * screen_.Pixels();
    for (Stage& stage : stages_) {
      std::uint8_t* const to = stage.plane.empty() ? frame : stage.plane.data();
      for (std::size_t y = 0; y < stage.size.height; ++y) {
        stage.resize->Row(from, y, to + y * stage.size.width);
      }
      from = to;
    }
    frame += stages_.back().size.Pixels();
  }
}

void Frames::Write(std::span<std::uint8_t> out) const {
  auto to = out.begin();
  for (std::size_t i = 1; i <= count_; ++i) {
    const std::size_t frame = (newest_ + i) % count_;
    to = std::copy_n(ring_.data() + frame * FrameBytes(), FrameBytes(), to);
  }
}

}  // namespace envpool::vizdoom
