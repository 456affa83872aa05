#include "highway/observations/features.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "highway/driving_options.h"
#include "highway/numbers.h"

namespace envpool::highway {

namespace {

constexpr const char* kNames[] = {"presence", "x",       "y",       "vx",     "vy",
                                  "heading",  "cos_h",   "sin_h",   "cos_d",  "sin_d",
                                  "long_off", "lat_off", "ang_off", "on_road"};

Feature FeatureNamed(const std::string& name) {
  const auto found = std::ranges::find(kNames, name);
  if (found != std::end(kNames)) return static_cast<Feature>(found - kNames);
  std::string known;
  for (const char* each : kNames) known.append(known.empty() ? "'" : ", '").append(each) += "'";
  throw std::invalid_argument("observation_features has '" + name + "', expected some of " + known);
}

Point DestinationDirection(const Traffic& traffic, const Vehicle& vehicle) {
  if (vehicle.route.empty()) return {};
  const RouteStep& last = vehicle.route.back();
  const Network::Road& road = traffic.network.Roads()[static_cast<std::size_t>(last.road)];
  const Lane& lane = traffic.network[road.first + std::max(last.id, 0)];
  const Point delta = lane.Position(lane.length, 0.0) - vehicle.position;
  return delta.x != 0.0 || delta.y != 0.0 ? delta / Norm(delta) : Point();
}

double OffsetOf(const Traffic& traffic, const Vehicle& vehicle, Feature feature) {
  const Lane& lane = traffic.network[vehicle.lane];
  const OnLane at = lane.Local(vehicle.position);
  if (feature == Feature::kLongOff) return at.longitudinal;
  if (feature == Feature::kLatOff) return at.lateral;
  return WrapToPi(vehicle.heading - lane.HeadingAt(at.longitudinal));
}

}  // namespace

double FeatureOf(const Traffic& traffic, const Vehicle& vehicle, Feature feature,
                 const Vehicle* origin, bool sees_intentions) {
  const bool moves = IsVehicle(vehicle.kind);
  const auto relative = [origin](double value, double others) {
    return origin != nullptr ? value - others : value;
  };
  const Point from = origin != nullptr ? origin->position : Point();
  const Point from_velocity = origin != nullptr ? origin->Velocity() : Point();
  const Point velocity = moves ? vehicle.Velocity() : Point();
  switch (feature) {
    case Feature::kPresence: return 1.0;
    case Feature::kX: return relative(vehicle.position.x, from.x);
    case Feature::kY: return relative(vehicle.position.y, from.y);
    case Feature::kVx: return relative(velocity.x, from_velocity.x);
    case Feature::kVy: return relative(velocity.y, from_velocity.y);
    case Feature::kHeading: return moves ? vehicle.heading : kNaN;
    case Feature::kCosH: return vehicle.direction.x;
    case Feature::kSinH: return vehicle.direction.y;
    case Feature::kCosD:
      return moves && sees_intentions ? DestinationDirection(traffic, vehicle).x : 0.0;
    case Feature::kSinD:
      return moves && sees_intentions ? DestinationDirection(traffic, vehicle).y : 0.0;
    case Feature::kLongOff:
    case Feature::kLatOff:
    case Feature::kAngOff: return moves ? OffsetOf(traffic, vehicle, feature) : kNaN;
    default: return kNaN;
  }
}

std::vector<Feature> FeaturesOf(const Options& options, std::vector<Feature> usual) {
  const auto& names = options.Get<std::vector<std::string>>("observation_features");
  if (names.empty()) return usual;
  std::vector<Feature> features;
  std::ranges::transform(names, std::back_inserter(features), FeatureNamed);
  return features;
}

FeatureRanges::FeatureRanges(const Options& options) {
  for (const Feature feature : {Feature::kX, Feature::kY, Feature::kVx, Feature::kVy}) {
    const auto place = static_cast<std::size_t>(feature);
    const std::string name = std::string("observation_features_range_") + kNames[place];
    if (NumbersOf(options, name, 2, true).empty()) continue;
    ranges_[place] = IntervalOf(options, name);
    are_given_ = true;
  }
}

void FeatureRanges::SetUsual(std::initializer_list<Feature> features, Interval range) {
  if (are_given_) return;
  for (const Feature feature : features) ranges_[static_cast<std::size_t>(feature)] = range;
}

}  // namespace envpool::highway
