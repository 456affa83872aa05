// Controls: how actions move a vehicle, as in highway_env/envs/common/action.py.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "envpool/field.h"
#include "envpool/options.h"
#include "envpool/views.h"
#include "highway/traffic.h"

namespace envpool::highway {

// What an environment's actions are unless it is told otherwise.
struct ControlDefaults {
  std::vector<std::string> types = {"DiscreteMetaAction", "ContinuousAction", "DiscreteAction"};
  bool longitudinal = true;
  bool lateral = true;
  std::vector<double> target_speeds = {20.0, 25.0, 30.0};
  std::vector<double> steering_range = {-kPi / 4, kPi / 4};
  bool dynamical = false;
};

class Controls {
 public:
  static std::vector<OptionSpec> OptionsOf(const ControlDefaults& defaults);

  // Throws std::invalid_argument for options that do not go together.
  explicit Controls(const Options& options);

  bool IsMeta() const { return type_ == Type::kMeta; }
  bool IsContinuous() const { return type_ == Type::kContinuous; }
  bool IsBoth() const { return is_longitudinal_ && is_lateral_; }
  // How many numbers an action is.
  int Size() const { return IsContinuous() && IsBoth() ? 2 : 1; }
  Kind VehicleKind() const;
  const std::vector<double>& TargetSpeeds() const { return target_speeds_; }

  Field MakeField(const std::string& name) const;

  // Sets up a vehicle that is to be controlled.
  void Prepare(Vehicle& vehicle) const { vehicle.speeds = speed_range_; }

  // Has a vehicle do what the action of a player says.
  void Act(const Action& action, int player, const Traffic& traffic, Vehicle& vehicle) const;

  // Copies all players' actions.
  void Copy(const Action& action, std::vector<float>& to) const;

 private:
  enum class Type { kMeta, kContinuous, kDiscrete };

  int Actions() const;
  Meta MetaOf(std::int32_t action) const;
  void Steer(std::span<const float> action, Vehicle& vehicle) const;

  Type type_;
  bool is_longitudinal_;
  bool is_lateral_;
  bool is_dynamical_;
  bool is_clipped_;
  int actions_per_axis_;
  std::vector<double> target_speeds_;
  Interval acceleration_range_;
  Interval steering_range_;
  Interval speed_range_ = {-40.0, 40.0};
};

}  // namespace envpool::highway
