// HalfCheetah: run on two legs, in a plane.
//
// Follows gymnasium/envs/mujoco/half_cheetah_v4.py and half_cheetah_v5.py.
#include "mujoco_gym/mujoco_env.h"

namespace envpool::mujoco {
namespace {

class HalfCheetah final : public MujocoEnv {
 public:
  explicit HalfCheetah(const Options& options) : MujocoEnv(options) { Require(1, 1); }

  static std::vector<Field> Infos(const Options& options) {
    const bool is_v5 = options.Integer("version") == 5;
    return {Info("x_position"), Info("x_velocity"), Info(is_v5 ? "reward_forward" : "reward_run"),
            Info("reward_ctrl")};
  }

 protected:
  void ResetModel(Random& random) override { ResetWithNormalNoise(random); }

  void SetInfoOfReset() override { info_[0] = World().Qpos()[0]; }

  StepResult Advance(const Action& action) override {
    const double before = World().Qpos()[0];
    Simulate(action);
    const double after = World().Qpos()[0];
    const double velocity = (after - before) / Dt();
    const double forward_reward = forward_weight_ * velocity;
    const double control_cost = ControlCost(action, control_weight_);
    info_ = {after, velocity, forward_reward, -control_cost};
    return {.reward = forward_reward - control_cost};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos().subspan(skipped_));
    out.Add(World().Qvel());
  }

 private:
  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const std::size_t skipped_ = LeftOut(1);  // positions
};

[[maybe_unused]] const bool registered = RegisterMujoco<HalfCheetah>({
    .name = "GymHalfCheetah",
    .xml_file = "half_cheetah.xml",
    .frame_skip = 5,
    .camera = {"distance=4"},
    .options = {ResetNoise(0.1),
                {"forward_reward_weight", 1.0, "weight of the forward reward"},
                {"ctrl_cost_weight", 0.1, "weight of the control cost"},
                {"exclude_current_positions_from_observation", true, "leave out the x-coordinate"}},
});

}  // namespace
}  // namespace envpool::mujoco
