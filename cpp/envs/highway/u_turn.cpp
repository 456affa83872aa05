// UTurn: overtake slow vehicles in a U-turn. Follows highway_env/envs/u_turn_env.py.
#include <algorithm>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::u_turn {
namespace {

class UTurn final : public DrivingEnv {
 public:
  UTurn(const Options& options, const Scenario& scenario) : DrivingEnv(options, scenario) {
    constexpr double kLength = 128;
    constexpr double kRadius = 20;
    constexpr Lines kInner = {Line::kContinuousLine, Line::kStriped};
    constexpr Lines kOuter = {Line::kNone, Line::kContinuousLine};
    Network& network = traffic_.network;
    const auto add = [&network](const char* from, const char* to, double start, double end,
                                double y, Lines lines) {
      network.Add(from, to, Lane::Straight({start, y}, {end, y}).With(lines));
    };
    add("c", "d", kLength, 0, kLaneWidth, kInner);
    add("c", "d", kLength, 0, 0, kOuter);
    const Point center = {kLength, kLaneWidth + kRadius};
    for (int id = 0; id < 2; ++id) {
      const Lines lines = id == 0 ? Lines{Line::kContinuous, Line::kStriped}
                                  : Lines{Line::kNone, Line::kContinuous};
      network.Add(
          "b", "c",
          Lane::Circular(center, kRadius + id * kLaneWidth, Radians(90), Radians(-90), false)
              .With(lines));
    }
    add("a", "b", 0, kLength, kLaneWidth + 2 * kRadius, kInner);
    add("a", "b", 0, kLength, 2 * kLaneWidth + 2 * kRadius, kOuter);
    network.Finish();
  }

 private:
  void Populate() override {
    const Network& network = traffic_.network;
    Vehicle& self = Add(MakePlayer(network[network.Find("a", "b", 0)].Position(0, 0), 0, 16));
    if (IsControlled(self.kind)) traffic_.PlanRoute(self, "d");
    struct Start {
      const char* from;
      const char* to;
      int id;
      double longitudinal;
      double speed;
    };
    static constexpr Start kStarts[] = {{"a", "b", 0, 25, 13.5}, {"a", "b", 1, 56, 14.5},
                                        {"b", "c", 1, 0.5, 4.5}, {"b", "c", 0, 17.5, 5.5},
                                        {"c", "d", 0, 1, 3.5},   {"c", "d", 1, 30, 5.5}};
    for (const Start& start : kStarts) {
      const double longitudinal = start.longitudinal + random_->Normal() * 2.0;
      const double speed = start.speed + random_->Normal() * 2.0;
      Vehicle& other = AddDriver(network.Find(start.from, start.to, start.id), longitudinal, speed);
      traffic_.PlanRoute(other, "d");
      if (&start == kStarts) traffic_.Randomize(other, *random_);
    }
  }

  StepResult Judge() override {
    const Vehicle& self = Self();
    const int others = traffic_.network.LanesBeside(self.lane) - 1;
    const double speed = Map(self.speed, Range("reward_speed_range"), {0.0, 1.0});
    terms_ = {double(self.is_crashed), traffic_.network[self.lane].id / double(std::max(others, 1)),
              numpy::Clip(speed, 0.0, 1.0), double(traffic_.IsOnRoad(self))};
    double reward = WeightedSum();
    if (options_.Flag("normalize_reward")) {
      const Interval usual = {Number("collision_reward"),
                              Number("high_speed_reward") + Number("left_lane_reward")};
      reward = Map(reward, usual, {0.0, 1.0});
    }
    return {.reward = reward * terms_[3], .terminated = self.is_crashed, .truncated = IsTimeOver()};
  }
};

[[maybe_unused]] const bool registered = Register(Driving<UTurn>(
    "UTurn",
    {Duration(10),
     Reward("collision_reward", -1, "of a step with a collision"),
     Reward("left_lane_reward", 0.1, "of driving on the outer lane"),
     Reward("high_speed_reward", 0.4, "of driving at full speed"),
     RewardSpeedRange({8, 24}),
     {"normalize_reward", true, "map rewards to 0 and 1?"},
     {"offroad_terminal", false, "does nothing: upstream does not use it"}},
    {.observation = ObservationDefaults{.types = {"TimeToCollision", "Kinematics", "OccupancyGrid"},
                                        .horizon = 16},
     .action = {.target_speeds = {8, 16, 24}},
     .screen_width = 789,
     .screen_height = 289},
    {.terms = {{"collision_reward", DType::kBool},
               {"left_lane_reward"},
               {"high_speed_reward"},
               {"on_road_reward", DType::kBool}}}));

}  // namespace
}  // namespace envpool::highway::u_turn
