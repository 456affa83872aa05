#include "highway/controls.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "highway/driving_options.h"

namespace envpool::highway {

std::vector<OptionSpec> Controls::OptionsOf(const ControlDefaults& defaults) {
  return {
      {"action_type", defaults.types[0], "what actions are", {}, defaults.types},
      {"action_longitudinal", defaults.longitudinal, "do actions change the speed?"},
      {"action_lateral", defaults.lateral, "do actions change the lane or steer?"},
      {"action_target_speeds",
       defaults.target_speeds,
       "DiscreteMetaAction: the speeds to choose from, ascending, m/s",
       {-40.0, 40.0}},
      {"action_acceleration_range", std::vector<double>{-5.0, 5.0},
       "other actions: what -1 and 1 are, m/s^2", kFloat32},
      {"action_steering_range", defaults.steering_range, "other actions: what -1 and 1 are, rad",
       kFloat32},
      {"action_speed_range", std::vector<double>(),
       "other actions: [min, max] of the speed, m/s; none: upstream's -40 and 40", kFloat32},
      {"action_dynamical", defaults.dynamical, "other actions: do tires slip?"},
      {"action_clip", true, "other actions: cut off what is beyond -1 and 1?"},
      {"action_actions_per_axis", 3, "DiscreteAction: so many values of each number", {2, 1000}},
  };
}

Controls::Controls(const Options& options)
    : type_(options.Text("action_type") == "DiscreteMetaAction" ? Type::kMeta
            : options.Text("action_type") == "ContinuousAction" ? Type::kContinuous
                                                                : Type::kDiscrete),
      is_longitudinal_(options.Flag("action_longitudinal")),
      is_lateral_(options.Flag("action_lateral")),
      is_dynamical_(options.Flag("action_dynamical")),
      is_clipped_(options.Flag("action_clip")),
      actions_per_axis_(static_cast<int>(options.Integer("action_actions_per_axis"))),
      target_speeds_(options.Get<std::vector<double>>("action_target_speeds")),
      acceleration_range_(IntervalOf(options, "action_acceleration_range")),
      steering_range_(IntervalOf(options, "action_steering_range")) {
  if (!is_longitudinal_ && !is_lateral_) {
    throw std::invalid_argument(
        "action_longitudinal and action_lateral are False, expected one of them to be True");
  }
  const auto falls = [](double a, double b) { return !(a < b); };
  if (target_speeds_.size() < 2 ||
      std::ranges::adjacent_find(target_speeds_, falls) != target_speeds_.end()) {
    throw std::invalid_argument(
        "action_target_speeds are not at least two numbers, each larger than the one before");
  }
  if (!NumbersOf(options, "action_speed_range", 2, true).empty()) {
    speed_range_ = IntervalOf(options, "action_speed_range");
  }
}

Kind Controls::VehicleKind() const {
  if (IsMeta()) return Kind::kMeta;
  return is_dynamical_ ? Kind::kBicycle : Kind::kVehicle;
}

int Controls::Actions() const {
  if (IsMeta()) return IsBoth() ? 5 : 3;
  return IsBoth() ? actions_per_axis_ * actions_per_axis_ : actions_per_axis_;
}

Field Controls::MakeField(const std::string& name) const {
  if (!IsContinuous()) return Discrete(name, Actions());
  return Box(name, DType::kFloat32, {Size()}, {-1.0}, {1.0});
}

Meta Controls::MetaOf(std::int32_t action) const {
  using enum Meta;
  static constexpr Meta kAll[] = {kLeft, kIdle, kRight, kFaster, kSlower};
  static constexpr Meta kLongitudinal[] = {kSlower, kIdle, kFaster};
  return IsBoth() || is_lateral_ ? kAll[action] : kLongitudinal[action];
}

void Controls::Steer(std::span<const float> action, Vehicle& vehicle) const {
  const auto scaled = [this](float number, Interval range) {
    if (is_clipped_ && !std::isnan(number)) number = std::clamp(number, -1.0F, 1.0F);
    return double{Map(number, {-1.0, 1.0}, range)};
  };
  vehicle.acceleration = is_longitudinal_ ? scaled(action.front(), acceleration_range_) : 0.0;
  vehicle.steering = is_lateral_ ? scaled(action.back(), steering_range_) : 0.0;
}

void Controls::Act(const Action& action, int player, const Traffic& traffic,
                   Vehicle& vehicle) const {
  const auto first = static_cast<std::size_t>(player * Size());
  if (IsContinuous()) {
    Steer(action.Values<float>().subspan(first, static_cast<std::size_t>(Size())), vehicle);
    return;
  }
  const std::int32_t number = action.Values<std::int32_t>()[first];
  if (IsMeta()) {
    traffic.Drive(vehicle, MetaOf(number));
    return;
  }
  // numpy.linspace in float32
  const float step = 2.0F / static_cast<float>(actions_per_axis_ - 1);
  const auto value_of = [&](int place) {
    return place == actions_per_axis_ - 1 ? 1.0F : static_cast<float>(place) * step - 1.0F;
  };
  const float numbers[] = {value_of(number / actions_per_axis_ % actions_per_axis_),
                           value_of(number % actions_per_axis_)};
  Steer(std::span(numbers).last(IsBoth() ? 2 : 1), vehicle);
}

void Controls::Copy(const Action& action, std::vector<float>& to) const {
  if (IsContinuous()) {
    const auto numbers = action.Values<float>();
    to.assign(numbers.begin(), numbers.end());
  } else {
    const auto numbers = action.Values<std::int32_t>();
    to.assign(numbers.begin(), numbers.end());
  }
}

}  // namespace envpool::highway
