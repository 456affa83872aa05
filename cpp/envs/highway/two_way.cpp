// TwoWay: overtake on a road with traffic in the other direction. Follows
// highway_env/envs/two_way_env.py.
#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::two_way {
namespace {

class TwoWay final : public DrivingEnv {
 public:
  TwoWay(const Options& options, const Scenario& scenario) : DrivingEnv(options, scenario) {
    constexpr double kLength = 800;
    Network& network = traffic_.network;
    network.Add("a", "b",
                Lane::Straight({0, 0}, {kLength, 0}).With({Line::kContinuousLine, Line::kStriped}));
    network.Add("a", "b",
                Lane::Straight({0, kLaneWidth}, {kLength, kLaneWidth})
                    .With({Line::kNone, Line::kContinuousLine}));
    network.Add("b", "a", Lane::Straight({kLength, 0}, {0, 0}).With({Line::kNone, Line::kNone}));
    network.Finish();
  }

 private:
  void Populate() override {
    const LaneIndex right = traffic_.network.Find("a", "b", 1);
    const LaneIndex oncoming = traffic_.network.Find("b", "a", 0);
    Add(MakePlayer(traffic_.network[right].Position(30, 0), 0, 30));
    for (int i = 0; i < 3; ++i) {
      const double x = 70.0 + 40.0 * i + 10.0 * random_->Normal();
      AddDriver(right, x, 24.0 + 2.0 * random_->Normal()).changes_lanes = false;
    }
    for (int i = 0; i < 2; ++i) {
      const double x = 200.0 + 100.0 * i + 10.0 * random_->Normal();
      Vehicle& other = AddDriver(oncoming, x, 20.0 + 5.0 * random_->Normal());
      other.changes_lanes = false;
      other.target_lane = oncoming;
    }
  }

  StepResult Judge() override {
    const Vehicle& self = Self();
    const double others = traffic_.network.LanesBeside(self.lane) - 1;
    terms_ = {self.speed_index / double(traffic_.target_speeds.size() - 1),
              (others - traffic_.network[self.target_lane].id) / others};
    return {.reward = WeightedSum(), .terminated = self.is_crashed};
  }
};

[[maybe_unused]] const bool registered = Register(Driving<TwoWay>(
    "TwoWay",
    {Reward("collision_reward", 0, "of nothing: upstream does not use it"),
     Reward("left_lane_constraint", 1, "of nothing: upstream does not use it"),
     Reward("left_lane_reward", 0.2, "of driving on the left lane"),
     Reward("high_speed_reward", 0.8, "of driving at full speed")},
    {.observation = ObservationDefaults{.types = {"TimeToCollision", "Kinematics", "OccupancyGrid"},
                                        .horizon = 5},
     .action = {.types = {"DiscreteMetaAction"}}},
    {.terms = {{"high_speed_reward"}, {"left_lane_reward"}}}));

}  // namespace
}  // namespace envpool::highway::two_way
