// Acrobot: swing the free end of a two-link pendulum above a height, with a torque on the joint
// between the links.
//
// Follows gymnasium/envs/classic_control/acrobot.py operation by operation (R. Sutton,
// "Generalization in Reinforcement Learning: Successful Examples Using Sparse Coarse Coding", NIPS
// 1996). There the state is a float32 after a reset and a float64 after a step.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "classic_control/reset_bounds.h"
#include "classic_control/state_env.h"
#include "envpool/family.h"
#include "envpool/numpy_math.h"

namespace envpool::acrobot {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTimeStep = 0.2;  // s
constexpr double kLength = 1.0;    // of link 1, m
constexpr double kMass = 1.0;      // of each link, kg
constexpr double kCenter = 0.5;    // distance from a link's joint to its center of mass, m
constexpr double kInertia = 1.0;   // of each link, kg m^2
constexpr double kGravity = 9.8;   // m/s^2
constexpr double kMaxSpeed1 = 4 * kPi;
constexpr double kMaxSpeed2 = 9 * kPi;

using State = std::array<double, 4>;  // angle 1, angle 2, speed 1, speed 2

State operator+(State a, const State& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
State operator*(double factor, State a) {
  for (double& value : a) value *= factor;
  return a;
}

// Gymnasium's loops never end for an angle so large that taking a turn from it changes nothing.
// What is beyond all turns that they could count in a millisecond is brought near at once.
double Wrap(double x, double low, double high) {
  constexpr double kFar = 1e6;
  if (std::abs(x) > kFar) x = std::remainder(x, high - low);
  while (x > high) x -= high - low;
  while (x < low) x += high - low;
  return x;
}

class Acrobot final : public StateEnv<4> {
 public:
  explicit Acrobot(const Options& options)
      : nips_(options.Text("book_or_nips") == "nips"),
        torque_noise_(options.Number("torque_noise_max")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kFloat32, {6},
                                {-1.0, -1.0, -1.0, -1.0, -kMaxSpeed1, -kMaxSpeed2},
                                {1.0, 1.0, 1.0, 1.0, kMaxSpeed1, kMaxSpeed2})},
            .action = {Discrete("action", 3)},
            .info = {Box("state", DType::kFloat32, {2})}};
  }

  void Reset(Random& random, const Options& options) override {
    const double low = options.Number("low");
    const double high = options.Number("high");
    for (double& value : state_) value = static_cast<float>(random.Uniform(low, high));
    is_float32_ = true;
  }

  StepResult Step(const Action& action, Random& random) override {
    double torque = action.Value<std::int32_t>() - 1.0;
    if (torque_noise_ > 0.0) torque += random.Uniform(-torque_noise_, torque_noise_);

    // one step of the classical Runge-Kutta method
    const State k1 = Derivative(state_, torque);
    const State k2 = Derivative(state_ + kTimeStep / 2.0 * k1, torque);
    const State k3 = Derivative(state_ + kTimeStep / 2.0 * k2, torque);
    const State k4 = Derivative(state_ + kTimeStep * k3, torque);
    state_ = state_ + kTimeStep / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);

    state_[0] = Wrap(state_[0], -kPi, kPi);
    state_[1] = Wrap(state_[1], -kPi, kPi);
    state_[2] = std::clamp(state_[2], -kMaxSpeed1, kMaxSpeed1);
    state_[3] = std::clamp(state_[3], -kMaxSpeed2, kMaxSpeed2);
    is_float32_ = false;
    const bool above = -std::cos(state_[0]) - std::cos(state_[1] + state_[0]) > 1.0;
    return {.reward = above ? 0.0 : -1.0, .terminated = above};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    for (std::size_t link = 0; link < 2; ++link) {
      if (is_float32_) {
        const auto angle = static_cast<float>(state_[link]);
        obs[2 * link] = numpy::Cos(angle);
        obs[2 * link + 1] = numpy::Sin(angle);
      } else {
        obs[2 * link] = static_cast<float>(std::cos(state_[link]));
        obs[2 * link + 1] = static_cast<float>(std::sin(state_[link]));
      }
      obs[4 + link] = static_cast<float>(state_[2 + link]);
    }
    const auto angles = row.Info<float>();
    angles[0] = static_cast<float>(state_[0]);
    angles[1] = static_cast<float>(state_[1]);
  }

  Scene Describe() const override {
    Scene scene = StateEnv::Describe();
    scene["is_float32"] = {is_float32_ ? 1.0 : 0.0};
    return scene;
  }

  void Assume(const Scene& scene) override {
    StateEnv::Assume(scene);
    is_float32_ = IsAssumedFloat32(scene);
  }

  void Serialize(Archive& archive) override { archive(state_, is_float32_); }

 private:
  State Derivative(const State& state, double torque) const {
    const auto [theta1, theta2, speed1, speed2] = state;
    constexpr double kCenterSquare = kCenter * kCenter;
    constexpr double kCoupling = kMass * kLength * kCenter;
    const double cosine = std::cos(theta2);
    const double sine = std::sin(theta2);
    const double d1 = kMass * kCenterSquare +
                      kMass * (kLength * kLength + kCenterSquare + 2 * kLength * kCenter * cosine) +
                      kInertia + kInertia;
    const double d2 = kMass * (kCenterSquare + kLength * kCenter * cosine) + kInertia;
    const double phi2 = kMass * kCenter * kGravity * std::cos(theta1 + theta2 - kPi / 2.0);
    const double phi1 =
        -kCoupling * numpy::Power(speed2, 2.0) * sine - 2 * kCoupling * speed2 * speed1 * sine +
        (kMass * kCenter + kMass * kLength) * kGravity * std::cos(theta1 - kPi / 2) + phi2;
    const double inertia = kMass * kCenterSquare + kInertia - numpy::Power(d2, 2.0) / d1;
    const double drive = torque + d2 / d1 * phi1;
    const double acceleration2 =
        nips_ ? (drive - phi2) / inertia
              : (drive - kCoupling * numpy::Power(speed1, 2.0) * sine - phi2) / inertia;
    const double acceleration1 = -(d2 * acceleration2 + phi1) / d1;
    return {speed1, speed2, acceleration1, acceleration2};
  }

  const bool nips_;
  const double torque_noise_;  // N m
  bool is_float32_ = true;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Acrobot",
    .options = {{.name = "book_or_nips",
                 .default_value = "book",
                 .description = "dynamics of Sutton and Barto's 'book' or 'nips' paper",
                 .choices = {"book", "nips"}},
                // With more noise than this, an angle is wrapped around for seconds.
                {"torque_noise_max", 0.0, "largest noise added to the torque, N m", {.most = 1e6}}},
    .reset_options = LowAndHigh(-0.1, 0.1),
    .check_reset_options = CheckLowAndHigh,
    .spec = Acrobot::MakeSpec,
    .create = Create<Acrobot>,
    .frame_size = [](const Options&) { return FrameSize{500, 500}; },
    .render_fps = [](const Options&) { return 15.0; },
});

}  // namespace
}  // namespace envpool::acrobot
