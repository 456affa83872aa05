#include "robotics/touch_sensors.h"

#include <algorithm>
#include <array>

#include "numerics/loops.h"

namespace envpool::robotics {

namespace {

constexpr std::array kTouched = {1.0F, 0.0F, 0.0F, 0.5F};
constexpr std::array kUntouched = {0.0F, 0.5F, 0.0F, 0.2F};

}  // namespace

TouchSensors::TouchSensors(const Options& options, const RobotWorld& world)
    : observed_(options.Text("touch_get_obs")), shown_(options.Text("touch_visualisation")) {
  const std::string prefix = "robot0:TS_";
  const mjModel& model = world.Model();
  for (int sensor = 0; sensor < static_cast<int>(model.nsensor); ++sensor) {
    const char* const found = mj_id2name(&model, mjOBJ_SENSOR, sensor);
    std::string name = found == nullptr ? "" : found;
    if (!name.starts_with(prefix)) continue;
    name.replace(0, prefix.size(), "robot0:T_");
    sensors_.push_back({model.sensor_adr[sensor], world.Site(name.c_str())});
  }
}

void TouchSensors::Observe(const mjData& data, std::span<double> out) const {
  if (observed_ == "off") return;
  std::ranges::transform(sensors_, out.begin(), [&](const Sensor& sensor) {
    const double force = data.sensordata[sensor.place];
    if (observed_ == "boolean") return force > 0.0 ? 1.0 : 0.0;
    return observed_ == "log" ? numerics::Log(force + 1.0) : force;
  });
}

void TouchSensors::Colour(const mjData& data, std::span<float> sites) const {
  for (const Sensor& sensor : sensors_) {
    const std::span<float> colour = sites.subspan(4 * static_cast<std::size_t>(sensor.site), 4);
    if (shown_ == "off") colour[3] = 0.0F;
    if (shown_ != "on_touch") continue;
    std::ranges::copy(data.sensordata[sensor.place] != 0.0 ? kTouched : kUntouched, colour.begin());
  }
}

}  // namespace envpool::robotics
