// Pendulum: swing an actuated pendulum up and hold it there.
//
// Follows gymnasium/envs/classic_control/pendulum.py operation by operation, including the places
// where NumPy computes in float32 because the action is a float32.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "classic_control/state_env.h"
#include "envpool/family.h"
#include "envpool/numpy_math.h"

namespace envpool::pendulum {
namespace {

constexpr double kMaxSpeed = 8.0;   // rad/s
constexpr double kMaxTorque = 2.0;  // N m
constexpr double kTimeStep = 0.05;  // s
constexpr double kPi = std::numbers::pi;

class Pendulum final : public StateEnv<2> {
 public:
  explicit Pendulum(const Options& options)
      : gravity_(options.Number("g")), mass_(options.Number("m")), length_(options.Number("l")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kFloat32, {3}, {-1.0, -1.0, -kMaxSpeed},
                                {1.0, 1.0, kMaxSpeed})},
            .action = {Box("action", DType::kFloat32, {1}, {-kMaxTorque}, {kMaxTorque})}};
  }

  void Reset(Random& random, const Options& options) override {
    const double angle = options.Number("x_init");
    const double speed = options.Number("y_init");
    state_[0] = random.Uniform(-angle, angle);
    state_[1] = random.Uniform(-speed, speed);
    has_torque_ = false;
  }

  StepResult Step(const Action& action, Random&) override {
    auto& [theta, theta_dot] = state_;
    const auto limit = static_cast<float>(kMaxTorque);
    const float torque = std::min(std::max(action.Value<float>(), -limit), limit);
    const double angle = numpy::Remainder(theta + kPi, 2 * kPi) - kPi;
    const float torque_cost = 0.001F * numpy::Power(torque, 2.0F);
    const double cost = numpy::Power(angle, 2.0) + 0.1 * numpy::Power(theta_dot, 2.0) +
                        static_cast<double>(torque_cost);

    const auto inverse_inertia = static_cast<float>(3.0 / (mass_ * numpy::Power(length_, 2.0)));
    const double acceleration = 3 * gravity_ / (2 * length_) * std::sin(theta) +
                                static_cast<double>(inverse_inertia * torque);
    theta_dot = std::clamp(theta_dot + acceleration * kTimeStep, -kMaxSpeed, kMaxSpeed);
    theta = theta + theta_dot * kTimeStep;
    torque_ = torque;
    has_torque_ = true;
    return {.reward = -cost};
  }

  void Observe(const Row& row) const override {
    const auto [theta, theta_dot] = state_;
    const auto obs = row.Observation<float>();
    obs[0] = static_cast<float>(std::cos(theta));
    obs[1] = static_cast<float>(std::sin(theta));
    obs[2] = static_cast<float>(theta_dot);
  }

  // The torque is shown as an arrow; right after a reset there is none.
  Scene Describe() const override {
    Scene scene = StateEnv::Describe();
    scene["last_u"] = {};
    if (has_torque_) scene["last_u"] = {torque_};
    return scene;
  }

  void Serialize(Archive& archive) override { archive(state_, torque_, has_torque_); }

 private:
  const double gravity_;  // m/s^2
  const double mass_;     // kg
  const double length_;   // m
  float torque_ = 0.0F;   // of the last step
  bool has_torque_ = false;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Pendulum",
    .options = {{"version",
                 1,
                 "0 or 1, for code written for EnvPool: both follow Gymnasium's dynamics",
                 {0, 1}},
                {"g", 10.0, "gravity, m/s^2"},
                {"m", 1.0, "mass of the pendulum, kg", kPositive},
                {"l", 1.0, "length of the pendulum, m", kPositive}},
    .reset_options = {{"x_init", kPi, "largest initial angle, rad", kFloat32NotNegative},
                      {"y_init", 1.0, "largest initial speed, rad/s", kFloat32NotNegative}},
    .spec = Pendulum::MakeSpec,
    .create = Create<Pendulum>,
    .state_version = 2,
    .frame_size = [](const Options&) { return FrameSize{500, 500}; },
    .render_fps = [](const Options&) { return 30.0; },
});

}  // namespace
}  // namespace envpool::pendulum
