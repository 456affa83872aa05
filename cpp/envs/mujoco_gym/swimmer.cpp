// Swimmer: swim forward with a body of three segments, in a plane.
//
// Follows gymnasium/envs/mujoco/swimmer_v4.py and swimmer_v5.py.
#include "mujoco_gym/mujoco_env.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

class Swimmer final : public MujocoEnv {
 public:
  explicit Swimmer(const Options& options) : MujocoEnv(options) { Require(2, 1); }

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 4) {
      return {Info("reward_fwd"), Info("reward_ctrl"),          Info("x_position"),
              Info("y_position"), Info("distance_from_origin"), Info("x_velocity"),
              Info("y_velocity"), Info("forward_reward")};
    }
    return {Info("x_position"), Info("y_position"), Info("distance_from_origin"),
            Info("x_velocity"), Info("y_velocity"), Info("reward_forward"),
            Info("reward_ctrl")};
  }

 protected:
  void ResetModel(Random& random) override { ResetWithUniformNoise(random); }

  void SetInfoOfReset() override { SetPlaceInfo(); }

  StepResult Advance(const Action& action) override {
    const std::span<const double> position = World().Qpos();
    const double x_before = position[0];
    const double y_before = position[1];
    Simulate(action);
    const double x_velocity = (position[0] - x_before) / Dt();
    const double y_velocity = (position[1] - y_before) / Dt();
    const double distance = numerics::Norm(position.first(2));

    const double forward_reward = forward_weight_ * x_velocity;
    const double control_cost = ControlCost(action, control_weight_);
    if (version_ == 4) {
      info_ = {forward_reward, -control_cost, position[0], position[1],
               distance,       x_velocity,    y_velocity,  forward_reward};
    } else {
      info_ = {position[0], position[1],    distance,     x_velocity,
               y_velocity,  forward_reward, -control_cost};
    }
    return {.reward = forward_reward - control_cost};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos().subspan(skipped_));
    out.Add(World().Qvel());
  }

 private:
  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const std::size_t skipped_ = LeftOut(2);  // positions
};

[[maybe_unused]] const bool registered = RegisterMujoco<Swimmer>({
    .name = "GymSwimmer",
    .xml_file = "swimmer.xml",
    .frame_skip = 4,
    .camera = {},
    .options = {ResetNoise(0.1),
                {"forward_reward_weight", 1.0, "weight of the forward reward"},
                {"ctrl_cost_weight", 1e-4, "weight of the control cost"},
                {"exclude_current_positions_from_observation", true, "leave out x and y"}},
});

}  // namespace
}  // namespace envpool::mujoco
