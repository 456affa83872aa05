#include "highway/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "highway/regulation.h"
#include "numerics/products.h"

namespace envpool::highway {

namespace {

constexpr double kPerception = 200.0;  // m
constexpr double kMostAcceleration = 6.0;
constexpr double kMostSteering = kPi / 3;
constexpr double kLaneChangeBraking = 2.0;
constexpr double kLaneChangeDelay = 1.0;
// Gains of the controllers.
constexpr double kSpeedGain = 1 / 0.6;
constexpr double kHeadingGain = 1 / 0.2;
constexpr double kLateralGain = 1 / 0.6;
constexpr double kPursuit = 0.5 * 0.2;
// What linear drivers make of differences of speed to the target and to the vehicle ahead, and of
// the distance; and of differences of heading and place.
constexpr std::array<double, 3> kLinearAcceleration = {0.3, 0.3, 2.0};
constexpr std::array<double, 3> kAggressive = {0.8 / ((1 - 0.75) * 30), 0.8 / (0.75 * 30), 0.5};
constexpr std::array<double, 3> kDefensive = {1.2 / ((1 - 0.75) * 30), 1.2 / (0.75 * 30), 2.0};
constexpr std::array<double, 2> kLinearSteering = {kHeadingGain, kHeadingGain * kLateralGain};
constexpr std::array<double, 2> kSteeringRange = {0.07, 1.5};

double Clip(double x, double low, double high) { return numpy::Clip(x, low, high); }

// A bicycle whose tires slip, as highway_env/vehicle/dynamics.py.
struct Bicycle {
  static constexpr double kToAxle = kVehicleLength / 2;
  static constexpr double kInertia = 1.0 / 12 * 1 * (5.0 * 5.0 + 2.0 * 2.0);
  static constexpr double kFriction = 15.0;
};

}  // namespace

BicycleState StateOf(const Vehicle& vehicle) {
  return {vehicle.position.x, vehicle.position.y,    vehicle.heading,
          vehicle.speed,      vehicle.lateral_speed, vehicle.yaw_rate};
}

BicycleState DerivativeOf(const Vehicle& vehicle, const BicycleState& state) {
  const auto& [x, y, heading, speed, lateral_speed, yaw_rate] = state;
  const double front = numerics::Arctan2(lateral_speed + Bicycle::kToAxle * yaw_rate, speed);
  const double rear = numerics::Arctan2(lateral_speed - Bicycle::kToAxle * yaw_rate, speed);
  double front_force = 2 * Bicycle::kFriction * (vehicle.steering - front);
  double rear_force = 2 * Bicycle::kFriction * (0 - rear);
  if (std::abs(speed) < 1) {
    constexpr double kDamping = Bicycle::kInertia / Bicycle::kToAxle;
    front_force = -1.0 * lateral_speed - kDamping * yaw_rate;
    rear_force = -1.0 * lateral_speed + kDamping * yaw_rate;
  }
  const double lateral_acceleration = (front_force + rear_force) - yaw_rate * speed;
  const double yaw_acceleration =
      1 / Bicycle::kInertia * (Bicycle::kToAxle * front_force - Bicycle::kToAxle * rear_force);
  const Point velocity = Rotation(DirectionOf(heading)).Of({speed, lateral_speed}, kernels.gemv);
  return {velocity.x,           velocity.y,           yaw_rate,
          vehicle.acceleration, lateral_acceleration, yaw_acceleration};
}

// --- making --------------------------------------------------------------------------------------

Vehicle Traffic::Make(Kind kind, Point position, double heading, double speed) const {
  Vehicle vehicle;
  vehicle.kind = kind;
  vehicle.position = position;
  vehicle.TurnTo(heading);
  vehicle.speed = speed;
  vehicle.SetSize(kVehicleLength, kVehicleWidth);
  vehicle.lane = network.Closest(position, heading, kNoLane);
  if (IsControlled(kind)) {
    vehicle.target_lane = vehicle.lane;
    vehicle.target_speed = speed;
  }
  if (kind == Kind::kMeta) {
    vehicle.speed_index = SpeedIndex(speed);
    vehicle.target_speed = target_speeds[static_cast<std::size_t>(vehicle.speed_index)];
  }
  if (kind == Kind::kDriver) {
    vehicle.acceleration_weights = kLinearAcceleration;
    if (drivers == Drivers::kAggressive) vehicle.acceleration_weights = kAggressive;
    if (drivers == Drivers::kDefensive) vehicle.acceleration_weights = kDefensive;
    vehicle.steering_weights = kLinearSteering;
    vehicle.timer = numpy::Remainder((position.x + position.y) * kPi, kLaneChangeDelay);
  }
  return vehicle;
}

void Traffic::AddObstacle(Point position, double heading, double length, double width) {
  Vehicle obstacle = Make(Kind::kObstacle, position, heading, 0.0);
  obstacle.SetSize(length, width);
  objects.push_back(std::move(obstacle));
}

void Traffic::Randomize(Vehicle& driver, Random& random) const {
  if (drivers != Drivers::kIdm) {
    for (std::size_t i = 0; i < kLinearAcceleration.size(); ++i) {
      const double low = 0.5 * kLinearAcceleration[i];
      const double high = 1.5 * kLinearAcceleration[i];
      driver.acceleration_weights[i] = low + random.Unit() * (high - low);
    }
    for (std::size_t i = 0; i < kLinearSteering.size(); ++i) {
      const double low = kLinearSteering[i] - kSteeringRange[i];
      const double high = kLinearSteering[i] + kSteeringRange[i];
      driver.steering_weights[i] = low + random.Unit() * (high - low);
    }
  }
  driver.exponent = random.Uniform(3.5, 4.5);
}

Vehicle Traffic::MakeRandom(Kind kind, std::optional<double> given, LaneIndex first, int id,
                            double spacing, Random& random) const {
  const int lanes = network.LanesBeside(first);
  if (id < 0) id = static_cast<int>(random.Choice(lanes));
  const Lane& lane = network[first + id];
  const double speed =
      given ? *given : random.Uniform(0.7 * lane.speed_limit, 0.8 * lane.speed_limit);
  const double offset = spacing * (12 + 1.0 * speed) * numerics::Exp(-5.0 / 40 * lanes);
  double x = 3 * offset;
  for (std::size_t i = 0; i < vehicles.size(); ++i) {
    const double other = lane.Local(vehicles[i].position).longitudinal;
    x = i == 0 ? other : std::max(x, other);
  }
  x += offset * random.Uniform(0.9, 1.1);
  return Make(kind, lane.Position(x, 0.0), lane.HeadingAt(x), speed);
}

int Traffic::SpeedIndex(double speed) const {
  const auto most = static_cast<double>(target_speeds.size() - 1);
  const double x = (speed - target_speeds.front()) / (target_speeds.back() - target_speeds.front());
  return static_cast<int>(Clip(std::nearbyint(x * most), 0.0, most));
}

// --- looking -------------------------------------------------------------------------------------

std::size_t Traffic::PlaceOf(int number) const {
  std::size_t place = 0;
  while (!vehicles[place].is_player || number-- > 0) ++place;
  return place;
}

std::vector<const Vehicle*> Traffic::Close(const Vehicle& vehicle, std::size_t most, bool behind,
                                           bool sorted, bool only_vehicles) const {
  std::vector<std::pair<double, const Vehicle*>> found;
  const auto closeness = [](const auto& pair) { return std::abs(pair.first); };
  const auto look_at = [&](const Vehicle& other, bool everywhere) {
    if (&other == &vehicle || !(Norm(other.position - vehicle.position) < kPerception)) return;
    const double distance = LaneDistance(vehicle, other);
    if (!everywhere && !(-2 * kVehicleLength < distance)) return;
    const auto place =
        sorted ? std::ranges::upper_bound(found, std::abs(distance), {}, closeness) : found.end();
    found.emplace(place, distance, &other);
  };
  for (const Vehicle& other : vehicles) look_at(other, behind);
  if (!only_vehicles) {
    for (const Vehicle& object : objects) look_at(object, false);
  }
  if (most > 0 && found.size() > most) found.resize(most);
  std::vector<const Vehicle*> result;
  for (const auto& [distance, other] : found) result.push_back(other);
  return result;
}

const std::vector<Traffic::Passer>& Traffic::PassersOf(LaneIndex index) {
  const auto place = static_cast<std::size_t>(index);
  std::vector<Passer>& passers = passers_[place];
  if (are_passers_known_[place]) return passers;
  are_passers_known_[place] = true;
  passers.clear();
  const Lane& lane = network[index];
  const auto look_at = [&](const Vehicle& other, const Lane& there, double offset) {
    const OnLane at = there.Local(other.position);
    if (!there.Contains(at, 1.0)) return false;
    passers.push_back({at.longitudinal + offset, &other});
    return true;
  };
  const auto look_for = [&](const Vehicle& other) {
    if (look_at(other, lane, 0.0) || !looks_beyond_lanes) return;
    for (const Network::Continued& next : network.Continuing(index)) {
      if (look_at(other, network[next.lane], next.offset)) return;
    }
  };
  for (const Vehicle& vehicle : vehicles) look_for(vehicle);
  for (const Vehicle& object : objects) {
    if (object.kind != Kind::kLandmark) look_for(object);
  }
  return passers;
}

Traffic::Neighbours Traffic::Around(const Vehicle& vehicle, LaneIndex index) {
  const double here = network[index].Local(vehicle.position).longitudinal;
  double front = std::numeric_limits<double>::infinity();
  double rear = -front;
  Neighbours result;
  for (const Passer& other : PassersOf(index)) {
    if (other.vehicle == &vehicle) continue;
    if (here <= other.longitudinal && other.longitudinal <= front) {
      front = other.longitudinal;
      result.front = other.vehicle;
    }
    if (other.longitudinal < here && other.longitudinal > rear) {
      rear = other.longitudinal;
      result.rear = other.vehicle;
    }
  }
  return result;
}

// --- deciding ------------------------------------------------------------------------------------

void Traffic::FollowRoad(Vehicle& vehicle) const {
  if (network[vehicle.target_lane].IsAfterEnd(vehicle.position)) {
    vehicle.target_lane = network.Next(vehicle.target_lane, vehicle.route, vehicle.position);
  }
}

double Traffic::SteeringTo(const Vehicle& vehicle, LaneIndex target) const {
  const Lane& lane = network[target];
  const OnLane at = lane.Local(vehicle.position);
  const double future = lane.HeadingAt(at.longitudinal + vehicle.speed * kPursuit);
  const double speed = NotZero(vehicle.speed);
  const double lateral_speed = -kLateralGain * at.lateral;
  const double command = Arcsin(Clip(lateral_speed / speed, -1, 1));
  const double heading = future + Clip(command, -kPi / 4, kPi / 4);
  const double rate = kHeadingGain * WrapToPi(heading - vehicle.heading);
  const double slip = Arcsin(Clip(kVehicleLength / 2 / speed * rate, -1, 1));
  return Clip(Arctan(2 * Tan(slip)), -kMostSteering, kMostSteering);
}

void Traffic::Drive(Vehicle& vehicle, Meta action) const {
  if (action == Meta::kFaster || action == Meta::kSlower) {
    const int index = SpeedIndex(vehicle.speed) + (action == Meta::kFaster ? 1 : -1);
    vehicle.speed_index = std::clamp(index, 0, static_cast<int>(target_speeds.size()) - 1);
    vehicle.target_speed = target_speeds[static_cast<std::size_t>(vehicle.speed_index)];
  }
  FollowRoad(vehicle);
  if (action == Meta::kLeft || action == Meta::kRight) {
    const Network::Road& road = network.RoadOf(vehicle.target_lane);
    const int id = network[vehicle.target_lane].id + (action == Meta::kRight ? 1 : -1);
    const LaneIndex wanted = road.first + std::clamp(id, 0, road.lanes - 1);
    if (network[wanted].IsReachableFrom(vehicle.position)) vehicle.target_lane = wanted;
  }
  vehicle.steering = SteeringTo(vehicle, vehicle.target_lane);
  vehicle.acceleration = kSpeedGain * (vehicle.target_speed - vehicle.speed);
}

double Traffic::DesiredGap(const Vehicle& vehicle, const Vehicle& front) const {
  const double product = -manners.comfort_acceleration * manners.comfort_braking;
  const double approach = Dot(vehicle.Velocity() - front.Velocity(), vehicle.direction);
  return manners.distance + vehicle.speed * manners.time_gap +
         vehicle.speed * approach / (2 * std::sqrt(product));
}

double Traffic::LinearAcceleration(const Vehicle& driver, const Vehicle* vehicle,
                                   const Vehicle* front) const {
  std::array<double, 3> differences = {};
  if (vehicle != nullptr) {
    const double speed = vehicle->speed;
    differences[0] = IsControlled(vehicle->kind) ? vehicle->target_speed - speed : 0.0;
    if (front != nullptr) {
      const double safe = manners.distance + Max(speed, 0.0) * manners.time_gap;
      differences[1] = Min(front->speed - speed, 0.0);
      differences[2] = Min(LaneDistance(*vehicle, *front) - safe, 0.0);
    }
  }
  return numerics::Dot(driver.acceleration_weights, differences);
}

double Traffic::LinearSteering(const Vehicle& vehicle) const {
  const Lane& lane = network[vehicle.target_lane];
  const OnLane at = lane.Local(vehicle.position);
  const double future = lane.HeadingAt(at.longitudinal + vehicle.speed * kPursuit);
  const double speed = NotZero(vehicle.speed);
  const Point differences = {WrapToPi(future - vehicle.heading) * kVehicleLength / speed,
                             -at.lateral * kVehicleLength / Square(speed)};
  const Point weights = {vehicle.steering_weights[0], vehicle.steering_weights[1]};
  return Clip(Dot(weights, differences), -kMostSteering, kMostSteering);
}

double Traffic::FreeAcceleration(const Vehicle& driver, const Vehicle& vehicle) const {
  const double wanted = Clip(vehicle.target_speed, 0.0, network[vehicle.lane].speed_limit);
  const double ratio = Max(vehicle.speed, 0.0) / std::abs(NotZero(wanted));
  return manners.comfort_acceleration * (1 - numerics::Power(ratio, driver.exponent));
}

double Traffic::Acceleration(const Vehicle& driver, const Vehicle* vehicle,
                             const Vehicle* front) const {
  if (drivers != Drivers::kIdm) return LinearAcceleration(driver, vehicle, front);
  if (vehicle == nullptr || !IsVehicle(vehicle->kind)) return 0.0;
  double acceleration = vehicle == &driver ? own_acceleration_ : FreeAcceleration(driver, *vehicle);
  if (front != nullptr) {
    const double gap = DesiredGap(*vehicle, *front) / NotZero(LaneDistance(*vehicle, *front));
    acceleration -= manners.comfort_acceleration * (gap * gap);  // NumPy's power of 2
  }
  return acceleration;
}

void Traffic::ThinkOfLaneChange(Vehicle& vehicle) {
  if (vehicle.lane != vehicle.target_lane) {
    if (network[vehicle.lane].road != network[vehicle.target_lane].road) return;
    for (const Vehicle& other : vehicles) {
      if (&other == &vehicle || other.lane == vehicle.target_lane || !IsControlled(other.kind) ||
          other.target_lane != vehicle.target_lane) {
        continue;
      }
      const double distance = LaneDistance(vehicle, other);
      if (0 < distance && distance < DesiredGap(vehicle, other)) {
        vehicle.target_lane = vehicle.lane;
        return;
      }
    }
    return;
  }
  if (!(kLaneChangeDelay < vehicle.timer)) return;
  vehicle.timer = 0.0;
  const Network::Road& road = network.RoadOf(vehicle.lane);
  const int id = network[vehicle.lane].id;
  for (const int side : {id - 1, id + 1}) {
    if (side < 0 || side >= road.lanes) continue;
    const LaneIndex lane = road.first + side;
    if (!network[lane].IsReachableFrom(vehicle.position)) continue;
    if (std::abs(vehicle.speed) < 1) continue;
    if (IsLaneChangeWorthwhile(vehicle, lane)) vehicle.target_lane = lane;
  }
}

bool Traffic::IsLaneChangeWorthwhile(const Vehicle& vehicle, LaneIndex lane) {
  const Neighbours there = Around(vehicle, lane);
  if (Acceleration(vehicle, there.rear, &vehicle) < -kLaneChangeBraking) return false;
  const double then = Acceleration(vehicle, &vehicle, there.front);
  if (!vehicle.route.empty() && vehicle.route.front().id != RouteStep::kAnyLane) {
    const int target = network[vehicle.target_lane].id;
    const auto side_of = [target](int id) { return (id > target) - (id < target); };
    return side_of(network[lane].id) == side_of(vehicle.route.front().id) &&
           !(then < -kLaneChangeBraking);
  }
  // What it means for followers has the weight 0 upstream, too.
  const double now = Acceleration(vehicle, &vehicle, Around(vehicle, vehicle.lane).front);
  return !(then - now < manners.lane_change_gain);
}

void Traffic::DriveItself(Vehicle& vehicle) {
  if (vehicle.is_crashed) return;
  if (drivers == Drivers::kIdm) own_acceleration_ = FreeAcceleration(vehicle, vehicle);
  FollowRoad(vehicle);
  if (vehicle.changes_lanes) ThinkOfLaneChange(vehicle);
  vehicle.steering =
      drivers == Drivers::kIdm ? SteeringTo(vehicle, vehicle.target_lane) : LinearSteering(vehicle);
  double acceleration = Acceleration(vehicle, &vehicle, Around(vehicle, vehicle.lane).front);
  if (vehicle.lane != vehicle.target_lane) {
    const Neighbours there = Around(vehicle, vehicle.target_lane);
    acceleration = Min(acceleration, Acceleration(vehicle, &vehicle, there.front));
  }
  vehicle.acceleration = Clip(acceleration, -kMostAcceleration, kMostAcceleration);
}

void Traffic::Act() {
  passers_.resize(network.Lanes().size());
  are_passers_known_.assign(passers_.size(), false);
  for (Vehicle& vehicle : vehicles) {
    if (vehicle.kind == Kind::kMeta) Drive(vehicle, Meta::kNone);
    if (vehicle.kind == Kind::kDriver) DriveItself(vehicle);
  }
}

// --- moving --------------------------------------------------------------------------------------

namespace {

// Limits what a vehicle wants to what it can.
void ClipAction(Vehicle& vehicle) {
  if (vehicle.is_crashed) {
    vehicle.steering = 0.0;
    vehicle.acceleration = -1.0 * vehicle.speed;
  }
  if (vehicle.speed > vehicle.speeds.high) {
    vehicle.acceleration = Min(vehicle.acceleration, vehicle.speeds.high - vehicle.speed);
  } else if (vehicle.speed < vehicle.speeds.low) {
    vehicle.acceleration = Max(vehicle.acceleration, vehicle.speeds.low - vehicle.speed);
  }
}

void MoveBicycle(Vehicle& vehicle, double seconds) {
  vehicle.steering = Clip(vehicle.steering, -kPi / 2, kPi / 2);
  vehicle.yaw_rate = Clip(vehicle.yaw_rate, -2 * kPi, 2 * kPi);
  const BicycleState state = StateOf(vehicle);
  const auto ahead = [&state](const BicycleState& slope, double time) {
    BicycleState result;
    for (std::size_t i = 0; i < state.size(); ++i) result[i] = state[i] + slope[i] * time;
    return result;
  };
  const BicycleState k1 = DerivativeOf(vehicle, state);
  const BicycleState k2 = DerivativeOf(vehicle, ahead(k1, seconds / 2));
  const BicycleState k3 = DerivativeOf(vehicle, ahead(k2, seconds / 2));
  const BicycleState k4 = DerivativeOf(vehicle, ahead(k3, seconds));
  BicycleState next;
  for (std::size_t i = 0; i < state.size(); ++i) {
    next[i] = state[i] + seconds / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  vehicle.position = {next[0], next[1]};
  vehicle.TurnTo(next[2]);
  vehicle.speed = next[3];
  vehicle.lateral_speed = next[4];
  vehicle.yaw_rate = next[5];
}

}  // namespace

void Traffic::Move(Vehicle& vehicle, double seconds) const {
  if (vehicle.kind == Kind::kDriver) vehicle.timer += seconds;
  ClipAction(vehicle);
  if (vehicle.kind == Kind::kBicycle) {
    MoveBicycle(vehicle, seconds);
  } else {
    const double slip = Arctan(0.5 * Tan(vehicle.steering));
    const Point direction = slip == 0.0 ? vehicle.direction : DirectionOf(vehicle.heading + slip);
    vehicle.position = vehicle.position + seconds * (vehicle.speed * direction);
    if (vehicle.has_impact) {
      vehicle.position = vehicle.position + vehicle.impact;
      vehicle.is_crashed = true;
      vehicle.has_impact = false;
    }
    vehicle.TurnTo(vehicle.heading + vehicle.speed * Sin(slip) / (kVehicleLength / 2) * seconds);
    vehicle.speed += vehicle.acceleration * seconds;
  }
  vehicle.lane = network.Closest(vehicle.position, vehicle.heading, vehicle.lane);
}

void Traffic::Handle(Vehicle& vehicle, Vehicle& other, double seconds) const {
  const double reach = (vehicle.diagonal + other.diagonal) / 2 + vehicle.speed * seconds;
  if (Norm(other.position - vehicle.position) > reach) return;
  const Collision collision = Collide(PolygonOf(vehicle), PolygonOf(other),
                                      seconds * vehicle.Velocity(), seconds * other.Velocity());
  const bool is_solid = other.kind != Kind::kLandmark;
  if (collision.will_be && is_solid) {
    const bool is_alone = other.kind == Kind::kObstacle;
    vehicle.has_impact = true;
    vehicle.impact = is_alone ? collision.translation : collision.translation / 2.0;
    if (!is_alone) {
      other.has_impact = true;
      other.impact = -collision.translation / 2.0;
    }
  }
  if (!collision.is) return;
  if (is_solid) vehicle.is_crashed = other.is_crashed = true;
  if (!is_solid) other.is_hit = true;
}

void Traffic::Step(double seconds) {
  constexpr double kPrioritiesPerSecond = 2.0;
  ++steps_;
  if (has_priorities && steps_ % static_cast<int>(1 / seconds / kPrioritiesPerSecond) == 0) {
    EnforcePriorities(*this);
  }
  for (Vehicle& vehicle : vehicles) Move(vehicle, seconds);
  places_.clear();
  double widest = 0.0;
  for (const Vehicle& vehicle : vehicles) {
    places_.push_back(vehicle.position);
    widest = std::max(widest, vehicle.diagonal);
  }
  for (std::size_t i = 0; i < vehicles.size(); ++i) {
    Vehicle& vehicle = vehicles[i];
    // Who is farther away than this, 1 m more than collisions reach, would only be looked at.
    const double reach = (vehicle.diagonal + widest) / 2 + vehicle.speed * seconds + 1.0;
    for (std::size_t j = i + 1; j < vehicles.size(); ++j) {
      if (std::abs(places_[j].x - places_[i].x) > reach) continue;
      if (std::abs(places_[j].y - places_[i].y) > reach) continue;
      if (vehicle.checks_collisions || vehicles[j].checks_collisions) {
        Handle(vehicle, vehicles[j], seconds);
      }
    }
    for (Vehicle& object : objects) Handle(vehicle, object, seconds);
  }
}

// --- snapshots -----------------------------------------------------------------------------------

void Traffic::Serialize(Archive& archive) {
  archive.Count(steps_);
  archive(vehicles, objects);
  const std::size_t lanes = network.Lanes().size();
  for (std::vector<Vehicle>* list : {&vehicles, &objects}) {
    for (Vehicle& vehicle : *list) {
      archive.Index(vehicle.lane, lanes);
      archive.Range(vehicle.target_lane, kNoLane, static_cast<LaneIndex>(lanes) - 1);
      archive.Require((vehicle.target_lane != kNoLane) == IsControlled(vehicle.kind),
                      "a vehicle without a target");
      archive.Index(vehicle.speed_index, target_speeds.size());
      std::vector<int> roads;
      std::vector<int> ids;
      for (const RouteStep& step : vehicle.route) {
        roads.push_back(step.road);
        ids.push_back(step.id);
      }
      archive.Index(roads, network.Roads().size());
      archive.Range(ids, RouteStep::kAnyLane, 1000);
      archive.Require(roads.size() == ids.size(), "a route that is none");
      if (!archive.IsReader()) continue;
      vehicle.route.clear();
      for (std::size_t i = 0; i < roads.size(); ++i) {
        const int most = network.Roads()[static_cast<std::size_t>(roads[i])].lanes - 1;
        archive.Require(ids[i] <= most, "a route to a lane that is not there");
        vehicle.route.push_back({roads[i], ids[i]});
      }
    }
  }
}

}  // namespace envpool::highway
