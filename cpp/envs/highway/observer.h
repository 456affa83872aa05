// Observer: what a vehicle sees of the traffic, as in highway_env/envs/common/observation.py.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "envpool/archive.h"
#include "envpool/field.h"
#include "envpool/options.h"
#include "highway/traffic.h"

namespace envpool::highway {

// Numbers that a vehicle or object has, by upstream's names.
enum class Feature {
  kPresence,
  kX,
  kY,
  kVx,
  kVy,
  kHeading,
  kCosH,
  kSinH,
  kCosD,
  kSinD,
  kLongOff,
  kLatOff,
  kAngOff,
  kOnRoad,  // of a cell: is there a lane?
};
inline constexpr int kFeatures = 14;

// What an environment observes unless it is told otherwise.
struct ObservationDefaults {
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

class Observer {
 public:
  static std::vector<OptionSpec> OptionsOf(const ObservationDefaults& defaults);

  // Throws std::invalid_argument for options that do not go together.
  explicit Observer(const Options& options);

  bool NeedsMetaActions() const { return type_ == Type::kTimeToCollision; }
  std::vector<int> Shape() const;

  // Begins an episode for so many players.
  void Begin(const Traffic& traffic, int players);

  // Appends a player's observation.
  void Observe(const Traffic& traffic, int player, Random& random, std::vector<float>& to) const;

  void Serialize(Archive& archive, std::size_t players);

 private:
  enum class Type { kKinematics, kExit, kOccupancyGrid, kTimeToCollision };

  std::optional<Interval> RangeOf(Feature feature, int player) const;
  double Normalized(Feature feature, double value, int player) const;
  void SeeVehicles(const Traffic& traffic, int player, Random& random,
                   std::vector<float>& to) const;
  void ShuffleOthers(std::span<float> numbers, Random& random) const;
  void SeeCells(const Traffic& traffic, int player, std::vector<float>& to) const;
  void MarkLanes(const Traffic& traffic, const Vehicle& self, std::vector<double>& cells) const;
  std::optional<std::size_t> CellOf(Point position, const Vehicle& self) const;
  void SeeCollisions(const Traffic& traffic, int player, std::vector<float>& to) const;

  Type type_ = Type::kKinematics;
  std::vector<Feature> features_;
  std::size_t vehicles_count_;
  std::array<std::optional<Interval>, kFeatures> ranges_;
  bool has_ranges_ = false;
  bool is_absolute_;
  bool is_sorted_;
  bool is_normalized_;
  bool is_clipped_;
  bool sees_behind_;
  bool sees_intentions_;
  bool sees_obstacles_;
  int horizon_;
  double seconds_per_step_;
  Point grid_start_;
  Point grid_step_;
  double grid_reach_ = 0.0;  // from the vehicle to the farthest corner, m, and 1 m
  int rows_ = 0;
  int columns_ = 0;
  bool is_aligned_;

  std::vector<int> lanes_at_start_;  // beside each player when the episode began
};

// Returns a feature of a vehicle or object, relative to `origin` if there is one; NaN if it has no
// such feature.
double FeatureOf(const Traffic& traffic, const Vehicle& vehicle, Feature feature,
                 const Vehicle* origin, bool sees_intentions);

}  // namespace envpool::highway
