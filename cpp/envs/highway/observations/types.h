// Types of observations: their options, and a function for each that makes it of them. All throw
// std::invalid_argument for options that do not go together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envpool/options.h"
#include "highway/observations/observation.h"

namespace envpool::highway {

// What an environment observes unless it is told otherwise.
struct ObservationDefaults {
  // The first one is the default; LidarObservation and GrayscaleObservation are always added.
  std::vector<std::string> types = {"Kinematics", "OccupancyGrid", "TimeToCollision"};
  std::vector<std::string> features = {};  // none: those that upstream has for the type
  int vehicles_count = 5;
  std::vector<double> x_range = {};
  std::vector<double> y_range = {};
  std::vector<double> vx_range = {};
  std::vector<double> vy_range = {};
  bool absolute = false;
  bool clip = true;
  int horizon = 10;
  std::vector<double> grid_size = {-27.5, 27.5, -27.5, 27.5};
  std::vector<double> grid_step = {5.0, 5.0};
  bool align_to_vehicle_axes = false;
};

std::vector<OptionSpec> ObservationOptions(const ObservationDefaults& defaults);

// Makes an observation of the type that the options name.
std::unique_ptr<Observation> MakeObservation(const Options& options);

std::unique_ptr<Observation> MakeKinematics(const Options& options);
std::unique_ptr<Observation> MakeExitObservation(const Options& options);
std::unique_ptr<Observation> MakeOccupancyGrid(const Options& options);
std::unique_ptr<Observation> MakeTimeToCollision(const Options& options);
std::unique_ptr<Observation> MakeLidarObservation(const Options& options);
std::unique_ptr<Observation> MakeGrayscaleObservation(const Options& options);

}  // namespace envpool::highway
