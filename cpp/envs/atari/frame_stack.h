// FrameStack: what the agent sees of the screen. Of each step, the last two pictures are turned
// into planes of colours and pooled (the brighter pixel counts), because games draw some objects
// only in every other frame; the result is made smaller and stacked with those of earlier steps.
//
// Follows gymnasium/wrappers/atari_preprocessing.py with FrameStackObservation. Most of a screen is
// the same from step to step, so only rows that changed are made smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atari/colours.h"
#include "atari/kept_plane.h"
#include "atari2600/tia/pictures.h"
#include "envpool/archive.h"
#include "resize/resize.h"

namespace envpool::atari {

struct FrameStackConfig {
  PlaneSize screen = {};
  PlaneSize size = {};  // of an observed frame
  std::size_t frames = 4;
  bool pools = true;
  Interpolation interpolation = Interpolation::kArea;
};

// The last pictures of a step, as they came from the screen. A step that ends too early for one or
// both lacks them.
struct LastPictures {
  const atari2600::Picture* earlier = nullptr;
  const atari2600::Picture* later = nullptr;
};

class FrameStack {
 public:
  FrameStack(const FrameStackConfig& config, Colours colours);

  // Begins an episode, whose first picture counts and not what was before it.
  void Begin(const atari2600::Picture& screen);

  // Completes a step. Instead of a picture that the step lacks, it sees what is left of the step
  // before, as Gymnasium's does.
  void Push(const LastPictures& pictures);
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
  void PoolRow(std::size_t plane, std::size_t row, const LastPictures& pictures,
               std::uint8_t* values) const;
  bool HasChanged(Resize::Rows rows) const;
  void Shrink(std::size_t plane, const std::uint8_t* pooled, std::size_t last);

  const FrameStackConfig config_;
  const Colours colours_;
  const std::unique_ptr<Resize> resize_;

  std::vector<KeptPlane> pooled_;      // the colours of the last step's pictures
  std::vector<std::uint8_t> changed_;  // rows of the plane at hand
  bool shrinks_all_ = false;           // rows, changed or not

  std::vector<std::uint8_t> stack_;  // a ring of frames
  std::size_t newest_ = 0;
};

}  // namespace envpool::atari
