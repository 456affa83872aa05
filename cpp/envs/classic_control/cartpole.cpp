// CartPole: keep a pole upright on a cart that is pushed left or right.
//
// Follows gymnasium/envs/classic_control/cartpole.py operation by operation (A. Barto, R. Sutton,
// C. Anderson, "Neuronlike adaptive elements that can solve difficult learning control problems",
// 1983), so that both compute the same bits.
#include <cmath>
#include <numbers>

#include "classic_control/reset_bounds.h"
#include "classic_control/state_env.h"
#include "envpool/family.h"

namespace envpool::cartpole {
namespace {

constexpr double kXThreshold = 2.4;                                  // meters
constexpr double kThetaThreshold = 12 * 2 * std::numbers::pi / 360;  // radians
constexpr double kResetBound = 0.05;

class CartPole final : public StateEnv<4> {
 public:
  explicit CartPole(const Options& options)
      : gravity_(options.Number("gravity")),
        pole_mass_(options.Number("masspole")),
        total_mass_(options.Number("masspole") + options.Number("masscart")),
        half_length_(options.Number("length")),
        pole_mass_length_(options.Number("masspole") * options.Number("length")),
        force_(options.Number("force_mag")),
        tau_(options.Number("tau")),
        euler_(options.Text("kinematics_integrator") == "euler"),
        sutton_barto_reward_(options.Flag("sutton_barto_reward")) {}

  static Spec MakeSpec(const Options&) {
    const Bounds high = {kXThreshold * 2, kInfinity, kThetaThreshold * 2, kInfinity};
    const Bounds low = {-kXThreshold * 2, -kInfinity, -kThetaThreshold * 2, -kInfinity};
    return {.observation = {Box("obs", DType::kFloat32, {4}, low, high)},
            .action = {Discrete("action", 2)}};
  }

  void Reset(Random& random, const Options& options) override {
    const double low = options.Number("low");
    const double high = options.Number("high");
    for (double& value : state_) value = random.Uniform(low, high);
  }

  StepResult Step(const Action& action, Random&) override {
    auto& [x, x_dot, theta, theta_dot] = state_;
    const double force = action.Value<std::int32_t>() == 1 ? force_ : -force_;
    const double cosine = std::cos(theta);
    const double sine = std::sin(theta);
    const double temp = (force + pole_mass_length_ * (theta_dot * theta_dot) * sine) / total_mass_;
    const double theta_acceleration =
        (gravity_ * sine - cosine * temp) /
        (half_length_ * (4.0 / 3.0 - pole_mass_ * (cosine * cosine) / total_mass_));
    const double x_acceleration =
        temp - pole_mass_length_ * theta_acceleration * cosine / total_mass_;
    if (euler_) {
      x += tau_ * x_dot;
      x_dot += tau_ * x_acceleration;
      theta += tau_ * theta_dot;
      theta_dot += tau_ * theta_acceleration;
    } else {
      x_dot += tau_ * x_acceleration;
      x += tau_ * x_dot;
      theta_dot += tau_ * theta_acceleration;
      theta += tau_ * theta_dot;
    }
    const bool fallen =
        x < -kXThreshold || x > kXThreshold || theta < -kThetaThreshold || theta > kThetaThreshold;
    const double reward = sutton_barto_reward_ ? (fallen ? -1.0 : 0.0) : 1.0;
    return {.reward = reward, .terminated = fallen};
  }

 private:
  const double gravity_;           // m/s^2
  const double pole_mass_;         // kg
  const double total_mass_;        // kg
  const double half_length_;       // of the pole, m
  const double pole_mass_length_;  // kg m
  const double force_;             // N
  const double tau_;               // s per step
  const bool euler_;
  const bool sutton_barto_reward_;
};

[[maybe_unused]] const bool registered = Register({
    .name = "CartPole",
    .options = {{"sutton_barto_reward", false, "reward 0 per step and -1 for falling, not 1"},
                {.name = "kinematics_integrator",
                 .default_value = "euler",
                 .description = "'euler' or 'semi-implicit euler'",
                 .choices = {"euler", "semi-implicit euler"}},
                {"gravity", 9.8, "m/s^2"},
                {"masscart", 1.0, "mass of the cart, kg", kPositive},
                {"masspole", 0.1, "mass of the pole, kg", kNotNegative},
                {"length", 0.5, "half the length of the pole, m", kPositive},
                {"force_mag", 10.0, "force of a push, N"},
                {"tau", 0.02, "time of a step, s"}},
    .reset_options = LowAndHigh(-kResetBound, kResetBound),
    .check_reset_options = CheckLowAndHigh,
    .spec = CartPole::MakeSpec,
    .create = Create<CartPole>,
    .frame_size = [](const Options&) { return FrameSize{600, 400}; },
    .render_fps = [](const Options&) { return 50.0; },
});

}  // namespace
}  // namespace envpool::cartpole
