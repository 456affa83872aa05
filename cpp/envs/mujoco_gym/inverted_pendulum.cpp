// InvertedPendulum: balance a pole on a cart.
//
// Follows gymnasium/envs/mujoco/inverted_pendulum_v4.py and inverted_pendulum_v5.py.
#include <cmath>

#include "mujoco_gym/mujoco_env.h"

namespace envpool::mujoco {
namespace {

class InvertedPendulum final : public MujocoEnv {
 public:
  explicit InvertedPendulum(const Options& options) : MujocoEnv(options) { Require(2, 1); }

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 4) return {};
    return {Box("reward_survive", DType::kInt64, {})};
  }

 protected:
  void ResetModel(Random& random) override {
    ResetWithUniformNoise(random);
    reward_survive_ = 0;
  }

  StepResult Advance(const Action& action) override {
    Simulate(action);
    const double angle = World().Qpos()[1];
    const bool terminated =
        !(World().IsFinite() && healthy_angle_.low <= angle && angle <= healthy_angle_.high);
    reward_survive_ = terminated ? 0 : 1;
    const bool is_rewarded = !terminated || rewards_last_step_;
    return {.reward = is_rewarded ? healthy_reward_ : 0.0, .terminated = terminated};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos());
    out.Add(World().Qvel());
  }

  void WriteInfo(const Row& row) const override {
    if (version_ == 5) row.Info<std::int64_t>(0)[0] = reward_survive_;
  }

  void SerializeMore(Archive& archive) override { archive.Range(reward_survive_, 0, 1); }

 private:
  const double healthy_reward_ = options_.Number("healthy_reward");
  // Radians.
  const Range healthy_angle_{options_.Number("healthy_z_min"), options_.Number("healthy_z_max")};
  const bool rewards_last_step_ = !options_.Flag("reward_if_not_terminated");
  std::int64_t reward_survive_ = 0;  // an integer in Gymnasium
};

[[maybe_unused]] const bool registered = RegisterMujoco<InvertedPendulum>({
    .name = "GymInvertedPendulum",
    .xml_file = "inverted_pendulum.xml",
    .frame_skip = 2,
    .camera = {"trackbodyid=0", "distance=2.04"},
    .options = {ResetNoise(0.01),
                {"healthy_reward", 1.0, "reward of each step in which the pole stands"},
                {"healthy_z_min", -0.2, "least angle at which the pole stands, rad", kAnyNumber},
                {"healthy_z_max", 0.2, "greatest angle at which the pole stands, rad", kAnyNumber},
                {"reward_if_not_terminated", true, "no reward in the last step"}},
});

}  // namespace
}  // namespace envpool::mujoco
