// MountainCar: drive an underpowered car up a hill, with three possible pushes.
//
// Follows gymnasium/envs/classic_control/mountain_car.py operation by operation (A. Moore,
// "Efficient Memory-Based Learning for Robot Control", 1990).
#include <algorithm>
#include <cmath>

#include "classic_control/reset_bounds.h"
#include "classic_control/state_env.h"
#include "envpool/family.h"

namespace envpool::mountain_car {
namespace {

constexpr double kMinPosition = -1.2;
constexpr double kMaxPosition = 0.6;
constexpr double kMaxSpeed = 0.07;
constexpr double kGoalPosition = 0.5;

class MountainCar final : public StateEnv<2> {
 public:
  explicit MountainCar(const Options& options)
      : goal_velocity_(options.Number("goal_velocity")),
        force_(options.Number("force")),
        gravity_(options.Number("gravity")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kFloat32, {2}, {kMinPosition, -kMaxSpeed},
                                {kMaxPosition, kMaxSpeed})},
            .action = {Discrete("action", 3)}};
  }

  void Reset(Random& random, const Options& options) override {
    state_ = {random.Uniform(options.Number("low"), options.Number("high")), 0.0};
  }

  StepResult Step(const Action& action, Random&) override {
    auto& [position, velocity] = state_;
    velocity += (action.Value<std::int32_t>() - 1) * force_ + std::cos(3 * position) * (-gravity_);
    velocity = std::clamp(velocity, -kMaxSpeed, kMaxSpeed);
    position = std::clamp(position + velocity, kMinPosition, kMaxPosition);
    if (position == kMinPosition && velocity < 0.0) velocity = 0.0;
    return {.reward = -1.0, .terminated = position >= kGoalPosition && velocity >= goal_velocity_};
  }

 private:
  const double goal_velocity_;
  const double force_;
  const double gravity_;
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
}  // namespace envpool::mountain_car
