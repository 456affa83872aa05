// Intersection: cross one without traffic lights. Follows highway_env/envs/intersection_env.py.
#include <algorithm>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::intersection {
namespace {

constexpr double kSpeedLimit = 10.0;

std::string Node(const char* name, int corner) { return name + std::to_string((corner + 4) % 4); }

class Intersection final : public DrivingEnv {
 public:
  Intersection(const Options& options, const Scenario& scenario) : DrivingEnv(options, scenario) {
    for (int corner = 0; corner < 4; ++corner) AddCorner(corner);
    traffic_.network.Finish();
    traffic_.has_priorities = true;
    traffic_.manners.comfort_acceleration = 6;
    traffic_.manners.comfort_braking = -3;
    traffic_.manners.distance = 7;
  }

 private:
  // Adds the lanes from and to one of the four directions. Nodes are (o)uter or (i)nner, on the
  // (r)ight or the (l)eft, of 0 south, 1 west, 2 north, 3 east.
  void AddCorner(int corner) {
    constexpr double kHalf = kLaneWidth / 2;
    constexpr double kRight = kLaneWidth + 5;
    constexpr double kLeft = kRight + kLaneWidth;
    constexpr double kOuter = kRight + kHalf;
    constexpr double kAccess = 100;
    const double angle = Radians(90 * corner);
    const Rotation rotation(DirectionOf(angle));
    const auto at = [&rotation](double x, double y) { return rotation.Of({x, y}, kernels.gemv); };
    const int priority = corner % 2 == 1 ? 3 : 1;
    const auto add = [this](const std::string& from, const std::string& to, Lane lane,
                            int priority_of_lane, Lines lines) {
      lane.priority = priority_of_lane;
      lane.speed_limit = kSpeedLimit;
      traffic_.network.Add(from, to, lane.With(lines));
    };
    const std::string in = Node("ir", corner);
    constexpr Line n = Line::kNone;
    constexpr Line c = Line::kContinuous;
    constexpr Line s = Line::kStriped;
    add(Node("o", corner), in, Lane::Straight(at(kHalf, kAccess + kOuter), at(kHalf, kOuter)),
        priority, {s, c});
    add(in, Node("il", corner - 1),
        Lane::Circular(at(kOuter, kOuter), kRight, angle + Radians(180), angle + Radians(270)),
        priority, {n, c});
    add(in, Node("il", corner + 1),
        Lane::Circular(at(-kLeft + kHalf, kLeft - kHalf), kLeft, angle + Radians(0),
                       angle + Radians(-90), false),
        priority - 1, {n, n});
    add(in, Node("il", corner + 2), Lane::Straight(at(kHalf, kOuter), at(kHalf, -kOuter)), priority,
        {s, n});
    add(Node("il", corner - 1), Node("o", corner - 1),
        Lane::Straight(at(kOuter, kHalf), at(kAccess + kOuter, kHalf)), priority, {n, c});
  }

  void Populate() override {
    const int count = Whole("initial_vehicle_count");
    const double step = count > 1 ? 80.0 / (count - 1) : 0.0;
    for (int i = 0; i + 1 < count; ++i) Spawn(i * step, 1.0, 1.0, 0.6, false);
    for (int i = 0; i < 3 * Whole("simulation_frequency"); ++i) {
      traffic_.Act();
      traffic_.Step(SecondsPerFrame());
    }
    Spawn(60, 0.1, 0.0, 1.0, true);
    for (int player = 0; player < Players(); ++player) AddSelf(player);
  }

  void AddSelf(int player) {
    const Network& network = traffic_.network;
    const Lane& lane = network[network.Find(Node("o", player), Node("ir", player), 0)];
    std::string destination = options_.Text("destination");
    if (destination.empty()) destination = Node("o", static_cast<int>(random_->Integers(1, 4)));
    const Point position = lane.Position(60.0 + 5.0 * random_->Normal(1.0), 0);
    Vehicle& self = Add(MakePlayer(position, lane.HeadingAt(60), kSpeedLimit));
    if (IsControlled(self.kind)) traffic_.PlanRoute(self, destination);
    const auto is_too_close = [position](const Vehicle& other) {
      return !other.is_player && Norm(other.position - position) < 20;
    };
    std::erase_if(traffic_.vehicles, is_too_close);
  }

  // Perhaps adds a driver at the outer end of a road.
  void Spawn(double longitudinal, double place_deviation, double speed_deviation,
             double probability, bool goes_straight) {
    if (random_->Uniform() > probability) return;
    const std::vector<std::int64_t> route = random_->ChoiceWithoutReplacement(4, 2);
    const auto from = static_cast<int>(route[0]);
    const int to = goes_straight ? (from + 2) % 4 : static_cast<int>(route[1]);
    const double place = longitudinal + 5.0 + random_->Normal() * place_deviation;
    const double speed = 8.0 + random_->Normal() * speed_deviation;
    const LaneIndex lane = traffic_.network.Find(Node("o", from), Node("ir", from), 0);
    Vehicle driver = traffic_.MakeOnLane(Kind::kDriver, lane, place, speed);
    const auto is_too_close = [&driver](const Vehicle& other) {
      return Norm(other.position - driver.position) < 15;
    };
    if (std::ranges::any_of(traffic_.vehicles, is_too_close)) return;
    traffic_.PlanRoute(driver, Node("o", to));
    traffic_.Randomize(driver, *random_);
    Add(std::move(driver));
  }

  bool IsOnWayOut(const Vehicle& vehicle) const {
    const Network::Road& road = traffic_.network.RoadOf(vehicle.lane);
    return traffic_.network.NameOf(road.from).starts_with("il") &&
           traffic_.network.NameOf(road.to).starts_with("o");
  }
  double AlongLane(const Vehicle& vehicle) const {
    return traffic_.network[vehicle.lane].Local(vehicle.position).longitudinal;
  }
  bool HasArrived(const Vehicle& vehicle) const {
    return IsOnWayOut(vehicle) && AlongLane(vehicle) >= 25;
  }

  void FinishStep() override {
    const auto is_gone = [this](const Vehicle& vehicle) {
      if (vehicle.is_player) return false;
      return IsOnWayOut(vehicle) &&
             AlongLane(vehicle) >= traffic_.network[vehicle.lane].length - 4 * kVehicleLength;
    };
    std::erase_if(traffic_.vehicles, is_gone);
    Spawn(0, 1.0, 1.0, Number("spawn_probability"), false);
  }

  // The terms of a player's reward: collision, high speed, arrival, being on the road.
  std::vector<double> TermsOf(const Vehicle& self) const {
    const double speed = Map(self.speed, Range("reward_speed_range"), {0.0, 1.0});
    return {double(self.is_crashed), numpy::Clip(speed, 0.0, 1.0), double(HasArrived(self)),
            double(traffic_.IsOnRoad(self))};
  }

  AgentResult JudgeAgent(int player) const override {
    const Vehicle& self = traffic_.Player(player);
    const std::vector<double> terms = TermsOf(self);
    const bool has_arrived = terms[2] != 0.0;
    double reward = Number("collision_reward") * terms[0] + Number("high_speed_reward") * terms[1] +
                    Number("arrived_reward") * terms[2];
    if (has_arrived) reward = Number("arrived_reward");
    reward *= terms[3];
    if (options_.Flag("normalize_reward")) {
      const Interval usual = {Number("collision_reward"), Number("arrived_reward")};
      reward = Map(reward, usual, {0.0, 1.0});
    }
    return {.reward = reward, .is_done = self.is_crashed || has_arrived};
  }

  StepResult Judge() override {
    terms_.assign(4, 0.0);
    double reward = 0.0;
    bool is_crashed = false;
    bool have_arrived = true;
    for (int player = 0; player < Players(); ++player) {
      const std::vector<double> terms = TermsOf(traffic_.Player(player));
      for (std::size_t i = 0; i < terms.size(); ++i) terms_[i] += terms[i];
      reward += JudgeAgent(player).reward;
      is_crashed = is_crashed || traffic_.Player(player).is_crashed;
      have_arrived = have_arrived && HasArrived(traffic_.Player(player));
    }
    for (double& term : terms_) term /= Players();
    const bool is_off = options_.Flag("offroad_terminal") && !traffic_.IsOnRoad(Self());
    return {.reward = reward / Players(),
            .terminated = is_crashed || have_arrived || is_off,
            .truncated = IsTimeOver()};
  }
};

const DrivingDefaults kDefaults = {
    .observation =
        ObservationDefaults{.features = {"presence", "x", "y", "vx", "vy", "cos_h", "sin_h"},
                            .vehicles_count = 15,
                            .x_range = {-100, 100},
                            .y_range = {-100, 100},
                            .vx_range = {-20, 20},
                            .vy_range = {-20, 20},
                            .absolute = true},
    .action = {.lateral = false, .target_speeds = {0, 4.5, 9}},
    .screen_height = 600,
    .centering_position = {0.5, 0.6},
    .scaling = 5.5 * 1.3};

Scenario ScenarioFor(bool has_players) {
  return {.terms = {{"collision_reward"},
                    {"high_speed_reward"},
                    {"arrived_reward"},
                    {"on_road_reward"}},
          .has_agents = true,
          .has_players = has_players,
          .check = [](const Options& options) {
            const auto frequency = options.Integer("simulation_frequency");
            Require(frequency >= 2, "simulation_frequency is " + std::to_string(frequency) +
                                        ", expected at least 2, as priorities are decided twice a "
                                        "second");
          }};
}

std::vector<OptionSpec> OptionsWith(std::vector<OptionSpec> own) {
  own.insert(own.end(),
             {Duration(13),
              {"destination",
               "o1",
               "where controlled vehicles go, o0 to o3; '' (None): anywhere",
               {},
               {"o0", "o1", "o2", "o3", ""}},
              Count("initial_vehicle_count", 10, "how many others are drawn for the start"),
              {"spawn_probability", 0.6, "of another one in a step", kProbability},
              Reward("collision_reward", -5, "of a step with a collision"),
              Reward("high_speed_reward", 1, "of driving at full speed"),
              Reward("arrived_reward", 1, "of a step on the way out"),
              RewardSpeedRange({7, 9}),
              {"normalize_reward", false, "map rewards to 0 and 1?"},
              {"offroad_terminal", false, "is leaving the road the end?"}});
  return own;
}

[[maybe_unused]] const bool registered = Register(Driving<Intersection>(
    "Intersection",
    OptionsWith({Count("controlled_vehicles", 1,
                       "how many do not drive themselves; actions are the first's", 1, 100)}),
    kDefaults, ScenarioFor(false)));
[[maybe_unused]] const bool registered_multi_agent = Register(Driving<Intersection>(
    "IntersectionMultiAgent",
    OptionsWith({Count("controlled_vehicles", 2, "how many players there are", 1, 100),
                 {"agents_rewards", false, "does each player get its own reward, not the mean?"}}),
    kDefaults, ScenarioFor(true)));

}  // namespace
}  // namespace envpool::highway::intersection
