// Exit: leave a highway in time. Follows highway_env/envs/exit_env.py.
#include <cmath>
#include <numeric>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::exit {
namespace {

class Exit final : public DrivingEnv {
 public:
  Exit(const Options& options, const Scenario& scenario)
      : DrivingEnv(options, scenario), lanes_(Whole("lanes_count")) {
    Network& network = traffic_.network;
    network.AddHighway("0", "1", lanes_, 0, 400, 30);
    network.AddHighway("1", "2", lanes_ + 1, 400, 100, 30);
    network.AddHighway("2", "3", lanes_, 500, 500, 30);
    constexpr double kRadius = 150;
    const Point center = {500, lanes_ * kLaneWidth + kRadius};
    Lane way_out = Lane::Circular(center, kRadius, 3 * kPi / 2, 2 * kPi);
    way_out.is_forbidden = true;
    network.Add("2", "exit", way_out);
    network.Finish();
    way_out_ = network.Find("2", "exit", 0);
    for (LaneIndex lane = 0; lane < static_cast<LaneIndex>(network.Lanes().size()); ++lane) {
      if (lane != way_out_) network.Changed(lane).speed_limit = 26 - 3.4 * network[lane].id;
    }
    goal_ = network.Find("1", "2", lanes_);
    std::vector<double> weights(static_cast<std::size_t>(lanes_));
    std::iota(weights.begin(), weights.end(), 0.0);
    const double total = std::reduce(weights.begin(), weights.end());
    for (const double weight : weights) probabilities_.push_back(weight / total);
  }

 private:
  void Populate() override {
    for (int player = 0; player < Players(); ++player) {
      const Vehicle place =
          traffic_.MakeRandom(Kind::kVehicle, 25.0, 0, 0, Number("ego_spacing"), *random_);
      Add(MakePlayer(place.position, place.heading, place.speed));
    }
    const double spacing = 1 / Number("vehicles_density");
    for (int i = 0; i < Whole("vehicles_count"); ++i) {
      const auto id = static_cast<int>(random_->Choice(probabilities_));
      const double speed = traffic_.network[id].speed_limit;
      Vehicle& other = Add(traffic_.MakeRandom(Kind::kDriver, speed, 0, id, spacing, *random_));
      traffic_.PlanRoute(other, "3");
      other.changes_lanes = false;
    }
  }

  StepResult Judge() override {
    const Vehicle& self = Self();
    const LaneIndex lane = IsControlled(self.kind) ? self.target_lane : self.lane;
    is_success_ = lane == goal_ || lane == way_out_;
    const double speed = Map(self.speed, Range("reward_speed_range"), {0.0, 1.0});
    terms_ = {double(self.is_crashed), double(is_success_), numpy::Clip(speed, 0.0, 1.0),
              double(traffic_.network[lane].id)};
    double reward = WeightedSum();
    if (options_.Flag("normalize_reward")) {
      const Interval usual = {Number("collision_reward"), Number("goal_reward")};
      reward = numpy::Clip(Map(reward, usual, {0.0, 1.0}), 0.0, 1.0);
    }
    return {.reward = reward, .terminated = self.is_crashed, .truncated = IsTimeOver()};
  }

  const int lanes_;
  LaneIndex goal_ = 0;
  LaneIndex way_out_ = 0;
  std::vector<double> probabilities_;  // of the others' lanes
};

[[maybe_unused]] const bool registered = Register(Driving<Exit>(
    "Exit",
    {Count("lanes_count", 6, "how many lanes the road has before the exit", 2, 100),
     Count("vehicles_count", 20, "how many other vehicles there are"),
     Count("controlled_vehicles", 1, "how many do not drive themselves; actions are the first's", 1,
           100),
     Duration(18),
     {"ego_spacing", 2.0, "the space before the own vehicle, compared with the usual", {0, 1000}},
     {"vehicles_density", 1.5, "of the others, compared with the usual", {0.001, 1000}},
     Reward("collision_reward", 0, "of a step with a collision"),
     Reward("goal_reward", 1, "of being on the way out"),
     Reward("right_lane_reward", 0, "of each lane to the right"),
     Reward("high_speed_reward", 0.1, "of driving at full speed"),
     RewardSpeedRange({20, 30}),
     {"normalize_reward", true, "map rewards to 0 and 1?"}},
    {.simulation_frequency = 5,
     .observation =
         ObservationDefaults{
             .types = {"ExitObservation", "Kinematics", "OccupancyGrid", "TimeToCollision"},
             .features = {"presence", "x", "y", "vx", "vy", "cos_h", "sin_h"},
             .vehicles_count = 15,
             .clip = false},
     .action = {.target_speeds = {18, 24, 30}},
     .scaling = 5},
    {.terms = {{"collision_reward", DType::kBool},
               {"goal_reward", DType::kBool},
               {"high_speed_reward"},
               {"right_lane_reward", DType::kInt64}},
     .has_success = true}));

}  // namespace
}  // namespace envpool::highway::exit
