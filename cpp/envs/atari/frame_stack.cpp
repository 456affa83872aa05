#include "atari/frame_stack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "atari/packed_bytes.h"

namespace envpool::atari {

FrameStack::FrameStack(const FrameStackConfig& config, Colours colours)
    : config_(config),
      colours_(std::move(colours)),
      resize_(MakeResize(config.screen, config.size, config.interpolation)),
      pooled_(NumPlanes() * config.screen.Pixels()),
      row_(2 * config.screen.width),
      changed_(config.screen.height, true),
      stack_(config.frames * FrameBytes()) {}

void FrameStack::Begin(std::span<const std::uint8_t> screen) {
  Pool({.later = screen});
  Shrink();
}

void FrameStack::Push(const LastPictures& pictures) {
  Pool(pictures);
  Shrink();
}

// Gymnasium pools into the buffer of the later picture. So a step that has no later one pools with
// what is there already.
void FrameStack::Pool(const LastPictures& pictures) {
  if (pictures.later.empty() && (pictures.earlier.empty() || !config_.pools)) return;
  const std::size_t width = config_.screen.width;
  for (std::size_t plane = 0; plane < NumPlanes(); ++plane) {
    for (std::size_t row = 0; row < config_.screen.height; ++row) {
      std::uint8_t* pooled = pooled_.data() + plane * config_.screen.Pixels() + row * width;
      PoolRow(plane, row, pictures);
      if (std::memcmp(pooled, row_.data(), width) == 0) continue;
      std::memcpy(pooled, row_.data(), width);
      changed_[row] = true;
    }
  }
}

// Leaves the row's colours in row_, where those of the row above are.
void FrameStack::PoolRow(std::size_t plane, std::size_t row, const LastPictures& pictures) {
  const std::size_t width = config_.screen.width;
  const auto pixels = [&](std::span<const std::uint8_t> picture) {
    return picture.data() + row * width;
  };
  std::uint8_t* values = row_.data();
  const bool has_later = !pictures.later.empty();
  if (has_later) {
    if (IsLikeTheRowAbove(row, pictures)) return;
    colours_.LookUp(plane, pixels(pictures.later), width, values);
  } else {
    std::memcpy(values, pooled_.data() + plane * config_.screen.Pixels() + row * width, width);
  }
  if (!config_.pools || pictures.earlier.empty()) return;
  if (has_later && std::memcmp(pixels(pictures.earlier), pixels(pictures.later), width) == 0) {
    return;
  }
  std::uint8_t* earlier = values + width;
  colours_.LookUp(plane, pixels(pictures.earlier), width, earlier);
  for (std::size_t x = 0; x < width; ++x) values[x] = std::max(values[x], earlier[x]);
}

bool FrameStack::IsLikeTheRowAbove(std::size_t row, const LastPictures& pictures) const {
  if (row == 0) return false;
  const std::size_t width = config_.screen.width;
  const auto is_like = [&](std::span<const std::uint8_t> picture) {
    const std::uint8_t* pixels = picture.data() + row * width;
    return picture.empty() || std::memcmp(pixels, pixels - width, width) == 0;
  };
  return is_like(pictures.later) && is_like(pictures.earlier);
}

bool FrameStack::HasChanged(Resize::Rows rows) const {
  const auto first = changed_.begin() + static_cast<std::ptrdiff_t>(rows.first);
  const auto last = first + static_cast<std::ptrdiff_t>(rows.count);
  return std::find(first, last, true) != last;
}

// Adds the pooled picture to the stack.
void FrameStack::Shrink() {
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
  std::ranges::fill(changed_, false);
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
  TransferPacked(archive, pooled_, 0, config_.screen.width);
  // Frames differ little from each other.
  TransferPacked(archive, std::span(stack_).first(FrameBytes()), 0, config_.size.width);
  TransferPacked(archive, stack_, FrameBytes(), FrameBytes());
  archive.Index(newest_, config_.frames);
  if (archive.IsReader()) std::ranges::fill(changed_, true);
}

}  // namespace envpool::atari
