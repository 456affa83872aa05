#include "highway/observations/types.h"

#include <algorithm>

#include "highway/driving_options.h"
#include "highway/observations/features.h"

namespace envpool::highway {

namespace {

struct Type {
  const char* name;
  std::unique_ptr<Observation> (*make)(const Options& options);
};
constexpr Type kTypes[] = {
    {"Kinematics", MakeKinematics},
    {"ExitObservation", MakeExitObservation},
    {"OccupancyGrid", MakeOccupancyGrid},
    {"TimeToCollision", MakeTimeToCollision},
    {"LidarObservation", MakeLidarObservation},
    {"GrayscaleObservation", MakeGrayscaleObservation},
};

}  // namespace

std::vector<OptionSpec> ObservationOptions(const ObservationDefaults& defaults) {
  const Limits kFew = {1, 1000};
  std::vector<std::string> types = defaults.types;
  types.insert(types.end(), {"LidarObservation", "GrayscaleObservation"});
  return {
      {"observation_type", defaults.types[0], "how the traffic is observed", {}, types},
      {"observation_features", defaults.features,
       "names of what is observed of each vehicle; none: those that are usual for the type"},
      {"observation_vehicles_count",
       defaults.vehicles_count,
       "Kinematics: how many vehicles are observed, with the own one",
       {2, 1000}},
      {"observation_features_range_x", defaults.x_range,
       "[min, max], which become -1 and 1; none of the four ranges: upstream's own", kFloat32},
      {"observation_features_range_y", defaults.y_range, "the same of y", kFloat32},
      {"observation_features_range_vx", defaults.vx_range, "the same of vx", kFloat32},
      {"observation_features_range_vy", defaults.vy_range, "the same of vy", kFloat32},
      {"observation_absolute", defaults.absolute,
       "Kinematics: are places and speeds of others not relative to the own one?"},
      {"observation_order", "sorted", "Kinematics: of the others", {}, {"sorted", "shuffled"}},
      {"observation_normalize", true, "Kinematics, LidarObservation: map the ranges to -1 and 1?"},
      {"observation_clip", defaults.clip, "cut off what is beyond -1 and 1?"},
      {"observation_see_behind", false, "Kinematics: also what is behind?"},
      {"observation_observe_intentions", false, "Kinematics: also where others go?"},
      {"observation_include_obstacles", true, "Kinematics: also obstacles?"},
      {"observation_horizon", defaults.horizon, "TimeToCollision: how far it looks ahead, s", kFew},
      {"observation_grid_size", defaults.grid_size,
       "OccupancyGrid: [min x, max x, min y, max y], m", kFloat32},
      {"observation_grid_step", defaults.grid_step, "OccupancyGrid: a cell's size, [x, y], m",
       kFloat32},
      {"observation_align_to_vehicle_axes", defaults.align_to_vehicle_axes,
       "OccupancyGrid: does it turn with the vehicle?"},
      {"observation_cells", 16, "LidarObservation: how many directions", {1, 10'000}},
      {"observation_maximum_range", 60.0, "LidarObservation: how far it sees, m", {0.001, 1e9}},
      {"observation_observation_shape", std::vector<std::int64_t>{128, 64},
       "GrayscaleObservation: width and height of its pictures, pixels"},
      {"observation_stack_size",
       4,
       "GrayscaleObservation: how many pictures, the last one included",
       {1, 1000}},
      {"observation_weights", std::vector<double>{0.2989, 0.5870, 0.1140},
       "GrayscaleObservation: of red, green and blue", kFloat32},
      {"observation_scaling", 0.0, "GrayscaleObservation: pixels per m; 0: `scaling`", {0, 1000}},
      {"observation_centering_position", std::vector<double>(),
       "GrayscaleObservation: where it has the vehicle; none: `centering_position`", kFloat32},
  };
}

std::unique_ptr<Observation> MakeObservation(const Options& options) {
  // These are checked also for types that do not look at them.
  FeaturesOf(options, {});
  const FeatureRanges ranges(options);
  const auto type = std::ranges::find(kTypes, options.Text("observation_type"), &Type::name);
  return type->make(options);
}

}  // namespace envpool::highway
