// Cheetah: run on two legs, in a plane.
//
// Follows dm_control/suite/cheetah.py.
#include "dm_control/suite_env.h"

namespace envpool::dm_control::cheetah {
namespace {

enum : std::size_t { kPosition, kVelocity };

class Cheetah final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    const mjModel& model = World().Model();
    for (std::size_t joint = 0; joint < World().Qpos().size(); ++joint) {
      if (model.jnt_limited[joint] == 0) continue;
      World().Data().qpos[joint] =
          random.Uniform(model.jnt_range[2 * joint], model.jnt_range[2 * joint + 1]);
    }
    constexpr int kSettlingSteps = 200;
    World().Step(kSettlingSteps);
    World().Data().time = 0.0;
  }

  double Reward() override {
    constexpr double kSpeed = 10.0;  // m/s
    return Tolerance(*World().SensorData(velocity_), LinearFrom(kSpeed, kSpeed, 0.0));
  }

  void WriteObservation(Observation& out) override {
    Write(out[kPosition], World().Qpos().subspan(1));
    Write(out[kVelocity], World().Qvel());
  }

  const int velocity_ = World().Sensor("torso_subtreelinvel");
};

[[maybe_unused]] const bool registered = RegisterDomain<Cheetah>({
    .name = "Cheetah",
    .frame_skip = 1,
    .tasks = {"run"},
    .keys = ForAll(CommonKeys({{"position", {8}}, {"velocity", {9}}})),
    .actuators = ForAll(Symmetric(6)),
    .xml = ModelFile("cheetah.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::cheetah
