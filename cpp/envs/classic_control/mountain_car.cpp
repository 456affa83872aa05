// MountainCar: drive an underpowered car up a hill, with three possible pushes.
//
// Follows gymnasium/envs/classic_control/mountain_car.py operation by operation (A. Moore,
// "Efficient Memory-Based Learning for Robot Control", 1990).
#include <algorithm>
#include <cmath>

#include "classic_control/assumed_state.h"
#include "classic_control/reset_bounds.h"
#include "envpool/family.h"

namespace envpool {
namespace {

constexpr double kMinPosition = -1.2;
constexpr double kMaxPosition = 0.6;
constexpr double kMaxSpeed = 0.07;
constexpr double kGoalPosition = 0.5;

class MountainCar final : public Env {
 public:
  explicit MountainCar(const Options& options)
      : goal_velocity_(options.Number("goal_velocity")),
        force_(options.Number("force")),
        gravity_(options.Number("gravity")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kFloat32, {2}, {kMinPosition, -kMaxSpeed},
                                {kMaxPosition, kMaxSpeed})},
            .action = {Discrete("action", 3)},
            .info = {}};
  }

  void Reset(Random& random, const Options& options) override {
    position_ = random.Uniform(options.Number("low"), options.Number("high"));
    velocity_ = 0.0;
  }

  StepResult Step(const Action& action, Random&) override {
    velocity_ +=
        (action.Value<std::int32_t>() - 1) * force_ + std::cos(3 * position_) * (-gravity_);
    velocity_ = std::clamp(velocity_, -kMaxSpeed, kMaxSpeed);
    position_ = std::clamp(position_ + velocity_, kMinPosition, kMaxPosition);
    if (position_ == kMinPosition && velocity_ < 0.0) velocity_ = 0.0;
    return {.reward = -1.0,
            .terminated = position_ >= kGoalPosition && velocity_ >= goal_velocity_};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    obs[0] = static_cast<float>(position_);
    obs[1] = static_cast<float>(velocity_);
  }

  Scene Describe() const override { return {{"state", {position_, velocity_}}}; }

  void Assume(const Scene& scene) override {
    const auto state = AssumedState(scene, 2);
    position_ = state[0];
    velocity_ = state[1];
  }

  void Serialize(Archive& archive) override { archive(position_, velocity_); }

 private:
  const double goal_velocity_;
  const double force_;
  const double gravity_;
  double position_ = 0.0;
  double velocity_ = 0.0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "MountainCar",
    .options = {{"goal_velocity", 0.0, "least velocity at the goal", kAnyNumber},
                {"force", 0.001, "velocity that a push adds"},
                {"gravity", 0.0025, "pull of the slope"}},
    .reset_options = LowAndHigh(-0.6, -0.4),
    .check_reset_options = CheckLowAndHigh,
    .spec = MountainCar::MakeSpec,
    .create = Create<MountainCar>,
    .frame_size = [](const Options&) { return FrameSize{600, 400}; },
    .render_fps = [](const Options&) { return 30.0; },
});

}  // namespace
}  // namespace envpool
