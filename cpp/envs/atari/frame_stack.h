// FrameStack: what the agent sees of the screen. Of each step, the last two pictures are turned
// into planes of colours and pooled (the brighter pixel counts), because games draw some objects
// only in every other frame; the result is made smaller and stacked with those of earlier steps.
//
// Follows gymnasium/wrappers/atari_preprocessing.py with FrameStackObservation. Most of a screen is
// the same from step to step, so only rows that changed are computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atari/colours.h"
#include "atari/resize.h"
#include "envpool/archive.h"

namespace envpool::atari {

struct FrameStackConfig {
  PlaneSize screen = {};
  PlaneSize size = {};  // of an observed frame
  std::size_t frames = 4;
  bool pools = true;
  Interpolation interpolation = Interpolation::kArea;
};

class FrameStack {
 public:
  FrameStack(const FrameStackConfig& config, Colours colours);

  // Begins an episode, whose first picture counts and not what was before it.
  void Begin(std::span<const std::uint8_t> screen);

  // Keep the last picture but one of a step, and the last one. A step that ends too early for one
  // or both leaves them out, and then sees what is left of the step before, as Gymnasium's does.
  void KeepEarlier(std::span<const std::uint8_t> screen);
  void KeepLater(std::span<const std::uint8_t> screen);

  // Completes a step.
  void Push();
  // Puts the newest frame in the place of all others.
  void Fill();

  // Writes the frames, oldest first, each plane by plane.
  void Write(std::span<std::uint8_t> out) const;

  void Serialize(Archive& archive);

 private:
  std::size_t NumPlanes() const { return colours_.NumPlanes(); }
  std::size_t FrameBytes() const { return NumPlanes() * config_.size.Pixels(); }
  std::uint8_t* Frame(std::size_t index) { return stack_.data() + index * FrameBytes(); }
  const std::uint8_t* Frame(std::size_t index) const {
    return stack_.data() + index * FrameBytes();
  }
  bool HasChanged(Resize::Rows rows) const;
  void PoolRow(std::size_t row, const std::uint8_t* screen);
  void PoolAll();

  const FrameStackConfig config_;
  const Colours colours_;
  const std::unique_ptr<Resize> resize_;

  // The pictures kept last, as they came from the screen.
  std::vector<std::uint8_t> earlier_screen_;
  std::vector<std::uint8_t> later_screen_;
  // Colours of the pictures, plane by plane.
  std::vector<std::uint8_t> earlier_;
  std::vector<std::uint8_t> pooled_;
  bool earlier_is_valid_ = false;  // earlier_ is earlier_screen_ in colours
  bool pooled_is_valid_ = false;   // pooled_ is later_screen_ in colours, pooled with earlier_
  bool later_is_kept_ = false;     // in this step
  std::vector<std::uint8_t> earlier_changed_;  // rows, by the last KeepEarlier
  std::vector<std::uint8_t> pooled_changed_;   // rows, since the last Push

  std::vector<std::uint8_t> stack_;  // a ring of frames
  std::size_t newest_ = 0;
};

}  // namespace envpool::atari
