// MountainCarContinuous: drive an underpowered car up a hill, with a push of any strength.
//
// Follows gymnasium/envs/classic_control/continuous_mountain_car.py operation by operation. There
// the state is a float64 after a reset and a float32 after a step, and so is the arithmetic.
#include <algorithm>
#include <cmath>

#include "classic_control/reset_bounds.h"
#include "classic_control/state_env.h"
#include "envpool/family.h"
#include "envpool/numpy_math.h"

namespace envpool::mountain_car_continuous {
namespace {

constexpr double kMinPosition = -1.2;
constexpr double kMaxPosition = 0.6;
constexpr double kMaxSpeed = 0.07;
constexpr double kGoalPosition = 0.45;
constexpr double kPower = 0.0015;

// Returns the change of the velocity. NumPy keeps the type of a float32 that meets a Python float,
// so the push is a float32 unless the clipping has put a Python float in its place.
template <class Real>
Real VelocityChange(float push, Real position) {
  const double slope = 0.0025 * std::cos(static_cast<double>(3 * position));
  if (push > 1.0F) return static_cast<Real>(1.0 * kPower - slope);
  if (push < -1.0F) return static_cast<Real>(-1.0 * kPower - slope);
  return static_cast<Real>(push * static_cast<float>(kPower) - static_cast<float>(slope));
}

struct State {
  float position;
  float velocity;
  bool at_goal;
};

template <class Real>
State Advance(Real position, Real velocity, float push, double goal_velocity) {
  const Real max_speed = static_cast<Real>(kMaxSpeed);
  const Real min_position = static_cast<Real>(kMinPosition);
  velocity = std::clamp(velocity + VelocityChange(push, position), -max_speed, max_speed);
  position = std::clamp(position + velocity, min_position, static_cast<Real>(kMaxPosition));
  if (position == min_position && velocity < 0) velocity = 0;
  return {
      static_cast<float>(position), static_cast<float>(velocity),
      position >= static_cast<Real>(kGoalPosition) && velocity >= static_cast<Real>(goal_velocity)};
}

class MountainCarContinuous final : public Env {
 public:
  explicit MountainCarContinuous(const Options& options)
      : goal_velocity_(options.Number("goal_velocity")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kFloat32, {2}, {kMinPosition, -kMaxSpeed},
                                {kMaxPosition, kMaxSpeed})},
            .action = {Box("action", DType::kFloat32, {1}, {-1.0}, {1.0})}};
  }

  void Reset(Random& random, const Options& options) override {
    exact_position_ = random.Uniform(options.Number("low"), options.Number("high"));
    exact_velocity_ = 0.0;
    state_ = {static_cast<float>(exact_position_), 0.0F, false};
    is_exact_ = true;
  }

  StepResult Step(const Action& action, Random&) override {
    const float push = action.Value<float>();
    state_ = is_exact_ ? Advance(exact_position_, exact_velocity_, push, goal_velocity_)
                       : Advance(state_.position, state_.velocity, push, goal_velocity_);
    is_exact_ = false;
    const double effort = numpy::Power(static_cast<double>(push), 2.0) * 0.1;
    return {.reward = (state_.at_goal ? 100.0 : 0.0) - effort, .terminated = state_.at_goal};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    obs[0] = state_.position;
    obs[1] = state_.velocity;
  }

  Scene Describe() const override {
    if (is_exact_) return {{"state", {exact_position_, exact_velocity_}}, {"is_float32", {0.0}}};
    return {{"state", {state_.position, state_.velocity}}, {"is_float32", {1.0}}};
  }

  void Assume(const Scene& scene) override {
    const auto state = AssumedState(scene, 2);
    exact_position_ = state[0];
    exact_velocity_ = state[1];
    state_ = {static_cast<float>(state[0]), static_cast<float>(state[1]), false};
    is_exact_ = !IsAssumedFloat32(scene);
  }

  void Serialize(Archive& archive) override {
    archive(exact_position_, exact_velocity_, state_.position, state_.velocity, state_.at_goal,
            is_exact_);
  }

 private:
  const double goal_velocity_;
  State state_{};
  // The state is this float64, as after a reset; state_ is what that looks like.
  bool is_exact_ = true;
  double exact_position_ = 0.0;
  double exact_velocity_ = 0.0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "MountainCarContinuous",
    .options = {{"goal_velocity", 0.0, "least velocity at the goal", kAnyNumber}},
    .reset_options = LowAndHigh(-0.6, -0.4),
    .check_reset_options = CheckLowAndHigh,
    .spec = MountainCarContinuous::MakeSpec,
    .create = Create<MountainCarContinuous>,
    .state_version = 2,
    .frame_size = [](const Options&) { return FrameSize{600, 400}; },
    .render_fps = [](const Options&) { return 30.0; },
});

}  // namespace
}  // namespace envpool::mountain_car_continuous
