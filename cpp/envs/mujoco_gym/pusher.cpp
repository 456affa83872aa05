// Pusher: push a cylinder to a goal with an arm of seven joints.
//
// Follows gymnasium/envs/mujoco/pusher_v4.py and pusher_v5.py.
#include <array>

#include "mujoco_gym/mujoco_env.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

constexpr std::size_t kArmJoints = 7;

class Pusher final : public MujocoEnv {
 public:
  explicit Pusher(const Options& options) : MujocoEnv(options) {
    Require(kArmJoints, kArmJoints);
    CheckCylinder();
  }

  static std::vector<Field> Infos(const Options&) {
    return {Info("reward_dist"), Info("reward_ctrl"), Info("reward_near")};
  }

 protected:
  void ResetModel(Random& random) override {
    const std::span<double> position = World().Qpos();
    const std::span<double> velocity = World().Qvel();
    std::ranges::copy(InitialPositions(), position.begin());
    const auto is_far = [this](const Point& at) { return numerics::Norm(at) > cylinder_distance_; };
    const Point cylinder = DrawUntil(is_far, "cylinder_dist_min", [&] {
      const double x = random.Uniform(cylinder_x_.low, cylinder_x_.high);
      return Point{x, random.Uniform(cylinder_y_.low, cylinder_y_.high)};
    });
    const std::array end = {cylinder[0], cylinder[1], 0.0, 0.0};  // the goal is the origin
    std::ranges::copy(end, position.last(end.size()).begin());
    SetUniform(velocity, velocity, velocity_scale_, random);
    std::ranges::fill(velocity.last(end.size()), 0.0);
  }

  StepResult Advance(const Action& action) override {
    double near = Distance(object_, tip_);
    double distance = Distance(object_, goal_);
    Simulate(action);
    if (rewards_after_step_) {
      near = Distance(object_, tip_);
      distance = Distance(object_, goal_);
    }
    const double near_reward = -near * near_weight_;
    const double distance_reward = -distance * distance_weight_;
    const double control_reward = -ControlCost(action, control_weight_);
    if (shows_weighted_) {
      info_ = {distance_reward, control_reward, near_reward};
    } else {
      info_ = {-distance, -ControlCost(action, 1.0), -near};
    }
    return {.reward = distance_reward + control_reward + near_reward};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos().first(kArmJoints));
    out.Add(World().Qvel().first(kArmJoints));
    for (const int body : {tip_, object_, goal_}) out.Add(World().BodyPosition(body));
  }

 private:
  // ResetModel draws until the cylinder is far enough from the goal.
  void CheckCylinder() const {
    const std::array corner = {std::max(std::abs(cylinder_x_.low), std::abs(cylinder_x_.high)),
                               std::max(std::abs(cylinder_y_.low), std::abs(cylinder_y_.high))};
    if (!(numerics::Norm(corner) > cylinder_distance_)) {
      throw std::invalid_argument(
          "cylinder_dist_min is greater than every distance that the cylinder's ranges allow");
    }
  }

  double Distance(int from, int to) const {
    return numerics::Distance(World().BodyPosition(from), World().BodyPosition(to));
  }

  const double near_weight_ = options_.Number("reward_near_weight");
  const double distance_weight_ = options_.Number("reward_dist_weight");
  const double control_weight_ = options_.Number("reward_control_weight");
  const double velocity_scale_ = options_.Number("reset_qvel_scale");
  const Range cylinder_x_{options_.Number("cylinder_x_min"), options_.Number("cylinder_x_max")};
  const Range cylinder_y_{options_.Number("cylinder_y_min"), options_.Number("cylinder_y_max")};
  const double cylinder_distance_ = options_.Number("cylinder_dist_min");
  const bool rewards_after_step_ = options_.Flag("reward_after_step");
  const bool shows_weighted_ = options_.Flag("weighted_reward_info");
  const int object_ = RequireBody("object");
  const int tip_ = RequireBody("tips_arm");
  const int goal_ = RequireBody("goal");
};

[[maybe_unused]] const bool registered = RegisterMujoco<Pusher>({
    .name = "GymPusher",
    .xml_file = "pusher_v5.xml",
    .frame_skip = 5,
    .camera = {"trackbodyid=-1", "distance=4"},
    .options = {{"reward_near_weight", 0.5, "weight of the distance between hand and cylinder"},
                {"reward_dist_weight", 1.0, "weight of the distance between cylinder and goal"},
                {"reward_control_weight", 0.1, "weight of the control cost"},
                {"reward_after_step", true, "take the distances after the step, not before it"},
                {"weighted_reward_info", true, "show rewards in infos with their weights"},
                {"reset_qvel_scale", 0.005, "scale of the initial velocities' noise, rad/s",
                 kFloat32NotNegative},
                {"cylinder_x_min", -0.3, "least initial x of the cylinder, m", kFloat32},
                {"cylinder_x_max", 0.0, "greatest initial x of the cylinder, m", kFloat32},
                {"cylinder_y_min", -0.2, "least initial y of the cylinder, m", kFloat32},
                {"cylinder_y_max", 0.2, "greatest initial y of the cylinder, m", kFloat32},
                {"cylinder_dist_min", 0.17, "least initial distance from the goal, m", kFloat32}},
});

}  // namespace
}  // namespace envpool::mujoco
