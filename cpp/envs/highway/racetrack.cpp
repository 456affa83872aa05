// Racetrack: follow a track; of three forms. Follows highway_env/envs/racetrack_env.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::racetrack {
namespace {

constexpr double kWidth = 5;  // of a lane, m
constexpr Line n = Line::kNone;
constexpr Line c = Line::kContinuous;
constexpr Line s = Line::kStriped;

class AnyRacetrack : public DrivingEnv {
 public:
  AnyRacetrack(const Options& options, const Scenario& scenario, int starts, double speed_limit)
      : DrivingEnv(options, scenario), starts_(starts), speed_limit_(speed_limit) {}

 protected:
  void Straight(const char* from, const char* to, Point start, Point end, Lines lines) {
    AddLane(from, to, Lane::Straight(start, end).With(lines));
  }
  // Adds an arc; phases in degrees. It turns clockwise if they rise.
  void Arc(const char* from, const char* to, Point center, double radius, double start, double end,
           Lines lines) {
    AddLane(from, to,
            Lane::Circular(center, radius, Radians(start), Radians(end), end > start).With(lines));
  }

  void Populate() override {
    const Network& network = traffic_.network;
    constexpr double kSafe = 20;
    int id = 0;
    for (int player = 0; player < Players(); ++player) {
      LaneIndex lane = player == 0
                           ? network.Find("a", "b", static_cast<int>(random_->Integers(starts_)))
                           : RandomLane();
      id = network[lane].id;
      const double longitudinal = random_->Uniform(20, 50);
      const Lane& there = network[lane];
      Add(MakePlayer(there.Position(longitudinal, 0), there.HeadingAt(longitudinal),
                     there.speed_limit));
    }
    const int others = Whole("other_vehicles");
    if (others == 0) return;
    const double most = network[network.Find("b", "c", 0)].length;
    const double ahead = random_->Uniform(0, most);
    AddDriver(network.Find("b", "c", id), ahead, 6 + random_->Uniform(0, 3));
    const auto drawn = static_cast<int>(random_->Integers(others));
    for (int i = 0; i < drawn; ++i) {
      const LaneIndex lane = RandomLane();
      const double longitudinal = random_->Uniform(0, network[lane].length);
      Vehicle other =
          traffic_.MakeOnLane(Kind::kDriver, lane, longitudinal, 6 + random_->Uniform(0, 3));
      const auto is_close = [&other](const Vehicle& vehicle) {
        return Norm(other.position - vehicle.position) < kSafe;
      };
      if (std::ranges::none_of(traffic_.vehicles, is_close)) Add(std::move(other));
    }
  }

 private:
  void AddLane(const char* from, const char* to, Lane lane) {
    lane.width = kWidth;
    lane.speed_limit = speed_limit_;
    traffic_.network.Add(from, to, lane);
  }

  LaneIndex RandomLane() {
    const Network& network = traffic_.network;
    const std::vector<int>& starts = network.Starts();
    const auto from = random_->Choice(static_cast<std::int64_t>(starts.size()));
    const std::vector<int>& roads = network.RoadsFrom(starts[static_cast<std::size_t>(from)]);
    const auto to = random_->Choice(static_cast<std::int64_t>(roads.size()));
    const Network::Road& road =
        network.Roads()[static_cast<std::size_t>(roads[static_cast<std::size_t>(to)])];
    return road.first + static_cast<LaneIndex>(random_->Integers(road.lanes));
  }

  // numpy.linalg.norm of the last action.
  float ActionNorm() const {
    if (action_.size() == 1) return std::sqrt(action_[0] * action_[0]);
    return std::sqrt(
        static_cast<float>(double(action_[0] * action_[0]) + double(action_[1] * action_[1])));
  }

  StepResult Judge() final {
    const Vehicle& self = Self();
    const Lane& lane = traffic_.network[self.lane];
    const double lateral = lane.Local(self.position).lateral;
    const bool is_on_road = traffic_.IsOnRoad(self);
    terms_ = {1 / (1 + Number("lane_centering_cost") * Square(lateral)), ActionNorm(),
              double(self.is_crashed), double(is_on_road)};
    const double centering = Number("lane_centering_reward") * terms_[0];
    const double collision = Number("collision_reward") * terms_[2];
    double reward = centering + Number("action_reward") * terms_[1] + collision;
    if (controls_.IsContinuous()) {
      const float action = static_cast<float>(Number("action_reward")) * ActionNorm();
      // A sum of NumPy's float32 and a number of Python's is a float32, but one of NumPy's float64
      // is none; upstream computes the place on straight lanes as Python's.
      reward = lane.shape == Lane::Shape::kStraight
                   ? static_cast<float>(centering) + action + static_cast<float>(collision)
                   : centering + double{action} + collision;
    }
    reward = Map(reward, {Number("collision_reward"), 1.0}, {0.0, 1.0});
    const bool is_over = self.is_crashed || (options_.Flag("terminate_off_road") && !is_on_road);
    return {
        .reward = reward * double(is_on_road), .terminated = is_over, .truncated = IsTimeOver()};
  }

  const int starts_;  // on how many lanes the own vehicle starts
  const double speed_limit_;
};

class Racetrack final : public AnyRacetrack {
 public:
  Racetrack(const Options& options, const Scenario& scenario)
      : AnyRacetrack(options, scenario, 2, 10.0) {
    Straight("a", "b", {42, 0}, {100, 0}, {c, s});
    Straight("a", "b", {42, 5}, {100, 5}, {s, c});
    Arc("b", "c", {100, -20}, 20, 90, -1, {c, n});
    Arc("b", "c", {100, -20}, 25, 90, -1, {s, c});
    Straight("c", "d", {120, -20}, {120, -30}, {c, n});
    Straight("c", "d", {125, -20}, {125, -30}, {s, c});
    Arc("d", "e", {105, -30}, 15, 0, -181, {c, n});
    Arc("d", "e", {105, -30}, 20, 0, -181, {s, c});
    Arc("e", "f", {70, -30}, 20, 0, 136, {c, s});
    Arc("e", "f", {70, -30}, 15, 0, 137, {n, c});
    Straight("f", "g", {55.7, -15.7}, {35.7, -35.7}, {c, n});
    Straight("f", "g", {59.3934, -19.2}, {39.3934, -39.2}, {s, c});
    Arc("g", "h", {18.1, -18.1}, 25, 315, 170, {c, n});
    Arc("g", "h", {18.1, -18.1}, 30, 315, 165, {s, c});
    Arc("h", "i", {18.1, -18.1}, 25, 170, 56, {c, n});
    Arc("h", "i", {18.1, -18.1}, 30, 170, 58, {s, c});
    Arc("i", "a", {43.2, 23.4}, 23.5, 240, 270, {c, s});
    Arc("i", "a", {43.2, 23.4}, 18.5, 238, 268, {n, c});
    traffic_.network.Finish();
  }
};

class RacetrackLarge final : public AnyRacetrack {
 public:
  RacetrackLarge(const Options& options, const Scenario& scenario)
      : AnyRacetrack(options, scenario, 2, options.Number("speed_limit")) {
    AddRoads();
    traffic_.network.Finish();
  }

 private:
  void AddRoads() {
    // The lines of the lanes, from the inner one on.
    constexpr Lines kLines[] = {{c, n}, {s, s}, {n, c}};
    const double w = kWidth;
    const double turn = 205;  // degrees
    const Point center = {118.1 - 30, -48.1 - 30};
    const Point starts[] = {{155.7, -45.7}, {159.3934, -49.2}};
    const Point ends[] = {{135.7 - 30, -65.7 - 30}, {139.3934 - 30, -69.2 - 30}};
    const Point third_start = starts[0] + 2 * (starts[1] - starts[0]);
    const Point third_end = ends[0] + 2 * (ends[1] - ends[0]);
    const double last = Radians(30);
    for (int id = 0; id < 3; ++id) {
      const double out = id * w;
      const Lines lines = kLines[id];
      Straight("a", "b", {42, out}, {200, out}, id == 0 ? Lines{c, s} : lines);
      Arc("b", "c", {200, -20}, 20 + out, 90, -1, lines);
      Straight("c", "d", {220 + out, -20}, {220 + out, -61}, lines);
      Arc("d", "e", {205, -60}, 15 + out, 0, -181, lines);
      Arc("e", "f", {170, -60}, 20 - out, 0, id == 0 ? 136 : 137, lines);
      Straight("f", "g", id < 2 ? starts[id] : third_start, id < 2 ? ends[id] : third_end, lines);
      Arc("g", "h", center, 25 + out, 317, id == 0 ? turn - 3 : turn, lines);
      const Point start = center + (25 + out) * DirectionOf(Radians(turn));
      const double radius = 15 + out;
      const Point end = {42 - radius * Cos(last), -15 - radius * Sin(last)};
      Straight("h", "i", start, end, lines);
      Arc("i", "a", {42, -15}, radius, id == 2 ? 212 : 210, id == 1 ? 90 : 88, lines);
    }
  }
};

class RacetrackOval final : public AnyRacetrack {
 public:
  RacetrackOval(const Options& options, const Scenario& scenario)
      : AnyRacetrack(options, scenario, static_cast<int>(options.Integer("no_lanes")), 10.0) {
    if (Number("length") != 0) AddRoads(Number("length"));
  }

 private:
  void Populate() override {
    if (Number("length") == 0) {
      // Upstream draws from a generator that has no seed.
      AddRoads(static_cast<double>(random_->Integers(100, 200)));
    }
    if (options_.Flag("block_lane")) {
      for (const double back : {40.0, 43.0, 46.0, 49.0}) {
        for (const double y : {3.75, 6.25}) traffic_.AddObstacle({length_ - back, y});
      }
    }
    if (options_.Flag("force_decision")) {
      for (const double y : {-1.25, 1.25, 8.85, 11.25}) traffic_.AddObstacle({length_ - 90, y});
    }
    AnyRacetrack::Populate();
  }

  void AddRoads(double length) {
    length_ = length;
    traffic_.network = Network();
    const int lanes = std::max(Whole("no_lanes"), 2);
    for (int i = 0; i < lanes; ++i) {
      // One lane is two, of which one lies on the other.
      const double out = Whole("no_lanes") == 1 ? 0 : i * kWidth;
      const Lines lines = i == 0 ? Lines{c, n} : Lines{s, i == lanes - 1 ? c : n};
      Straight("a", "b", {0, out}, {length + 1, out}, i == 0 ? Lines{c, s} : lines);
      Arc("b", "c", {length, -20}, 20 + out, 90, 0, lines);
      Straight("c", "d", {length + 20 + out, -20}, {length + 20 + out, -50}, lines);
      Arc("d", "e", {length + 5, -50}, 15 + out, 0, -90, lines);
      Straight("e", "f", {length + 5, -(65 + out)}, {-5, -(65 + out)}, lines);
      Arc("f", "g", {-5, -50}, 15 + out, -90, -180, lines);
      Straight("g", "h", {-20 - out, -50}, {-20 - out, -20}, lines);
      Arc("h", "a", {0, -20}, 20 + out, 180, 90, i == 0 ? lines : Lines{s, c});
    }
    traffic_.network.Finish();
  }

  void SerializeMore(Archive& archive) override {
    archive.Range(length_, 0.0, 1e6);
    if (archive.IsReader() && length_ > 0) AddRoads(length_);
  }

  double length_ = 0.0;  // of the straight parts, m
};

const DrivingDefaults kDefaults = {
    .policy_frequency = 5,
    .observation = ObservationDefaults{.types = {"OccupancyGrid", "Kinematics"},
                                       .features = {"presence", "on_road"},
                                       .grid_size = {-18, 18, -18, 18},
                                       .grid_step = {3, 3},
                                       .align_to_vehicle_axes = true},
    .action = {.types = {"ContinuousAction", "DiscreteAction"}, .longitudinal = false},
    .has_drivers = false,
    .screen_height = 600,
    .centering_position = {0.5, 0.5}};

const Scenario kScenario = {.terms = {{"lane_centering_reward"},
                                      {"action_reward", DType::kFloat32},
                                      {"collision_reward", DType::kBool},
                                      {"on_road_reward", DType::kBool}}};

std::vector<OptionSpec> OptionsWith(std::vector<OptionSpec> own = {}) {
  own.insert(own.end(), {Duration(300),
                         Reward("collision_reward", -1, "of a step with a collision"),
                         {"lane_centering_cost", 4.0,
                          "of the distance to the center of the lane, 1/m^2", kFloat32NotNegative},
                         Reward("lane_centering_reward", 1, "of driving in the center of the lane"),
                         Reward("action_reward", -0.3, "of the size of the action"),
                         Count("controlled_vehicles", 1,
                               "how many do not drive themselves; actions are the first's", 1, 100),
                         Count("other_vehicles", 1, "at most how many drive themselves"),
                         {"terminate_off_road", true, "is leaving the road the end?"}});
  return own;
}

OptionSpec SpeedLimit(const char* what) { return {"speed_limit", 10.0, what, {0.01, 1000}}; }

[[maybe_unused]] const bool registered = Register(Driving<Racetrack>(
    "Racetrack", OptionsWith({SpeedLimit("of nothing: upstream does not use it")}), kDefaults,
    kScenario));
[[maybe_unused]] const bool registered_large = Register(Driving<RacetrackLarge>(
    "RacetrackLarge", OptionsWith({SpeedLimit("of all lanes, m/s")}), kDefaults, kScenario));
[[maybe_unused]] const bool registered_oval = Register(Driving<RacetrackOval>(
    "RacetrackOval",
    OptionsWith({SpeedLimit("of nothing: upstream does not use it"),
                 {"length", 100.0, "of the straight parts, m; 0: drawn, from 100 to 199", {0, 1e5}},
                 Count("no_lanes", 3, "how many lanes the track has", 1, 20),
                 {"block_lane", false, "is the middle lane blocked?"},
                 {"force_decision", false, "are the first and the third lane blocked?"}}),
    kDefaults, kScenario));

}  // namespace
}  // namespace envpool::highway::racetrack
