// Acrobot: swing the tip of two arms up to a target, with a motor in the elbow.
//
// Follows dm_control/suite/acrobot.py.
#include <numbers>

#include "dm_control/suite_env.h"

namespace envpool::dm_control::acrobot {
namespace {

enum : std::size_t { kOrientations, kVelocity };

class Acrobot final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    for (const char* joint : {"shoulder", "elbow"}) {
      World().Data().qpos[World().JointPosition(joint)] =
          random.Uniform(-std::numbers::pi, std::numbers::pi);
    }
  }

  double Reward() override {
    const double distance = Distance(World().SitePosition(target_), World().SitePosition(tip_));
    const double radius = World().Model().site_size[3 * target_];
    return Tolerance(distance, {.high = radius, .margin = is_sparse_ ? 0.0 : 1.0});
  }

  void WriteObservation(Observation& out) override {
    const std::span<double> orientations = out[kOrientations];
    orientations[0] = World().BodyFrame(upper_arm_, 0, 2);
    orientations[1] = World().BodyFrame(lower_arm_, 0, 2);
    orientations[2] = World().BodyFrame(upper_arm_, 2, 2);
    orientations[3] = World().BodyFrame(lower_arm_, 2, 2);
    Write(out[kVelocity], World().Qvel());
  }

  const bool is_sparse_ = Is("swingup_sparse");
  const int upper_arm_ = World().Body("upper_arm");
  const int lower_arm_ = World().Body("lower_arm");
  const int target_ = World().Site("target");
  const int tip_ = World().Site("tip");
};

[[maybe_unused]] const bool registered = RegisterDomain<Acrobot>({
    .name = "Acrobot",
    .frame_skip = 1,
    .tasks = {"swingup", "swingup_sparse"},
    .keys = ForAll(CommonKeys({{"orientations", {4}}, {"velocity", {2}}})),
    .actuators = ForAll(Symmetric(1)),
    .xml = ModelFile("acrobot.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::acrobot
