// LaneKeeping: follow a lane with a noisy view of the vehicle's state. Follows
// highway_env/envs/lane_keeping_env.py.
#include <array>

#include "envpool/family.h"
#include "highway/driving_env.h"

namespace envpool::highway::lane_keeping {
namespace {

constexpr std::size_t kNumbers = 4;
constexpr double kWidth = 10;

class LaneKeeping final : public DrivingEnv {
 public:
  LaneKeeping(const Options& options, const Scenario& scenario)
      : DrivingEnv(options, scenario),
        state_noise_(Number("state_noise")),
        derivative_noise_(Number("derivative_noise")) {
    const auto add = [this](const char* from, const char* to, Lane lane, Line left) {
      lane.width = kWidth;
      traffic_.network.Add(from, to, lane.With({left, Line::kStriped}));
    };
    add("a", "b", Lane::Sine({0, 0}, {500, 0}, 5, 2 * kPi / 100, 0), Line::kStriped);
    add("c", "d", Lane::Straight({50, 50}, {115, 15}), Line::kStriped);
    const Point end = {115 + 20, 15 + 20.0 * (15 - 50) / (115 - 50)};
    add("d", "a", Lane::Straight({115, 15}, end), Line::kNone);
    traffic_.network.Finish();
  }

  StepResult Step(const Action& action, Random& random) override {
    random_ = &random;
    if (!is_on_second_ && !LaneNow().Contains(LaneNow().Local(Self().position))) {
      is_on_second_ = true;
    }
    controls_.Act(action, 0, traffic_, Self());
    ObserveNumbers();
    Simulate(nullptr);
    return Judge();
  }

 private:
  const Lane& LaneNow() const {
    const Network& network = traffic_.network;
    return network[is_on_second_ ? network.Find("a", "b", 0) : network.Find("c", "d", 0)];
  }

  void Populate() override {
    is_on_second_ = false;
    const Lane& lane = LaneNow();
    Add(MakePlayer(lane.Position(50, -4), lane.HeadingAt(0), 8.3));
    // Upstream makes its spaces twice in a reset, and looks at an observation each time.
    ObserveNumbers();
    ObserveNumbers();
  }

  void ObserveNumbers() override {
    const Vehicle& self = Self();
    const Lane& lane = LaneNow();
    const BicycleState state = StateOf(self);
    const auto noisy = [this](const BicycleState& exact, double noise) {
      std::array<double, kNumbers> numbers = {exact[1], exact[2], exact[4], exact[5]};
      for (double& number : numbers) number += random_->Uniform(-noise, noise);
      return numbers;
    };
    const auto seen = noisy(state, state_noise_);
    const auto slope = noisy(DerivativeOf(self, state), derivative_noise_);
    const OnLane at = lane.Local(self.position);
    numbers_.assign(slope.begin(), slope.end());
    numbers_.insert(numbers_.end(),
                    {state[1] - at.lateral, lane.HeadingAt(at.longitudinal), 0.0, 0.0});
    numbers_.insert(numbers_.end(), seen.begin(), seen.end());
  }

  StepResult Judge() override {
    const Lane& lane = LaneNow();
    return {.reward = 1 - Square(lane.Local(Self().position).lateral / lane.width)};
  }

  void SerializeMore(Archive& archive) override { archive(is_on_second_); }

  const double state_noise_;
  const double derivative_noise_;
  bool is_on_second_ = false;
};

Field Column(const char* name) { return Box(name, DType::kFloat64, {int{kNumbers}, 1}); }

[[maybe_unused]] const bool registered = Register(Driving<LaneKeeping>(
    "LaneKeeping",
    {{"state_noise", 0.05, "the most by which the state is seen wrong", kFloat32NotNegative},
     {"derivative_noise", 0.05, "the same of its derivative", kFloat32NotNegative}},
    {.simulation_frequency = 10,
     .policy_frequency = 10,
     .observation = {},
     .action = {.types = {"ContinuousAction"},
                .longitudinal = false,
                .steering_range = {-kPi / 3, kPi / 3},
                .dynamical = true},
     .has_drivers = false,
     .screen_height = 250,
     .centering_position = {0.4, 0.5},
     .scaling = 7},
    {.observation = {Column("derivative"), Column("reference_state"), Column("state")},
     .has_infos = false,
     .check = [](const Options& options) {
       Require(options.Flag("action_dynamical"),
               "action_dynamical is False, expected True: the state has the tires' slip");
     }}));

}  // namespace
}  // namespace envpool::highway::lane_keeping
