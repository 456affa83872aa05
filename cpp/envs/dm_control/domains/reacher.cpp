// Reacher: reach a target with the finger of an arm, in a plane.
//
// Follows dm_control/suite/reacher.py.
#include <array>
#include <cmath>
#include <numbers>

#include "dm_control/suite_env.h"

namespace envpool::dm_control::reacher {
namespace {

enum : std::size_t { kPosition, kToTarget, kVelocity };

class Reacher final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    const std::size_t target = 3 * static_cast<std::size_t>(target_);
    geom_size_[target] = target_size_;
    RandomizeJoints(random);
    const double angle = random.Uniform(0.0, 2.0 * std::numbers::pi);
    const double radius = random.Uniform(0.05, 0.20);
    geom_pos_[target] = radius * std::sin(angle);
    geom_pos_[target + 1] = radius * std::cos(angle);
  }

  double Reward() override {
    const double radii =
        World().Model().geom_size[3 * target_] + World().Model().geom_size[3 * finger_];
    return Tolerance(Norm(ToTarget()), {.high = radii});
  }

  void WriteObservation(Observation& out) override {
    Write(out[kPosition], World().Qpos());
    Write(out[kToTarget], ToTarget());
    Write(out[kVelocity], World().Qvel());
  }

  std::size_t Geoms() const { return static_cast<std::size_t>(World().Model().ngeom); }

  std::array<double, 2> ToTarget() const {
    const Vector difference =
        Difference(World().GeomPosition(target_), World().GeomPosition(finger_));
    return {difference[0], difference[1]};
  }

  const double target_size_ = Is("easy") ? 0.05 : 0.015;
  const int target_ = World().Geom("target");
  const int finger_ = World().Geom("finger");
  const std::span<double> geom_size_ = World().Own(&mjModel::geom_size, 3 * Geoms());
  const std::span<double> geom_pos_ = World().Own(&mjModel::geom_pos, 3 * Geoms());
};

[[maybe_unused]] const bool registered = RegisterDomain<Reacher>({
    .name = "Reacher",
    .frame_skip = 1,
    .tasks = {"easy", "hard"},
    .keys = ForAll(CommonKeys({{"position", {2}}, {"to_target", {2}}, {"velocity", {2}}})),
    .actuators = ForAll(Symmetric(2)),
    .xml = ModelFile("reacher.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::reacher
