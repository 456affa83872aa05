// Basketball: put a ball through a hoop.
//
// Follows sawyer_basketball_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class Basketball final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const auto [ball, basket] = DrawApart(random);
    object_start_ = {ball[0], ball[1], double{0.03F}};
    World().MoveBody("basket_goal", basket);
    SetObject(object_start_);
    World().MoveSite("goal", Target());
  }

  // The original keeps no copy of where the site is.
  Vector Target() const override { return World().SiteAt("goal"); }

  Outcome Judge(const Glance& glance) override {
    constexpr Vector kScale = {1.0, 1.0, 2.0};
    const Vector object = glance.Object();
    Vector target = Target();
    target[2] = 0.3;
    const double to_target = Norm((object - target) * kScale);
    const double in_place =
        Tolerance(to_target, {0.0, 0.08}, Norm((object_start_ - target) * kScale));
    const double to_object = Distance(object, Tcp());
    const bool is_held = to_object < 0.035 && IsHigher(glance, 0.01);
    const Number grasped =
        is_held
            ? 1.0
            : Enclosed(
                  glance, object,
                  {.radius = 0.025, .reach = 0.01, .pad = 0.06, .height = 0.005, .density = kHigh});
    Number reward = HamacherProduct(grasped, in_place);
    if (is_held) reward += 1.0 + 5.0 * in_place;
    if (to_target < 0.08) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.08,
            .near_object = to_object <= 0.05,
            .grasp_success = IsHigher(glance, 0.03),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

}  // namespace

SawyerTasks BasketballTasks() {
  return {Task<Basketball>({.id = 1,
                            .name = "basketball-v3",
                            .model = "sawyer_basketball.xml",
                            .objects = {{Body("bsktball"), Turn::kQuaternion, Body("bsktball")}},
                            .goal_low = {-0.1, 0.85 - 0.083, 0.2499},
                            .goal_high = {0.1, 0.9 + 1e-7 - 0.083, 0.2501},
                            .hand = Float32(0.0F, 0.6F, 0.2F),
                            .moves_bodies = true})};
}

}  // namespace envpool::metaworld
