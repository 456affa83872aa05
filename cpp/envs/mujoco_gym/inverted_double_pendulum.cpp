// InvertedDoublePendulum: balance a pole on a pole on a cart.
//
// Follows gymnasium/envs/mujoco/inverted_double_pendulum_v4.py and inverted_double_pendulum_v5.py.
#include <algorithm>
#include <cmath>

#include "envpool/numpy_math.h"
#include "mujoco_gym/mujoco_env.h"

namespace envpool::mujoco {
namespace {

class InvertedDoublePendulum final : public MujocoEnv {
 public:
  explicit InvertedDoublePendulum(const Options& options) : MujocoEnv(options) {
    Require(1, 3);
    if (World().Model().nsite < 1) {
      throw std::invalid_argument("xml_file " + options.Text("xml_file") +
                                  ": the model has no site, expected one at the upper pole's tip");
    }
    constraint_forces_ = ReadConstraintForces(options);
  }

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 4) return {};
    return {Info("reward_survive"), Info("distance_penalty"), Info("velocity_penalty")};
  }

 protected:
  void ResetModel(Random& random) override { ResetWithNormalNoise(random); }

  StepResult Advance(const Action& action) override {
    Simulate(action);
    const double x = State().site_xpos[0];  // of the upper pole's tip
    const double y = State().site_xpos[2];
    const std::span<const double> velocity = World().Qvel();
    const bool terminated = y <= healthy_z_max_;
    const double distance_penalty = 0.01 * numpy::Power(x, 2.0) + numpy::Power(y - 2.0, 2.0);
    const double velocity_penalty =
        1e-3 * numpy::Power(velocity[1], 2.0) + 5e-3 * numpy::Power(velocity[2], 2.0);
    const bool is_rewarded = !terminated || rewards_last_step_;
    const double alive_bonus = is_rewarded ? healthy_reward_ : 0.0;
    if (version_ == 5) info_ = {alive_bonus, -distance_penalty, -velocity_penalty};
    return {.reward = alive_bonus - distance_penalty - velocity_penalty, .terminated = terminated};
  }

  void WriteObservation(ObservationWriter& out) const override {
    const std::span<const double> angles = World().Qpos().subspan(1);
    out.Add(World().Qpos()[0]);
    for (const double angle : angles) out.Add(std::sin(angle));
    for (const double angle : angles) out.Add(std::cos(angle));
    out.AddClipped(World().Qvel(), observation_);
    out.AddClipped({State().qfrc_constraint, constraint_forces_}, observation_);
  }

 private:
  std::size_t ReadConstraintForces(const Options& options) const {
    const std::int64_t count = options.Integer("constraint_obs_dim");
    const auto velocities = static_cast<std::int64_t>(World().Qvel().size());
    if (count < 0 || count > velocities) {
      throw std::invalid_argument(
          "constraint_obs_dim is " + std::to_string(count) +
          ", expected 0 <= constraint_obs_dim <= " + std::to_string(velocities));
    }
    return static_cast<std::size_t>(count);
  }

  const double healthy_reward_ = options_.Number("healthy_reward");
  const double healthy_z_max_ = options_.Number("healthy_z_max");
  const Range observation_{options_.Number("observation_min"), options_.Number("observation_max")};
  const bool rewards_last_step_ = !options_.Flag("reward_if_not_terminated");
  std::size_t constraint_forces_;  // how many are observed
};

[[maybe_unused]] const bool registered = RegisterMujoco<InvertedDoublePendulum>({
    .name = "GymInvertedDoublePendulum",
    .xml_file = "inverted_double_pendulum.xml",
    .frame_skip = 5,
    .camera = {},
    .options = {ResetNoise(0.1),
                {"healthy_reward", 10.0, "reward of each step in which the poles stand"},
                {"healthy_z_max", 1.0,
                 "height of the tip at or below which the poles have fallen, m", kAnyNumber},
                {"observation_min", -10.0, "observed velocities and forces are clipped to this",
                 kAnyNumber},
                {"observation_max", 10.0, "observed velocities and forces are clipped to this",
                 kAnyNumber},
                {"reward_if_not_terminated", true, "no healthy reward in the last step"},
                {"constraint_obs_dim", std::int64_t{1}, "how many constraint forces are observed"}},
});

}  // namespace
}  // namespace envpool::mujoco
