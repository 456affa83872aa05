#include "mujoco/pictures/camera.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace envpool::mujoco {
namespace {

// numpy.median: of an even number, the mean of the two in the middle; NaN if one is NaN.
double Median(std::vector<double> values) {
  if (values.empty() || std::ranges::any_of(values, [](double x) { return std::isnan(x); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double MedianOfGeoms(const mjModel& model, const mjData& data, int axis) {
  std::vector<double> values;
  for (mjtSize i = 0; i < model.ngeom; ++i) values.push_back(data.geom_xpos[3 * i + axis]);
  return Median(std::move(values));
}

[[noreturn]] void Refuse(const CameraSetting& setting, const std::string& expected) {
  throw std::invalid_argument("default_camera_config['" + setting.name + "'] must be " + expected);
}

double Number(const CameraSetting& setting) {
  if (setting.values.size() != 1) Refuse(setting, "one number");
  return setting.values.front();
}

// An integer from `low` to `high`, both included.
int Integer(const CameraSetting& setting, int low, int high) {
  const double value = Number(setting);
  if (value == std::trunc(value) && value >= low && value <= high) return static_cast<int>(value);
  Refuse(setting, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
}

void SetLookat(const CameraSetting& setting, mjvCamera& camera) {
  if (setting.values.size() != 3) Refuse(setting, "three numbers");
  std::ranges::copy(setting.values, camera.lookat);
}

void Apply(const CameraSetting& setting, const mjModel& model, mjvCamera& camera) {
  const std::string& name = setting.name;
  if (name == "type") {
    camera.type = Integer(setting, mjCAMERA_FREE, mjCAMERA_FIXED);
  } else if (name == "fixedcamid") {
    camera.fixedcamid = Integer(setting, -1, static_cast<int>(model.ncam) - 1);
  } else if (name == "trackbodyid") {
    // Gymnasium's own settings have one that its free camera does not use.
    camera.trackbodyid = Integer(setting, -1, std::numeric_limits<int>::max());
  } else if (name == "lookat") {
    SetLookat(setting, camera);
  } else if (name == "distance") {
    camera.distance = Number(setting);
  } else if (name == "azimuth") {
    camera.azimuth = Number(setting);
  } else if (name == "elevation") {
    camera.elevation = Number(setting);
  } else if (name == "orthographic") {
    camera.orthographic = Integer(setting, 0, 1);
  } else {
    throw std::invalid_argument("default_camera_config has the unknown key '" + name +
                                "'; known are type, fixedcamid, trackbodyid, lookat, distance, "
                                "azimuth, elevation and orthographic");
  }
}

}  // namespace

std::vector<double> MedianOfGeoms(const mjModel& model, const mjData& data) {
  return {MedianOfGeoms(model, data, 0), MedianOfGeoms(model, data, 1),
          MedianOfGeoms(model, data, 2)};
}

mjvCamera GymnasiumCamera(const mjModel& model, std::span<const double> lookat) {
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  std::ranges::copy(lookat, camera.lookat);
  camera.distance = model.stat.extent;
  return camera;
}

mjvCamera ModelCamera(const mjModel& model) {
  mjvCamera camera;
  mjv_defaultFreeCamera(&model, &camera);
  return camera;
}

mjvCamera Configured(mjvCamera camera, const mjModel& model,
                     std::span<const CameraSetting> settings) {
  for (const CameraSetting& setting : settings) Apply(setting, model, camera);
  if (camera.type == mjCAMERA_TRACKING && camera.trackbodyid < 0) {
    throw std::invalid_argument("default_camera_config lacks 'trackbodyid': the camera tracks");
  }
  if (camera.type == mjCAMERA_TRACKING && camera.trackbodyid >= model.nbody) {
    throw std::invalid_argument("default_camera_config['trackbodyid'] must be less than " +
                                std::to_string(model.nbody) + ", the number of bodies");
  }
  if (camera.type == mjCAMERA_FIXED && camera.fixedcamid < 0) {
    throw std::invalid_argument("default_camera_config lacks 'fixedcamid': the camera is fixed");
  }
  if (camera.type == mjCAMERA_FIXED) return FixedCamera(model, camera.fixedcamid);
  return camera;
}

mjvCamera FixedCamera(const mjModel& model, int id) {
  if (id < 0 || id >= model.ncam) {
    throw std::invalid_argument("there is no camera " + std::to_string(id) + ": the model has " +
                                std::to_string(model.ncam));
  }
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  camera.type = mjCAMERA_FIXED;
  camera.fixedcamid = id;
  return camera;
}

}  // namespace envpool::mujoco
