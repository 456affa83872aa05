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

// Gymnasium's camera: free, it looks at this point from the distance of the model's extent.
mjvCamera GymnasiumCamera(const mjModel& model, std::span<const double> lookat);

// Which point that is by default: the median of where the geoms are in this state.
std::vector<double> MedianOfGeoms(const mjModel& model, const mjData& data);

// The free camera as the model describes it, which is dm_control's.
mjvCamera ModelCamera(const mjModel& model);

// The camera with these settings. Throws std::invalid_argument for one that doesn't exist or that
// the model doesn't have.
mjvCamera Configured(mjvCamera camera, const mjModel& model,
                     std::span<const CameraSetting> settings);

// A camera of the model. Throws std::invalid_argument if there is none of this id.
mjvCamera FixedCamera(const mjModel& model, int id);

}  // namespace envpool::mujoco
