// PlanarWalker: what Hopper and Walker2d have in common, legs that can fall over in a plane.
//
// Follows gymnasium/envs/mujoco/hopper_v4.py, hopper_v5.py, walker2d_v4.py and walker2d_v5.py.
#pragma once

#include <vector>

#include "mujoco_gym/mujoco_env.h"

namespace envpool::mujoco {

class PlanarWalker : public MujocoEnv {
 public:
  explicit PlanarWalker(const Options& options) : MujocoEnv(options) { Require(3, 1); }

  static std::vector<Field> Infos(const Options& options) {
    if (options.Integer("version") == 4) return {Info("x_position"), Info("x_velocity")};
    return {Info("x_position"),  Info("z_distance_from_origin"),
            Info("x_velocity"),  Info("reward_forward"),
            Info("reward_ctrl"), Info("reward_survive")};
  }

  static std::vector<OptionSpec> WalkerOptions(std::vector<double> healthy_z,
                                               std::vector<double> healthy_angle) {
    return {
        ResetNoise(5e-3),
        {"forward_reward_weight", 1.0, "weight of the forward reward"},
        {"ctrl_cost_weight", 1e-3, "weight of the control cost"},
        {"healthy_reward", 1.0, "reward of each step in which it is healthy"},
        {"terminate_when_unhealthy", true, "end the episode when it is unhealthy"},
        {"legacy_healthy_reward", false, "give the healthy reward in the last step as well"},
        {"healthy_z_range", std::move(healthy_z), "heights at which it is healthy, m", kAnyNumber},
        {"healthy_angle_range", std::move(healthy_angle), "angles at which it is healthy, rad",
         kAnyNumber},
        {"velocity_min", -10.0, "observed velocities are clipped to this", kAnyNumber},
        {"velocity_max", 10.0, "observed velocities are clipped to this", kAnyNumber},
        {"exclude_current_positions_from_observation", true, "leave out the x-coordinate"}};
  }

 protected:
  virtual bool IsHealthy() const {
    const double z = World().Qpos()[1];
    const double angle = World().Qpos()[2];
    return healthy_z_.low < z && z < healthy_z_.high && healthy_angle_.low < angle &&
           angle < healthy_angle_.high;
  }

  void ResetModel(Random& random) override { ResetWithUniformNoise(random); }

  void SetInfoOfReset() override {
    info_[0] = World().Qpos()[0];
    info_[1] = ZDistance();
  }

  StepResult Advance(const Action& action) override {
    const double before = World().Qpos()[0];
    Simulate(action);
    const double after = World().Qpos()[0];
    const double velocity = (after - before) / Dt();

    const bool is_healthy = IsHealthy();
    const double forward_reward = forward_weight_ * velocity;
    const double healthy_reward = (is_healthy || always_rewards_health_) ? healthy_reward_ : 0.0;
    const double control_cost = ControlCost(action, control_weight_);
    if (version_ == 4) {
      info_ = {after, velocity};
    } else {
      info_ = {after, ZDistance(), velocity, forward_reward, -control_cost, healthy_reward};
    }
    return {.reward = forward_reward + healthy_reward - control_cost,
            .terminated = terminates_ && !is_healthy};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos().subspan(skipped_));
    out.AddClipped(World().Qvel(), velocity_);
  }

 private:
  double ZDistance() const { return World().Qpos()[1] - World().Model().qpos0[1]; }

  const double forward_weight_ = options_.Number("forward_reward_weight");
  const double control_weight_ = options_.Number("ctrl_cost_weight");
  const double healthy_reward_ = options_.Number("healthy_reward");
  const Range healthy_z_ = ReadRange(options_, "healthy_z_range");
  const Range healthy_angle_ = ReadRange(options_, "healthy_angle_range");
  const Range velocity_{options_.Number("velocity_min"), options_.Number("velocity_max")};
  const bool terminates_ = options_.Flag("terminate_when_unhealthy");
  const bool always_rewards_health_ = terminates_ && options_.Flag("legacy_healthy_reward");
  const std::size_t skipped_ = LeftOut(1);  // positions
};

}  // namespace envpool::mujoco
