// Highway: drive fast among others on a straight road. Follows highway_env/envs/highway_env.py.
#include <algorithm>
#include <cmath>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway {
namespace {

// Returns the lane to start on, or -1 for any. Throws std::invalid_argument if there is no such
// lane.
int FirstLane(const Options& options) {
  if (!options.Has("initial_lane_id")) return -1;
  const double id = options.Number("initial_lane_id");
  const std::int64_t lanes = options.Integer("lanes_count");
  Require(id == std::floor(id) && id >= -1 && id < double(lanes),
          "initial_lane_id is " + Shortest(id) + ", expected a lane from 0 to " +
              std::to_string(lanes - 1) + ", or None or -1 for any");
  return static_cast<int>(id);
}

class Highway final : public DrivingEnv {
 public:
  Highway(const Options& options, const Scenario& scenario) : DrivingEnv(options, scenario) {
    traffic_.network.AddHighway("0", "1", Whole("lanes_count"), 0.0, 10'000.0, 30.0);
    traffic_.network.Finish();
  }

 private:
  void Populate() override {
    const int lane = FirstLane(options_);
    const bool all_check = options_.Flag("other_vehicles_check_collisions");
    const double spacing = 1 / Number("vehicles_density");
    for (int player = 0; player < Players(); ++player) {
      const Vehicle place =
          traffic_.MakeRandom(Kind::kVehicle, 25.0, 0, lane, Number("ego_spacing"), *random_);
      Add(MakePlayer(place.position, place.heading, place.speed));
      const int others = Whole("vehicles_count") / Players() +
                         (player < Whole("vehicles_count") % Players() ? 1 : 0);
      for (int i = 0; i < others; ++i) {
        Vehicle& other = Add(traffic_.MakeRandom(Kind::kDriver, {}, 0, -1, spacing, *random_));
        traffic_.Randomize(other, *random_);
        other.checks_collisions = all_check;
      }
    }
  }

  StepResult Judge() override {
    const Vehicle& self = Self();
    const int lanes = traffic_.network.LanesBeside(self.lane);
    const LaneIndex lane = IsControlled(self.kind) ? self.target_lane : self.lane;
    const double speed = self.speed * self.direction.x;
    const bool is_on_road = traffic_.IsOnRoad(self);
    terms_ = {double(self.is_crashed), traffic_.network[lane].id / double(std::max(lanes - 1, 1)),
              numpy::Clip(Map(speed, Range("reward_speed_range"), {0.0, 1.0}), 0.0, 1.0),
              double(is_on_road)};
    double reward = WeightedSum();
    if (options_.Flag("normalize_reward")) {
      const Interval usual = {Number("collision_reward"),
                              Number("high_speed_reward") + Number("right_lane_reward")};
      reward = Map(reward, usual, {0.0, 1.0});
    }
    return {.reward = reward * double(is_on_road),
            .terminated = self.is_crashed || (options_.Flag("offroad_terminal") && !is_on_road),
            .truncated = IsTimeOver()};
  }
};

[[maybe_unused]] const bool registered = Register(Driving<Highway>(
    "Highway",
    {Count("lanes_count", 4, "how many lanes the road has", 1, 100),
     Count("vehicles_count", 50, "how many other vehicles there are"),
     Count("controlled_vehicles", 1, "how many do not drive themselves; actions are the first's", 1,
           100),
     {"initial_lane_id", {}, "the lane on which the own vehicle starts; None: any"},
     Duration(40),
     {"ego_spacing", 2.0, "the space before the own vehicle, compared with the usual", {0, 1000}},
     {"vehicles_density", 1.0, "of the others, compared with the usual", {0.001, 1000}},
     Reward("collision_reward", -1, "of a step with a collision"),
     Reward("right_lane_reward", 0.1, "of driving on the lane most to the right"),
     Reward("high_speed_reward", 0.4, "of driving at full speed"),
     Reward("lane_change_reward", 0, "of nothing: upstream does not use it"),
     RewardSpeedRange({20, 30}),
     {"normalize_reward", true, "map rewards to 0 and 1?"},
     {"offroad_terminal", false, "is leaving the road the end?"},
     {"other_vehicles_check_collisions", true, "do others collide with each other?"}},
    {},
    {.terms =
         {{"collision_reward"}, {"right_lane_reward"}, {"high_speed_reward"}, {"on_road_reward"}},
     .check = [](const Options& options) { FirstLane(options); }}));

}  // namespace
}  // namespace envpool::highway
