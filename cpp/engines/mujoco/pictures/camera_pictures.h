// CameraPictures: what cameras of the model show, where that is observed beside the state.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "envpool/spec.h"
#include "mujoco/pictures/view.h"

namespace envpool::mujoco {

class CameraPictures {
 public:
  // Reads the options of CameraOptions(); without these it stays empty. Throws
  // std::invalid_argument if the model does not have a camera.
  CameraPictures(const Options& options, const mjModel& model);

  bool empty() const { return pictures_.empty(); }

  // Draws what is there now, unless this environment draws nothing: then all is black.
  void Draw(View& view, const mjModel& model, mjData& data);
  // Writes the pictures to the fields of an observation from this one on.
  void Observe(const Row& row, std::size_t first) const;
  std::vector<Field> Fields() const;

  void Serialize(Archive& archive);

 private:
  struct Picture {
    std::string camera;
    Frame frame;
    std::vector<std::uint8_t> pixels;
  };
  bool draws_ = false;
  std::vector<Picture> pictures_;
};

// Adds the pictures to an observation. If that is one array, it is called "state" from now on.
// Throws std::invalid_argument where they do not go with it.
void AddCameras(const Options& options, const mjModel& model, Spec& spec);

// Returns the bytes that an environment's pictures take.
std::size_t CameraBytes(const Options& options);

// `cameras` and `draws_cameras`.
std::vector<OptionSpec> CameraOptions();

}  // namespace envpool::mujoco
