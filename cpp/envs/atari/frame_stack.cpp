#include "atari/frame_stack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "atari2600/packed_bytes.h"

namespace envpool::atari {

namespace {

// True if there are later pictures, in which the row is like the one above.
bool Repeats(std::size_t row, const LastPictures& pictures) {
  if (row == 0 || pictures.later == nullptr) return false;
  const auto repeats = [row](const atari2600::Picture* picture) {
    return picture == nullptr || picture->Repeats(row) ||
           std::memcmp(picture->Row(row), picture->Row(row - 1), atari2600::kWidth) == 0;
  };
  return repeats(pictures.later) && repeats(pictures.earlier);
}

}  // namespace

FrameStack::FrameStack(const FrameStackConfig& config, Colours colours)
    : config_(config),
      colours_(std::move(colours)),
      resize_(MakeResize(config.screen, config.size, config.interpolation)),
      pooled_(NumPlanes(), KeptPlane(config.screen)),
      changed_(config.screen.height),
      stack_(config.frames * FrameBytes()) {}

// A state that was read may have made up what is kept: nothing of it is to outlive an episode.
void FrameStack::Begin(const atari2600::Picture& screen) {
  shrinks_all_ = true;
  Push({.later = &screen});
  shrinks_all_ = false;
}

void FrameStack::Push(const LastPictures& pictures) {
  std::array<std::uint8_t, atari2600::kPictureSize> pooled;  // filled only as far as it is used
  const std::size_t last = newest_;
  newest_ = (newest_ + 1) % config_.frames;
  const std::size_t width = config_.screen.width;
  for (std::size_t plane = 0; plane < NumPlanes(); ++plane) {
    KeptPlane& kept = pooled_[plane];
    bool has_changed = false;
    for (std::size_t row = 0; row < config_.screen.height; ++row) {
      std::uint8_t* values = pooled.data() + row * width;
      if (Repeats(row, pictures)) {
        std::memcpy(values, values - width, width);
        changed_[row] = changed_[row - 1];
        if (kept.Repeats(row)) continue;
      } else {
        PoolRow(plane, row, pictures, values);
      }
      changed_[row] = std::memcmp(values, kept.Row(row), width) != 0;
      has_changed = has_changed || changed_[row] != 0;
    }
    Shrink(plane, pooled.data(), last);
    if (has_changed) kept.Keep(pooled.data());
  }
}

// Gymnasium pools into the buffer of the later picture. So a step that has no later one pools with
// what is there already.
void FrameStack::PoolRow(std::size_t plane, std::size_t row, const LastPictures& pictures,
                         std::uint8_t* values) const {
  const std::size_t width = config_.screen.width;
  const bool has_later = pictures.later != nullptr;
  if (!has_later) {
    std::memcpy(values, pooled_[plane].Row(row), width);
  } else {
    colours_.LookUp(plane, pictures.later->Row(row), width, values);
  }
  if (!config_.pools || pictures.earlier == nullptr) return;
  const std::uint8_t* earlier = pictures.earlier->Row(row);
  if (has_later && std::memcmp(earlier, pictures.later->Row(row), width) == 0) return;
  std::array<std::uint8_t, atari2600::kWidth> values_of_earlier;
  colours_.LookUp(plane, earlier, width, values_of_earlier.data());
  for (std::size_t x = 0; x < width; ++x) values[x] = std::max(values[x], values_of_earlier[x]);
}

bool FrameStack::HasChanged(Resize::Rows rows) const {
  const auto first = changed_.begin() + static_cast<std::ptrdiff_t>(rows.first);
  const auto last = first + static_cast<std::ptrdiff_t>(rows.count);
  return std::find(first, last, true) != last;
}

// Adds a plane to the newest frame, whose unchanged rows are those of the frame before.
void FrameStack::Shrink(std::size_t plane, const std::uint8_t* pooled, std::size_t last) {
  const std::size_t width = config_.size.width;
  for (std::size_t row = 0; row < config_.size.height; ++row) {
    const std::size_t start = plane * config_.size.Pixels() + row * width;
    std::uint8_t* values = Frame(newest_) + start;
    if (shrinks_all_ || HasChanged(resize_->SourceRows(row))) {
      resize_->Row(pooled, row, values);
    } else if (newest_ != last) {
      std::memcpy(values, Frame(last) + start, width);
    }
  }
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
  for (KeptPlane& plane : pooled_) archive(plane);
  // Frames differ little from each other.
  atari2600::TransferPacked(archive, std::span(stack_).first(FrameBytes()), 0, config_.size.width);
  atari2600::TransferPacked(archive, stack_, FrameBytes(), FrameBytes());
  archive.Index(newest_, config_.frames);
}

}  // namespace envpool::atari
