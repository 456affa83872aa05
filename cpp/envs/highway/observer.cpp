#include "highway/observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "highway/driving_options.h"

namespace envpool::highway {

namespace {

constexpr const char* kNames[] = {"presence", "x",       "y",       "vx",     "vy",
                                  "heading",  "cos_h",   "sin_h",   "cos_d",  "sin_d",
                                  "long_off", "lat_off", "ang_off", "on_road"};
constexpr const char* kTypes[] = {"Kinematics", "ExitObservation", "OccupancyGrid",
                                  "TimeToCollision"};
constexpr double kMostSpeed = 40.0;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostCells = 1'000'000;

// Returns the place of a name in a list of names. Throws std::invalid_argument, with the option's
// name, if it is not there.
template <std::size_t n>
std::size_t Find(const char* const (&names)[n], const std::string& name, const char* option) {
  const auto found = std::ranges::find(names, name);
  if (found != std::end(names)) return static_cast<std::size_t>(found - names);
  std::string known;
  for (const char* each : names) known.append(known.empty() ? "'" : ", '").append(each).append("'");
  throw std::invalid_argument(std::string(option) + " has '" + name + "', expected some of " +
                              known);
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

std::vector<OptionSpec> Observer::OptionsOf(const ObservationDefaults& defaults) {
  const Limits kFew = {1, 1000};
  return {
      {"observation_type", defaults.types[0], "how the traffic is observed", {}, defaults.types},
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
      {"observation_normalize", true, "Kinematics: map the ranges to -1 and 1?"},
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
  };
}

Observer::Observer(const Options& options)
    : type_(static_cast<Type>(Find(kTypes, options.Text("observation_type"), "observation_type"))),
      vehicles_count_(static_cast<std::size_t>(options.Integer("observation_vehicles_count"))),
      is_absolute_(options.Flag("observation_absolute")),
      is_sorted_(options.Text("observation_order") == "sorted"),
      is_normalized_(options.Flag("observation_normalize")),
      is_clipped_(options.Flag("observation_clip")),
      sees_behind_(options.Flag("observation_see_behind")),
      sees_intentions_(options.Flag("observation_observe_intentions")),
      sees_obstacles_(options.Flag("observation_include_obstacles")),
      horizon_(static_cast<int>(options.Integer("observation_horizon"))),
      seconds_per_step_(1.0 / static_cast<double>(options.Integer("policy_frequency"))),
      is_aligned_(options.Flag("observation_align_to_vehicle_axes")) {
  const bool is_grid = type_ == Type::kOccupancyGrid;
  auto names = options.Get<std::vector<std::string>>("observation_features");
  if (names.empty()) {
    names = is_grid ? std::vector<std::string>{"presence", "vx", "vy", "on_road"}
                    : std::vector<std::string>{"presence", "x", "y", "vx", "vy"};
  }
  for (const std::string& name : names) {
    features_.push_back(static_cast<Feature>(Find(kNames, name, "observation_features")));
    if (features_.back() == Feature::kOnRoad && !is_grid && type_ != Type::kTimeToCollision) {
      throw std::invalid_argument(
          "observation_features has 'on_road', expected it only with observation_type "
          "'OccupancyGrid'");
    }
  }
  for (const Feature feature : {Feature::kX, Feature::kY, Feature::kVx, Feature::kVy}) {
    const auto place = static_cast<std::size_t>(feature);
    const std::string name = std::string("observation_features_range_") + kNames[place];
    if (NumbersOf(options, name, 2, true).empty()) continue;
    ranges_[place] = IntervalOf(options, name);
    has_ranges_ = true;
  }
  if (!is_grid) return;
  if (is_absolute_) {
    throw std::invalid_argument(
        "observation_absolute is True, expected False with observation_type 'OccupancyGrid'");
  }
  const std::vector<double>& size = NumbersOf(options, "observation_grid_size", 4);
  const std::vector<double>& step = NumbersOf(options, "observation_grid_step", 2);
  const double rows = std::floor((size[1] - size[0]) / step[0]);
  const double columns = std::floor((size[3] - size[2]) / step[1]);
  constexpr double kLeastStep = 0.01;
  const bool are_steps_long = step[0] >= kLeastStep && step[1] >= kLeastStep;
  if (!(are_steps_long && rows >= 1 && columns >= 1 && rows * columns <= kMostCells)) {
    throw std::invalid_argument("observation_grid_size and observation_grid_step make a grid of " +
                                Shortest(rows) + " x " + Shortest(columns) +
                                " cells, expected at least 1 x 1, at most a million, and each of "
                                "0.01 m or more");
  }
  grid_start_ = {size[0], size[2]};
  grid_step_ = {step[0], step[1]};
  grid_reach_ = 1.0 + std::hypot(std::max(std::abs(size[0]), std::abs(size[1])),
                                 std::max(std::abs(size[2]), std::abs(size[3])));
  rows_ = static_cast<int>(rows);
  columns_ = static_cast<int>(columns);
}

std::vector<int> Observer::Shape() const {
  if (type_ == Type::kOccupancyGrid) return {static_cast<int>(features_.size()), rows_, columns_};
  if (type_ == Type::kTimeToCollision) {
    return {3, 3, static_cast<int>(horizon_ / seconds_per_step_)};
  }
  return {static_cast<int>(vehicles_count_), static_cast<int>(features_.size())};
}

void Observer::Begin(const Traffic& traffic, int players) {
  lanes_at_start_.clear();
  for (int player = 0; player < players; ++player) {
    lanes_at_start_.push_back(traffic.network.LanesBeside(traffic.Player(player).lane));
  }
}

void Observer::Serialize(Archive& archive, std::size_t players) {
  archive.Range(lanes_at_start_, 0, 10'000);
  archive.Require(lanes_at_start_.size() == players || lanes_at_start_.empty(),
                  "another number of players");
}

void Observer::Observe(const Traffic& traffic, int player, Random& random,
                       std::vector<float>& to) const {
  if (type_ == Type::kOccupancyGrid) {
    SeeCells(traffic, player, to);
  } else if (type_ == Type::kTimeToCollision) {
    SeeCollisions(traffic, player, to);
  } else {
    SeeVehicles(traffic, player, random, to);
  }
}

std::optional<Interval> Observer::RangeOf(Feature feature, int player) const {
  if (has_ranges_) return ranges_[static_cast<std::size_t>(feature)];
  const bool is_grid = type_ == Type::kOccupancyGrid;
  switch (feature) {
    case Feature::kX:
      return is_grid ? std::nullopt : std::optional(Interval{-5.0 * kMostSpeed, 5.0 * kMostSpeed});
    case Feature::kY: {
      if (is_grid) return std::nullopt;
      const double side = kLaneWidth * lanes_at_start_[static_cast<std::size_t>(player)];
      return Interval{-side, side};
    }
    case Feature::kVx:
    case Feature::kVy: return Interval{-2 * kMostSpeed, 2 * kMostSpeed};
    default: return std::nullopt;
  }
}

double Observer::Normalized(Feature feature, double value, int player) const {
  const std::optional<Interval> range = RangeOf(feature, player);
  return range ? Map(value, *range, {-1.0, 1.0}) : value;
}

// --- Kinematics ----------------------------------------------------------------------------------

void Observer::SeeVehicles(const Traffic& traffic, int player, Random& random,
                           std::vector<float>& to) const {
  const Vehicle& self = traffic.Player(player);
  const bool is_exit = type_ == Type::kExit;
  std::vector<const Vehicle*> seen = traffic.Close(
      self, vehicles_count_ - 1, sees_behind_, is_sorted_ || is_exit, !sees_obstacles_ || is_exit);
  seen.insert(seen.begin(), &self);
  const std::size_t start = to.size();
  for (const Vehicle* vehicle : seen) {
    const bool is_self = vehicle == &self;
    const Vehicle* origin = is_self || is_absolute_ ? nullptr : &self;
    for (const Feature feature : features_) {
      double value = FeatureOf(traffic, *vehicle, feature, origin, is_self || sees_intentions_);
      if (is_exit && is_self && feature == Feature::kX) {
        const Network& network = traffic.network;
        value = network[network.Find("1", "2", -1)].Local(self.position).longitudinal;
      }
      if (is_normalized_ && RangeOf(feature, player)) {
        value = Normalized(feature, value, player);
        if (is_clipped_) value = numpy::Clip(value, -1.0, 1.0);
      }
      to.push_back(static_cast<float>(value));
    }
  }
  to.resize(start + vehicles_count_ * features_.size());
  if (!is_sorted_) ShuffleOthers(std::span(to).subspan(start + features_.size()), random);
}

void Observer::ShuffleOthers(std::span<float> numbers, Random& random) const {
  std::vector<std::vector<float>> rows;
  for (auto row = numbers.begin(); row != numbers.end(); row += std::ssize(features_)) {
    rows.emplace_back(row, row + std::ssize(features_));
  }
  random.Shuffle(rows);
  auto to = numbers.begin();
  for (const std::vector<float>& row : rows) to = std::ranges::copy(row, to).out;
}

// --- OccupancyGrid -------------------------------------------------------------------------------

std::optional<std::size_t> Observer::CellOf(Point position, const Vehicle& self) const {
  if (is_aligned_) {
    const Rotation back(Point{self.direction.x, -self.direction.y});
    position = back.Of(position, kernels.gemv);
  }
  const double row = std::floor((position.x - grid_start_.x) / grid_step_.x);
  const double column = std::floor((position.y - grid_start_.y) / grid_step_.y);
  if (!(row >= 0 && row < rows_ && column >= 0 && column < columns_)) return std::nullopt;
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
         static_cast<std::size_t>(column);
}

void Observer::SeeCells(const Traffic& traffic, int player, std::vector<float>& to) const {
  const Vehicle& self = traffic.Player(player);
  const auto cells_of_layer = static_cast<std::size_t>(rows_ * columns_);
  // Upstream writes into the image of a coordinate, if that has a range, and back.
  const auto place_of = [&](const Vehicle& vehicle, Feature feature) {
    const double value = FeatureOf(traffic, vehicle, feature, &self, true);
    const std::optional<Interval> range = RangeOf(feature, player);
    if (!range) return value;
    return Map(Map(value, *range, {-1.0, 1.0}), {-1.0, 1.0}, *range);
  };
  std::vector<double> cells;
  for (const Feature feature : features_) {
    cells.assign(cells_of_layer, kNaN);
    if (feature == Feature::kOnRoad) {
      MarkLanes(traffic, self, cells);
    } else {
      // The first vehicle in a cell is the one that stays.
      for (auto vehicle = traffic.vehicles.rbegin(); vehicle != traffic.vehicles.rend();
           ++vehicle) {
        const Point at = {place_of(*vehicle, Feature::kX), place_of(*vehicle, Feature::kY)};
        const std::optional<std::size_t> cell = CellOf(at, self);
        if (!cell) continue;
        const double value = FeatureOf(traffic, *vehicle, feature, &self, true);
        cells[*cell] = Normalized(feature, value, player);
      }
    }
    for (const double cell : cells) {
      const double value = is_clipped_ ? numpy::Clip(cell, -1.0, 1.0) : cell;
      to.push_back(std::isnan(value) ? 0.0F : static_cast<float>(value));
    }
  }
}

void Observer::MarkLanes(const Traffic& traffic, const Vehicle& self,
                         std::vector<double>& cells) const {
  constexpr double kDistance = 100.0;
  const double spacing = std::min(grid_step_.x, grid_step_.y);
  for (const Lane& lane : traffic.network.Lanes()) {
    const OnLane at = lane.Local(self.position);
    const double origin = at.longitudinal;
    // What is certainly beyond the grid is skipped; all cells that are hit become 1.
    const bool is_straight = lane.shape == Lane::Shape::kStraight;
    if (lane.shape != Lane::Shape::kSine && std::abs(at.lateral) > grid_reach_) continue;
    // As numpy.arange has them: from the first two on.
    const double first = origin - kDistance;
    const double delta = (first + spacing) - first;
    const double count = std::ceil(((origin + kDistance) - first) / spacing);
    double last = kNaN;
    for (int i = 0; i < count; ++i) {
      const double raw = i == 1 ? first + spacing : first + i * delta;
      const double along = numpy::Clip(raw, 0.0, lane.length);
      if (along == last) continue;
      last = along;
      if (is_straight && std::abs(along - origin) > grid_reach_) continue;
      const auto cell = CellOf(lane.Position(along, 0.0) - self.position, self);
      if (cell) cells[*cell] = 1.0;
    }
  }
}

// --- TimeToCollision -----------------------------------------------------------------------------

void Observer::SeeCollisions(const Traffic& traffic, int player, std::vector<float>& to) const {
  const Vehicle& self = traffic.Player(player);
  const Network& network = traffic.network;
  const int lanes = network.LanesBeside(traffic.Player().lane);
  const auto speeds = static_cast<int>(traffic.target_speeds.size());
  const int times = Shape()[2];
  std::vector<double> grid(static_cast<std::size_t>(speeds * lanes * times));
  const auto at = [&](int speed, int lane, int time) -> double& {
    return grid[static_cast<std::size_t>((speed * lanes + lane) * times + time)];
  };
  for (const Vehicle& other : traffic.vehicles) {
    if (&other == &self || !network.Leads(self.lane, other.lane, self.route, 3)) continue;
    const double distance = traffic.LaneDistance(self, other);
    const double projected = other.speed * Dot(other.direction, self.direction);
    const double margin = other.length / 2 + self.length / 2;
    // On another road it may be on any lane.
    const bool is_sure = network.LanesBeside(other.lane) == network.LanesBeside(self.lane);
    const int first = is_sure ? network[other.lane].id : 0;
    const int last = is_sure ? std::min(first, lanes - 1) : lanes - 1;
    for (int speed = 0; speed < speeds; ++speed) {
      const double own = traffic.target_speeds[static_cast<std::size_t>(speed)];
      if (own == other.speed) continue;
      const std::pair<double, double> points[] = {{0.0, 1.0}, {-margin, 0.5}, {margin, 0.5}};
      for (const auto& [shift, cost] : points) {
        const double seconds = (distance + shift) / NotZero(own - projected);
        if (!(seconds >= 0)) continue;
        const double steps = seconds / seconds_per_step_;
        for (const double time : {std::trunc(steps), std::ceil(steps)}) {
          if (!(time < times)) continue;
          for (int lane = first; lane <= last; ++lane) {
            double& cell = at(speed, lane, static_cast<int>(time));
            cell = std::max(cell, cost);
          }
        }
      }
    }
  }
  // Three speeds and three lanes around the own ones; beyond the last lanes there are collisions.
  for (int i = -1; i <= 1; ++i) {
    const int speed = std::clamp(self.speed_index + i, 0, speeds - 1);
    for (int j = -1; j <= 1; ++j) {
      const int lane = network[self.lane].id + j;
      for (int time = 0; time < times; ++time) {
        const bool is_there = lane >= 0 && lane < lanes;
        to.push_back(is_there ? static_cast<float>(at(speed, lane, time)) : 1.0F);
      }
    }
  }
}

}  // namespace envpool::highway
