// CartPole: keep a pole upright on a cart that is pushed left or right.
//
// Follows gymnasium/envs/classic_control/cartpole.py operation by operation (A. Barto, R. Sutton,
// C. Anderson, "Neuronlike adaptive elements that can solve difficult learning control problems",
// 1983), so that both compute the same bits.
#include <cmath>
#include <numbers>

#include "classic_control/assumed_state.h"
#include "classic_control/reset_bounds.h"
#include "envpool/family.h"

namespace envpool {
namespace {

constexpr double kXThreshold = 2.4;                                  // meters
constexpr double kThetaThreshold = 12 * 2 * std::numbers::pi / 360;  // radians
constexpr double kResetBound = 0.05;

class CartPole final : public Env {
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
            .action = {Discrete("action", 2)},
            .info = {}};
  }

  void Reset(Random& random, const Options& options) override {
    const double low = options.Number("low");
    const double high = options.Number("high");
    x_ = random.Uniform(low, high);
    x_dot_ = random.Uniform(low, high);
    theta_ = random.Uniform(low, high);
    theta_dot_ = random.Uniform(low, high);
  }

  StepResult Step(const Action& action, Random&) override {
    const double force = action.Value<std::int32_t>() == 1 ? force_ : -force_;
    const double cosine = std::cos(theta_);
    const double sine = std::sin(theta_);
    const double temp =
        (force + pole_mass_length_ * (theta_dot_ * theta_dot_) * sine) / total_mass_;
    const double theta_acceleration =
        (gravity_ * sine - cosine * temp) /
        (half_length_ * (4.0 / 3.0 - pole_mass_ * (cosine * cosine) / total_mass_));
    const double x_acceleration =
        temp - pole_mass_length_ * theta_acceleration * cosine / total_mass_;
    if (euler_) {
      x_ += tau_ * x_dot_;
      x_dot_ += tau_ * x_acceleration;
      theta_ += tau_ * theta_dot_;
      theta_dot_ += tau_ * theta_acceleration;
    } else {
      x_dot_ += tau_ * x_acceleration;
      x_ += tau_ * x_dot_;
      theta_dot_ += tau_ * theta_acceleration;
      theta_ += tau_ * theta_dot_;
    }
    const bool fallen = x_ < -kXThreshold || x_ > kXThreshold || theta_ < -kThetaThreshold ||
                        theta_ > kThetaThreshold;
    const double reward = sutton_barto_reward_ ? (fallen ? -1.0 : 0.0) : 1.0;
    return {.reward = reward, .terminated = fallen};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    obs[0] = static_cast<float>(x_);
    obs[1] = static_cast<float>(x_dot_);
    obs[2] = static_cast<float>(theta_);
    obs[3] = static_cast<float>(theta_dot_);
  }

  Scene Describe() const override { return {{"state", {x_, x_dot_, theta_, theta_dot_}}}; }

  void Assume(const Scene& scene) override {
    const auto state = AssumedState(scene, 4);
    x_ = state[0];
    x_dot_ = state[1];
    theta_ = state[2];
    theta_dot_ = state[3];
  }

  void Serialize(Archive& archive) override { archive(x_, x_dot_, theta_, theta_dot_); }

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

  double x_ = 0.0;
  double x_dot_ = 0.0;
  double theta_ = 0.0;
  double theta_dot_ = 0.0;
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
}  // namespace envpool
