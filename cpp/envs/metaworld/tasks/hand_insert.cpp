// HandInsert: bring a puck into a hole in the table.
//
// Follows sawyer_hand_insert_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class HandInsert final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const auto [object, goal] = DrawApart(random);
    object_start_ = {object[0], object[1], 0.05};
    target_ = goal;
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double in_place = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped =
        Enclosed(glance, object,
                 {.radius = 0.015, .reach = 0.01, .pad = 0.05, .height = 0.005, .density = kHigh});
    const double to_object = Distance(object, Tcp());
    Number reward = HamacherProduct(grasped, in_place);
    if (to_object < 0.02 && glance.Opened() > 0.0) reward += 1.0 + 7.0 * in_place;
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.05,
            .near_object = to_object <= 0.03,
            .grasp_success = Lifts(glance, 0.02),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

}  // namespace

SawyerTasks HandInsertTasks() {
  return {Task<HandInsert>({.id = 17,
                            .name = "hand-insert-v3",
                            .model = "sawyer_table_with_hole.xml",
                            .objects = {{Body("obj"), Turn::kQuaternion, Body("obj")}},
                            .goal_low = {-0.04, 0.8, -0.0201},
                            .goal_high = {0.04, 0.88, -0.0199},
                            .hand = Float32(0.0F, 0.6F, 0.2F),
                            .hand_low = {-0.5, 0.4, -0.15}})};
}

}  // namespace envpool::metaworld
