// PictureStack: an environment's last pictures, where these are what it observes.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "envpool/spec.h"
#include "mujoco/pictures/view.h"

namespace envpool::mujoco {

class PictureStack {
 public:
  // Reads the options of PictureOptions(). Without from_pixels it stays empty.
  PictureStack(const Options& options, std::size_t count);

  bool empty() const { return picture_.empty(); }

  // Draws the newest picture; an episode's first takes the place of all.
  void Add(View& view, const mjModel& model, mjData& data, bool is_first);

  // Channel by channel, oldest first.
  std::span<const std::uint8_t> Pixels() const { return stack_; }

  void Serialize(Archive& archive) { archive.Any(std::span(stack_)); }

 private:
  const Frame frame_;
  std::vector<std::uint8_t> picture_;  // the newest, as it is drawn
  std::vector<std::uint8_t> stack_;
};

// Returns the bytes that `count` pictures take; 0 without from_pixels.
std::size_t PictureStackBytes(const Options& options, std::size_t count);

// The field that is observed with from_pixels.
Field PixelsField(const Options& options, std::size_t count);

// The options of PictureStack and of View. `size` is that of rendered pictures, for descriptions;
// ViewOptions explains `camera`.
std::vector<OptionSpec> PictureOptions(const std::string& size, std::vector<std::string> camera);

}  // namespace envpool::mujoco
