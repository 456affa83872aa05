// Observation: what an agent is told of its world, in the forms of minigrid's wrappers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "envpool/spec.h"
#include "minigrid/mission.h"
#include "minigrid/picture.h"
#include "minigrid/view.h"

namespace envpool::minigrid {

// Returns an option whose limits are within those of an int.
inline int IntOf(const Options& options, const char* name) {
  return static_cast<int>(options.Integer(name));
}

class Observation {
 public:
  explicit Observation(const Options& options);

  // Returns the options that choose an observation's form.
  static std::vector<OptionSpec> OptionsOf(bool sees_through_walls, MissionLimits mission);

  // Adds the fields of the observation of a grid of this size. Throws std::invalid_argument for
  // options that don't go together.
  static void Describe(const Options& options, Size grid, MissionLimits mission, Spec& spec);

  const View& AgentsView() const { return view_; }

  // True if the image is what the agent has seen, and not made of the world by a wrapper.
  bool IsOfAgent() const { return image_ == Image::kPartial || image_ == Image::kOneHot; }

  // Throws std::runtime_error for a mission that this form has no place for.
  void RequireMission(const std::string& mission) const;

  void Write(const Grid& grid, const Pose& pose, const std::string& mission, const Row& row) const;

 private:
  // An Image is what the image shows: OneHotPartialObsWrapper, FullyObsWrapper and so on.
  enum class Image { kPartial, kOneHot, kFull, kSymbolic, kRgb, kRgbPartial };
  // A Form is what there is beside the image: ImgObsWrapper has nothing else, FlatObsWrapper one
  // array for all.
  enum class Form { kDict, kImage, kFlat };

  static Image ImageOf(const Options& options);
  static Form FormOf(const Options& options);
  static std::vector<int> ShapeOf(const Options& options, Size grid);

  void WriteImage(const Grid& grid, const Pose& pose, std::span<std::uint8_t> out) const;

  const View view_;
  const Image image_;
  const Form form_;
  const bool has_words_;  // DictObservationSpaceWrapper
  const std::size_t mission_bytes_;
  const std::size_t most_words_;
  const bool highlights_;
  const int tile_size_;
};

}  // namespace envpool::minigrid
