// PickOutOfHole: take a puck out of a hole, and carry it to a place.
//
// Follows sawyer_pick_out_of_hole_v3.py.
#include <algorithm>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class PickOutOfHole final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const Drawn drawn = DrawApart(random);
    object_start_ = drawn.first;
    SetObject(object_start_);
    target_ = drawn.last;
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const Vector tcp = Tcp();
    const double to_target = Distance(object, target_);
    const double to_object = Distance(object, tcp);
    const double height = SafeHeight(FlatDistance(tcp, object_start_), 0.03, 0.015, 0.15);
    const double above =
        tcp[2] >= height ? 1.0 : Tolerance(std::max(height - tcp[2], 0.0), {0.0, 0.01}, 0.02);
    const Number grasped = Enclosed(glance, object,
                                    {.radius = 0.015,
                                     .reach = 0.01,
                                     .pad = 0.02,
                                     .height = 0.03,
                                     .effort = 0.1,
                                     .density = kHigh});
    const double in_place = Tolerance(to_target, {0.0, 0.02}, Distance(object_start_, target_));
    const bool is_lifted = object[2] - 0.02 > object_start_[2];
    const bool is_held = to_object < 0.04 && is_lifted && !(glance.Opened() < 0.33);
    Number reward = HamacherProduct(grasped, in_place);
    if (is_held) reward += 1.0 + 5.0 * HamacherProduct(in_place, above);
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.07,
            .near_object = to_object <= 0.03,
            .grasp_success = is_held,
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

}  // namespace

SawyerTasks PickOutOfHoleTasks() {
  return {Task<PickOutOfHole>({.id = 29,
                               .name = "pick-out-of-hole-v3",
                               .model = "sawyer_pick_out_of_hole.xml",
                               .objects = {{Body("obj"), Turn::kQuaternion, Body("obj")}},
                               .goal_low = {-0.1, 0.5, 0.15},
                               .goal_high = {0.1, 0.6, 0.3},
                               .hand_low = {-0.5, 0.4, -0.05}})};
}

}  // namespace envpool::metaworld
