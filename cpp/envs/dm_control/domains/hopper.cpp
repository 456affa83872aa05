// Hopper: stand or hop on one leg, in a plane.
//
// Follows dm_control/suite/hopper.py.
#include "dm_control/suite_env.h"
#include "numerics/loops.h"

namespace envpool::dm_control::hopper {
namespace {

enum : std::size_t { kPosition, kVelocity, kTouch };

class Hopper final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override { RandomizeJoints(random); }

  double Reward() override {
    const double* const centers = World().Data().xipos;
    const double height = centers[3 * torso_ + 2] - centers[3 * foot_ + 2];
    const double standing = Tolerance(height, {.low = 0.6, .high = 2.0});
    if (!hops_) return standing * SmallControl();
    constexpr double kSpeed = 2.0;  // m/s
    return standing *
           Tolerance(*World().SensorData(velocity_), LinearFrom(kSpeed, kSpeed / 2, 0.5));
  }

  void WriteObservation(Observation& out) override {
    Write(out[kPosition], World().Qpos().subspan(1));
    Write(out[kVelocity], World().Qvel());
    out[kTouch][0] = numerics::Log1p(*World().SensorData(toe_));
    out[kTouch][1] = numerics::Log1p(*World().SensorData(heel_));
  }

  const bool hops_ = Is("hop");
  const int torso_ = World().Body("torso");
  const int foot_ = World().Body("foot");
  const int velocity_ = World().Sensor("torso_subtreelinvel");
  const int toe_ = World().Sensor("touch_toe");
  const int heel_ = World().Sensor("touch_heel");
};

[[maybe_unused]] const bool registered = RegisterDomain<Hopper>({
    .name = "Hopper",
    .frame_skip = 4,
    .tasks = {"stand", "hop"},
    .keys = ForAll(CommonKeys({{"position", {6}}, {"velocity", {7}}, {"touch", {2}}})),
    .actuators = ForAll(Symmetric(4)),
    .xml = ModelFile("hopper.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::hopper
