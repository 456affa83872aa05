// Parking: park on a given spot. Follows highway_env/envs/parking_env.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "envpool/family.h"
#include "highway/driving_env.h"
#include "highway/observations/features.h"
#include "numerics/products.h"

namespace envpool::highway::parking {
namespace {

constexpr std::size_t kNumbers = 6;
using Numbers = std::array<double, kNumbers>;
constexpr Numbers kScales = {100, 100, 5, 5, 1, 1};

class Parking final : public DrivingEnv {
 public:
  Parking(const Options& options, const Scenario& scenario)
      : DrivingEnv(options, scenario),
        goal_weights_(NumbersOf(options, "reward_weights", kNumbers)) {
    constexpr int kSpots = 14;
    constexpr double kOffset = 10;
    constexpr double kLength = 8;
    constexpr Lines kLines = {Line::kContinuous, Line::kContinuous};
    for (int spot = 0; spot < kSpots; ++spot) {
      const double x = (spot + 1 - kSpots / 2) * kLaneWidth - kLaneWidth / 2;
      const auto add = [&](const char* from, const char* to, double start, double end) {
        traffic_.network.Add(from, to, Lane::Straight({x, start}, {x, end}).With(kLines));
      };
      add("a", "b", kOffset, kOffset + kLength);
      add("b", "c", -kOffset, -kOffset - kLength);
    }
    traffic_.network.Finish();
  }

  void Serialize(Archive& archive) override {
    DrivingEnv::Serialize(archive);
    archive.Require(traffic_.vehicles.empty() || !traffic_.objects.empty(), "no goal");
  }

 private:
  void Populate() override {
    const Network& network = traffic_.network;
    std::vector<LaneIndex> free(network.Lanes().size());
    std::iota(free.begin(), free.end(), 0);
    for (int player = 0; player < Players(); ++player) {
      const double x = (player - Players() / 2) * 10.0;
      const double heading = 2.0 * kPi * random_->Uniform();
      const LaneIndex spot = Add(MakePlayer({x, 0}, heading, 0)).lane;
      if (std::erase(free, spot) == 0) {
        throw std::runtime_error(
            "two of the controlled vehicles start in front of the same spot, as upstream does not "
            "allow: reset again, or with another seed");
      }
    }
    const auto draw = [&] {
      const auto place = free.begin() + random_->Choice(static_cast<std::int64_t>(free.size()));
      const LaneIndex spot = *place;
      free.erase(place);
      return spot;
    };
    for (int player = 0; player < Players(); ++player) {
      const Lane& lane = network[draw()];
      Vehicle goal =
          traffic_.Make(Kind::kLandmark, lane.Position(lane.length / 2, 0), lane.heading, 0);
      goal.SetSize(2, 2);
      traffic_.objects.push_back(goal);
    }
    for (int i = 0; i < Whole("vehicles_count") && !free.empty(); ++i) {
      Add(traffic_.MakeOnLane(Kind::kVehicle, draw(), 4, 0));
    }
    if (!options_.Flag("add_walls")) return;
    constexpr double kWidth = 70;
    constexpr double kHeight = 42;
    for (const double y : {-kHeight / 2, kHeight / 2}) traffic_.AddObstacle({0, y}, 0, kWidth, 1);
    for (const double x : {-kWidth / 2, kWidth / 2}) {
      traffic_.AddObstacle({x, 0}, kPi / 2, kHeight, 1);
    }
  }

  Numbers NumbersAt(const Vehicle& vehicle) const {
    using enum Feature;
    constexpr std::array<Feature, kNumbers> kNames = {kX, kY, kVx, kVy, kCosH, kSinH};
    Numbers numbers;
    for (std::size_t i = 0; i < kNumbers; ++i) {
      numbers[i] = FeatureOf(traffic_, vehicle, kNames[i], nullptr, true) / kScales[i];
    }
    return numbers;
  }

  void ObserveNumbers() override {
    const Numbers self = NumbersAt(Self());
    const Numbers goal = NumbersAt(traffic_.objects[0]);
    numbers_.clear();
    for (const Numbers& each : {self, goal, self}) {
      numbers_.insert(numbers_.end(), each.begin(), each.end());
    }
  }

  StepResult Judge() override {
    const Numbers self = NumbersAt(Self());
    const Numbers goal = NumbersAt(traffic_.objects[0]);
    Numbers distances;
    for (std::size_t i = 0; i < kNumbers; ++i) distances[i] = std::abs(self[i] - goal[i]);
    const double reward = -numerics::Power(numerics::Dot(distances, goal_weights_), 0.5);
    is_success_ = reward > -Number("success_goal_reward");
    const auto is_crashed = [](const Vehicle& vehicle) {
      return vehicle.is_player && vehicle.is_crashed;
    };
    const auto crashes = static_cast<double>(std::ranges::count_if(traffic_.vehicles, is_crashed));
    return {.reward = reward + Number("collision_reward") * crashes,
            .terminated = crashes > 0 || is_success_,
            .truncated = IsTimeOver()};
  }

  const std::vector<double> goal_weights_;
};

[[maybe_unused]] const bool registered = Register(Driving<Parking>(
    "Parking",
    {Duration(100),
     {"reward_weights", std::vector<double>{1, 0.3, 0, 0, 0.02, 0.02},
      "of the distance to the goal in x, y, vx, vy, cos_h and sin_h", kFloat32NotNegative},
     Reward("success_goal_reward", 0.12, "the episode ends where the reward is above minus this"),
     Reward("collision_reward", -5, "of a step with a collision"),
     Count("controlled_vehicles", 1, "how many do not stand; actions are the first's", 1, 5),
     Count("vehicles_count", 0, "how many others are parked, if there is room"),
     {"add_walls", true, "are there walls around?"}},
    {.policy_frequency = 5,
     .observation = {},
     .action = {.types = {"ContinuousAction", "DiscreteAction"}},
     .has_drivers = false,
     .screen_height = 300,
     .centering_position = {0.5, 0.5},
     .scaling = 7},
    {.observation = {Box("achieved_goal", DType::kFloat64, {kNumbers}),
                     Box("desired_goal", DType::kFloat64, {kNumbers}),
                     Box("observation", DType::kFloat64, {kNumbers})},
     .has_success = true}));

}  // namespace
}  // namespace envpool::highway::parking
