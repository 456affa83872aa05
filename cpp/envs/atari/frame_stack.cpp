#include "atari/frame_stack.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace envpool::atari {

FrameStack::FrameStack(const FrameStackConfig& config, Colours colours)
    : config_(config),
      colours_(std::move(colours)),
      resize_(MakeResize(config.screen, config.size, config.interpolation)),
      earlier_screen_(config.screen.Pixels()),
      later_screen_(config.screen.Pixels()),
      earlier_(NumPlanes() * config.screen.Pixels()),
      pooled_(NumPlanes() * config.screen.Pixels()),
      earlier_changed_(config.screen.height),
      pooled_changed_(config.screen.height, true),
      stack_(config.frames * FrameBytes()) {}

void FrameStack::Begin(std::span<const std::uint8_t> screen) {
  std::ranges::fill(earlier_, 0);
  earlier_is_valid_ = pooled_is_valid_ = false;
  KeepLater(screen);
  pooled_is_valid_ = false;  // earlier_ came from no screen
}

void FrameStack::KeepEarlier(std::span<const std::uint8_t> screen) {
  const std::size_t width = config_.screen.width;
  for (std::size_t row = 0; row < config_.screen.height; ++row) {
    const std::uint8_t* pixels = screen.data() + row * width;
    std::uint8_t* kept = earlier_screen_.data() + row * width;
    const bool is_same = earlier_is_valid_ && std::memcmp(kept, pixels, width) == 0;
    earlier_changed_[row] = !is_same;
    if (is_same) continue;
    std::memcpy(kept, pixels, width);
    for (std::size_t plane = 0; plane < NumPlanes(); ++plane) {
      const std::size_t start = plane * config_.screen.Pixels() + row * width;
      colours_.LookUp(plane, pixels, width, earlier_.data() + start);
    }
  }
  earlier_is_valid_ = true;
}

void FrameStack::KeepLater(std::span<const std::uint8_t> screen) {
  const std::size_t width = config_.screen.width;
  for (std::size_t row = 0; row < config_.screen.height; ++row) {
    const std::uint8_t* pixels = screen.data() + row * width;
    std::uint8_t* kept = later_screen_.data() + row * width;
    const bool is_same =
        pooled_is_valid_ && !earlier_changed_[row] && std::memcmp(kept, pixels, width) == 0;
    if (is_same) continue;
    std::memcpy(kept, pixels, width);
    PoolRow(row, pixels);
    pooled_changed_[row] = true;
  }
  pooled_is_valid_ = later_is_kept_ = true;
}

void FrameStack::PoolRow(std::size_t row, const std::uint8_t* screen) {
  const std::size_t width = config_.screen.width;
  for (std::size_t plane = 0; plane < NumPlanes(); ++plane) {
    const std::size_t start = plane * config_.screen.Pixels() + row * width;
    std::uint8_t* pooled = pooled_.data() + start;
    colours_.LookUp(plane, screen, width, pooled);
    if (!config_.pools) continue;
    const std::uint8_t* earlier = earlier_.data() + start;
    for (std::size_t x = 0; x < width; ++x) pooled[x] = std::max(pooled[x], earlier[x]);
  }
}

// Pools the rows of a step that ended before its last picture.
void FrameStack::PoolAll() {
  if (!config_.pools) return;
  for (std::size_t i = 0; i < pooled_.size(); ++i) pooled_[i] = std::max(pooled_[i], earlier_[i]);
  std::ranges::fill(pooled_changed_, true);
  pooled_is_valid_ = false;
}

bool FrameStack::HasChanged(Resize::Rows rows) const {
  const auto first = pooled_changed_.begin() + static_cast<std::ptrdiff_t>(rows.first);
  return std::find(first, first + static_cast<std::ptrdiff_t>(rows.count), true) !=
         first + static_cast<std::ptrdiff_t>(rows.count);
}

void FrameStack::Push() {
  if (!std::exchange(later_is_kept_, false)) PoolAll();
  const std::uint8_t* last = Frame(newest_);
  newest_ = (newest_ + 1) % config_.frames;
  std::uint8_t* frame = Frame(newest_);
  const std::size_t width = config_.size.width;
  for (std::size_t row = 0; row < config_.size.height; ++row) {
    const bool has_changed = HasChanged(resize_->SourceRows(row));
    for (std::size_t plane = 0; plane < NumPlanes(); ++plane) {
      const std::size_t start = plane * config_.size.Pixels() + row * width;
      if (has_changed) {
        resize_->Row(pooled_.data() + plane * config_.screen.Pixels(), row, frame + start);
      } else if (frame != last) {
        std::memcpy(frame + start, last + start, width);
      }
    }
  }
  std::ranges::fill(pooled_changed_, false);
}

void FrameStack::Fill() {
  for (std::size_t index = 0; index < config_.frames; ++index) {
    if (index != newest_) std::memcpy(Frame(index), Frame(newest_), FrameBytes());
  }
}

void FrameStack::Write(std::span<std::uint8_t> out) const {
  std::uint8_t* place = out.data();
  for (std::size_t i = 1; i <= config_.frames; ++i) {
    std::memcpy(place, Frame((newest_ + i) % config_.frames), FrameBytes());
    place += FrameBytes();
  }
}

void FrameStack::Serialize(Archive& archive) {
  archive.Any(std::span(earlier_), std::span(pooled_), std::span(stack_));
  archive.Index(newest_, config_.frames);
  if (!archive.IsReader()) return;
  earlier_is_valid_ = pooled_is_valid_ = false;
  std::ranges::fill(pooled_changed_, true);
}

}  // namespace envpool::atari
