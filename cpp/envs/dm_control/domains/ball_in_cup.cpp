// BallInCup: catch a ball on a string with a cup, in a plane.
//
// Follows dm_control/suite/ball_in_cup.py.
#include <cmath>

#include "dm_control/suite_env.h"

namespace envpool::dm_control::ball_in_cup {
namespace {

class BallInCup final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    double* const qpos = World().Data().qpos;
    DrawUntilNothingTouches([&] {
      qpos[World().JointPosition("ball_x")] = random.Uniform(-0.2, 0.2);
      qpos[World().JointPosition("ball_z")] = random.Uniform(0.2, 0.5);
    });
  }

  double Reward() override {
    const mjModel& model = World().Model();
    const Vector distance = Difference(World().SitePosition(target_), World().BodyPosition(ball_));
    const double ball_size = model.geom_size[3 * ball_geom_];
    const double* const target_size = model.site_size + 3 * target_;
    const bool is_in_target = std::abs(distance[0]) < target_size[0] - ball_size &&
                              std::abs(distance[2]) < target_size[2] - ball_size;
    return is_in_target ? 1.0 : 0.0;
  }

  const int target_ = World().Site("target");
  const int ball_ = World().Body("ball");
  const int ball_geom_ = World().Geom("ball");
};

[[maybe_unused]] const bool registered = RegisterDomain<BallInCup>({
    .name = "BallInCup",
    .frame_skip = 10,
    .tasks = {"catch"},
    .keys = ForAll(CommonKeys({{"position", {4}}, {"velocity", {4}}})),
    .actuators = ForAll(Symmetric(2)),
    .xml = ModelFile("ball_in_cup.xml"),
});

}  // namespace
}  // namespace envpool::dm_control::ball_in_cup
