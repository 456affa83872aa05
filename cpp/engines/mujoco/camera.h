// Where a frame is seen from.
#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <string>
#include <vector>

namespace envpool::mujoco {

// An entry of Gymnasium's default_camera_config: a member of mjvCamera and its value.
struct CameraSetting {
  std::string name;
  std::vector<double> values;  // three for "lookat", one for all others
};

// Gymnasium's camera: free, it looks at the median of where the geoms are in this state, from the
// distance of the model's extent; then the settings. Without a state it looks at the origin. Throws
// std::invalid_argument for a setting that doesn't exist or that the model doesn't have.
mjvCamera FreeCamera(const mjModel& model, const mjData* data,
                     std::span<const CameraSetting> settings);

// A camera of the model. Throws std::invalid_argument if there is none of this id.
mjvCamera FixedCamera(const mjModel& model, int id);

}  // namespace envpool::mujoco
