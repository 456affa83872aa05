// TouchSensors: what the hand feels.
//
// Follows gymnasium_robotics/envs/shadow_dexterous_hand/manipulate_touch_sensors.py.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "envpool/options.h"
#include "robotics/world.h"

namespace envpool::robotics {

class TouchSensors {
 public:
  // Finds the sensors of a model. Throws std::runtime_error for one without a site.
  TouchSensors(const Options& options, const RobotWorld& world);

  // How many numbers are observed.
  std::size_t Size() const { return observed_ == "off" ? 0 : sensors_.size(); }
  void Observe(const mjData& data, std::span<double> out) const;

  // Sets the colours, four numbers each, of all sites.
  void Colour(const mjData& data, std::span<float> sites) const;

 private:
  struct Sensor {
    int place;  // in sensordata
    int site;
  };

  const std::string observed_;  // off, boolean, sensordata or log
  const std::string shown_;     // off, on_touch or always
  std::vector<Sensor> sensors_;
};

}  // namespace envpool::robotics
