// Reacher: touch a target with an arm of two links, in a plane.
//
// Follows gymnasium/envs/mujoco/reacher_v4.py and reacher_v5.py.
#include <array>
#include <cmath>

#include "mujoco_gym/mujoco_env.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

class Reacher final : public MujocoEnv {
 public:
  explicit Reacher(const Options& options) : MujocoEnv(options) { Require(3, 3); }

  static std::vector<Field> Infos(const Options&) {
    return {Info("reward_dist"), Info("reward_ctrl")};
  }

 protected:
  void ResetModel(Random& random) override {
    const std::span<double> position = World().Qpos();
    const std::span<double> velocity = World().Qvel();
    SetUniform(position, InitialPositions(), position_scale_, random);
    const auto is_near = [this](const Point& goal) { return numerics::Norm(goal) < goal_scale_; };
    const Point goal = DrawUntil(is_near, "reset_goal_scale", [&] {
      const double x = random.Uniform(-goal_scale_, goal_scale_);
      return Point{x, random.Uniform(-goal_scale_, goal_scale_)};
    });
    std::ranges::copy(goal, position.last(2).begin());
    SetUniform(velocity, velocity, velocity_scale_, random);
    std::ranges::fill(velocity.last(2), 0.0);
  }

  StepResult Advance(const Action& action) override {
    double distance = Distance();
    Simulate(action);
    if (rewards_after_step_) distance = Distance();
    const double distance_reward = -distance * distance_weight_;
    const double control_reward = -ControlCost(action, control_weight_);
    info_ = {distance_reward, control_reward};
    return {.reward = distance_reward + control_reward};
  }

  void WriteObservation(ObservationWriter& out) const override {
    const std::span<const double> position = World().Qpos();
    for (std::size_t i = 0; i < 2; ++i) out.Add(std::cos(position[i]));
    for (std::size_t i = 0; i < 2; ++i) out.Add(std::sin(position[i]));
    out.Add(position.subspan(2));
    out.Add(World().Qvel().first(2));
    out.Add(std::span<const double>(ToTarget()).first(observed_));
  }

 private:
  numerics::Vector ToTarget() const {
    return numerics::Difference(World().BodyPosition(fingertip_), World().BodyPosition(target_));
  }

  double Distance() const { return numerics::Norm(ToTarget()); }

  const double distance_weight_ = options_.Number("reward_dist_weight");
  const double control_weight_ = options_.Number("reward_control_weight");
  const double position_scale_ = options_.Number("reset_qpos_scale");
  const double velocity_scale_ = options_.Number("reset_qvel_scale");
  const double goal_scale_ = options_.Number("reset_goal_scale");
  const bool rewards_after_step_ = options_.Flag("reward_after_step");
  const std::size_t observed_ =
      options_.Flag("obs_include_z_distance") ? 3 : 2;  // coordinates of the way to the target
  const int fingertip_ = RequireBody("fingertip");
  const int target_ = RequireBody("target");
};

[[maybe_unused]] const bool registered = RegisterMujoco<Reacher>({
    .name = "GymReacher",
    .xml_file = "reacher.xml",
    .frame_skip = 2,
    .camera = {"trackbodyid=0"},
    .options = {{"reward_dist_weight", 1.0, "weight of the distance to the target"},
                {"reward_control_weight", 1.0, "weight of the control cost"},
                {"reward_after_step", true, "take the distance after the step, not before it"},
                {"obs_include_z_distance", false, "observe the vertical distance too, which is 0"},
                {"reset_qpos_scale", 0.1, "scale of the initial joints' noise, rad",
                 kFloat32NotNegative},
                {"reset_qvel_scale", 0.005, "scale of the initial velocities' noise, rad/s",
                 kFloat32NotNegative},
                {"reset_goal_scale",
                 0.2,
                 "greatest distance of the target from the centre, m",
                 {kPositive.least, kFloat32.most}}},
});

}  // namespace
}  // namespace envpool::mujoco
