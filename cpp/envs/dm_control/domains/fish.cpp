// Fish: stay upright in water, or swim to a target.
//
// Follows dm_control/suite/fish.py.
#include <array>

#include "dm_control/suite_env.h"
#include "envpool/numpy_math.h"

namespace envpool::dm_control::fish {
namespace {

enum : std::size_t { kJointAngles, kUpright, kVelocity, kTarget };

constexpr std::array kJoints = {"tail1",          "tail_twist",   "tail2",        "finright_roll",
                                "finright_pitch", "finleft_roll", "finleft_pitch"};

class Fish final : public SuiteEnv {
 public:
  explicit Fish(const Setup& setup) : SuiteEnv(setup) {
    for (std::size_t i = 0; i < kJoints.size(); ++i) joints_[i] = World().JointPosition(kJoints[i]);
    const auto geoms = static_cast<std::size_t>(World().Model().ngeom);
    if (swims_) {
      geom_pos_ = World().Own(&mjModel::geom_pos, 3 * geoms);
    } else {  // the target is hidden
      World().Own(&mjModel::geom_rgba, 4 * geoms)[4 * static_cast<std::size_t>(target_) + 3] = 0.0F;
    }
  }

 private:
  void InitializeEpisode(RandomState& random) override {
    double* const qpos = World().Data().qpos;
    std::ranges::copy(DrawDirection<4>(random), qpos + World().JointPosition("root") + 3);
    for (const int joint : joints_) qpos[joint] = random.Uniform(-0.2, 0.2);
    if (!swims_) return;
    const std::span<double> target = geom_pos_.subspan(3 * static_cast<std::size_t>(target_), 3);
    target[0] = random.Uniform(-0.4, 0.4);
    target[1] = random.Uniform(-0.4, 0.4);
    target[2] = random.Uniform(0.1, 0.3);
  }

  double Reward() override {
    if (!swims_) return Tolerance(Upright(), {.low = 1.0, .high = 1.0, .margin = 1.0});
    const double* const sizes = World().Model().geom_size;
    const double radii = sizes[3 * mouth_] + sizes[3 * target_];
    const double in_target =
        Tolerance(Norm(MouthToTarget()), {.high = radii, .margin = 2.0 * radii});
    const double is_upright = 0.5 * (Upright() + 1.0);
    return (7.0 * in_target + is_upright) / 8.0;
  }

  void WriteObservation(Observation& out) override {
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      out[kJointAngles][i] = World().Data().qpos[joints_[i]];
    }
    out[kUpright][0] = Upright();
    Write(out[kVelocity], World().Qvel());
    if (swims_) Write(out[kTarget], MouthToTarget());
  }

  double Upright() const { return World().BodyFrame(torso_, 2, 2); }

  // In the mouth's frame.
  Vector MouthToTarget() const {
    const Vector difference =
        Difference(World().GeomPosition(target_), World().GeomPosition(mouth_));
    return InFrame(difference, World().Data().geom_xmat + 9 * mouth_);
  }

  const bool swims_ = Is("swim");
  const int torso_ = World().Body("torso");
  const int mouth_ = World().Geom("mouth");
  const int target_ = World().Geom("target");
  std::array<int, kJoints.size()> joints_;  // where they are in qpos
  std::span<double> geom_pos_;
};

[[maybe_unused]] const bool registered = RegisterDomain<Fish>({
    .name = "Fish",
    .frame_skip = 10,
    .tasks = {"upright", "swim"},
    .keys = [](const std::string& task) -> Keys {
      std::vector<std::size_t> own = {kJointAngles, kUpright, kVelocity};
      if (task == "swim") own = {kJointAngles, kUpright, kTarget, kVelocity};
      return {{{"joint_angles", {7}}, {"upright", {}}, {"velocity", {13}}, {"target", {3}}}, own};
    },
    .actuators = ForAll(Symmetric(5)),
    .xml = ModelFile("fish.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::fish
