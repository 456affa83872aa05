// Walker: stand, walk or run on two legs, in a plane.
//
// Follows dm_control/suite/walker.py.
#include "dm_control/suite_env.h"

namespace envpool::dm_control::walker {
namespace {

enum : std::size_t { kOrientations, kHeight, kVelocity };

constexpr double kStandHeight = 1.2;  // m

class Walker final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override { RandomizeJoints(random); }

  double Reward() override {
    const double standing = Tolerance(Height(), AtLeast(kStandHeight, kStandHeight / 2));
    const double upright = (1.0 + World().BodyFrame(torso_, 2, 2)) / 2.0;
    const double stand_reward = (3.0 * standing + upright) / 4.0;
    if (speed_ == 0.0) return stand_reward;
    const double move_reward =
        Tolerance(*World().SensorData(velocity_), LinearFrom(speed_, speed_ / 2, 0.5));
    return stand_reward * (5.0 * move_reward + 1.0) / 6.0;
  }

  void WriteObservation(Observation& out) override {
    const std::span<double> orientations = out[kOrientations];
    for (std::size_t i = 0; i < orientations.size() / 2; ++i) {
      const int body = static_cast<int>(i) + 1;
      orientations[2 * i] = World().BodyFrame(body, 0, 0);
      orientations[2 * i + 1] = World().BodyFrame(body, 0, 2);
    }
    out[kHeight][0] = Height();
    Write(out[kVelocity], World().Qvel());
  }

  double Height() const { return World().BodyPosition(torso_)[2]; }

  // To be reached, m/s; 0: to stand.
  const double speed_ = Is("run") ? 8.0 : Is("walk") ? 1.0 : 0.0;
  const int torso_ = World().Body("torso");
  const int velocity_ = World().Sensor("torso_subtreelinvel");
};

[[maybe_unused]] const bool registered = RegisterDomain<Walker>({
    .name = "Walker",
    .frame_skip = 10,
    .tasks = {"stand", "walk", "run"},
    .keys = ForAll(CommonKeys({{"orientations", {14}}, {"height", {}}, {"velocity", {9}}})),
    .actuators = ForAll(Symmetric(6)),
    .xml = ModelFile("walker.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::walker
