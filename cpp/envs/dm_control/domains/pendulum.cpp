// Pendulum: swing up and balance.
//
// Follows dm_control/suite/pendulum.py.
#include <cmath>
#include <numbers>

#include "dm_control/suite_env.h"

namespace envpool::dm_control::pendulum {
namespace {

enum : std::size_t { kOrientation, kVelocity };

class Pendulum final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    World().Data().qpos[0] = random.Uniform(-std::numbers::pi, std::numbers::pi);
  }

  double Reward() override {
    constexpr double kAngle = 8.0;  // degrees from upright that are good enough
    const double cosine = std::cos(kAngle * (std::numbers::pi / 180.0));
    return Tolerance(World().BodyFrame(pole_, 2, 2), {.low = cosine, .high = 1.0});
  }

  void WriteObservation(Observation& out) override {
    out[kOrientation][0] = World().BodyFrame(pole_, 2, 2);
    out[kOrientation][1] = World().BodyFrame(pole_, 0, 2);
    Write(out[kVelocity], World().Qvel());
  }

  const int pole_ = World().Body("pole");
};

[[maybe_unused]] const bool registered = RegisterDomain<Pendulum>({
    .name = "Pendulum",
    .frame_skip = 1,
    .tasks = {"swingup"},
    .keys = ForAll(CommonKeys({{"orientation", {2}}, {"velocity", {1}}})),
    .actuators = ForAll(Symmetric(1)),
    .xml = ModelFile("pendulum.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::pendulum
