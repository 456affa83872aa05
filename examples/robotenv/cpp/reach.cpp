// Reach: an arm of two links reaches for a target, with little effort.
#include <array>
#include <cmath>

#include "mujoco/robot_env.h"

// Without a name, so that nothing of this file meets anything of another one.
namespace {

using namespace envpool;
using namespace envpool::mujoco;

class Reach final : public RobotEnv {
 public:
  using RobotEnv::RobotEnv;

  static std::vector<Field> Infos(const Options&) { return {Info("distance"), Info("effort")}; }

 protected:
  // The state is the model's initial one before. All that is random comes from `random`, which is
  // NumPy's default_rng(seed).
  void ResetModel(Random& random) override {
    for (double& angle : World().Qpos()) angle = random.Uniform(-1.0, 1.0);
    for (int axis : {0, 1}) World().Data().mocap_pos[axis] = random.Uniform(-0.3, 0.3);
  }

  StepResult Advance(const Action& action) override {
    Simulate(action);
    double effort = 0.0;
    for (const double torque : World().Control()) effort += torque * torque;
    info_ = {Distance(), effort};
    return {.reward = -Distance() - effort_cost_ * effort, .terminated = Distance() < reach_};
  }

  void WriteObservation(ObservationWriter& out) const override {
    out.Add(World().Qpos()).Add(World().Qvel());
    out.Add(World().SitePosition(hand_)).Add(World().SitePosition(target_));
  }

 private:
  double Distance() const {
    const std::array hand = World().SitePosition(hand_);
    const std::array target = World().SitePosition(target_);
    const double x = hand[0] - target[0];
    const double y = hand[1] - target[1];
    return std::sqrt(x * x + y * y);
  }

  const int hand_ = World().Site("hand");
  const int target_ = World().Site("target");
  const double reach_ = options_.Number("reach");
  const double effort_cost_ = options_.Number("effort_cost");
};

[[maybe_unused]] const bool registered = RegisterRobot<Reach>({
    .name = "Reach",
    .xml_file = "arm.xml",  // in src/robotenv
    .frame_skip = 5,
    .camera = {"distance=1.2", "elevation=-60"},
    .options = {{"reach", 0.02, "how near to the target is there, m", kNotNegative},
                {"effort_cost", 0.01, "what the sum of the squared torques costs"}},
});

}  // namespace
