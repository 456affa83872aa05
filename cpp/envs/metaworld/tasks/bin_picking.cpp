// BinPicking: carry a puck from one bin to the other.
//
// Follows sawyer_bin_picking_v3.py.
#include <algorithm>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class BinPicking final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const double height = ObjectPosition()[2];  // where it has come to rest
    const Vector object = Draw(random).first;
    object_start_ = {object[0], object[1], height};
    SetObject(object_start_);
    target_ = World().BodyAt("bin_goal");
    is_first_step_ = true;
  }

  Outcome Judge(const Glance& glance) override {
    const Vector hand = glance.Hand();
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    if (is_first_step_) first_to_target_ = to_target;
    is_first_step_ = false;
    const double in_place = Tolerance(to_target, {0.0, 0.05}, first_to_target_);
    const double height = std::min(SafeHeight(FlatDistance(hand, object_start_), 0.03, 0.02, 0.2),
                                   SafeHeight(FlatDistance(hand, target_), 0.03, 0.02, 0.2));
    const double above =
        hand[2] >= height ? 1.0 : Tolerance(std::max(height - hand[2], 0.0), {0.0, 0.01}, 0.05);
    const Number grasped = Enclosed(glance, object,
                                    {.radius = 0.015,
                                     .reach = 0.01,
                                     .pad = 0.05,
                                     .height = 0.01,
                                     .effort = 0.7,
                                     .density = kHigh});
    Number reward = HamacherProduct(grasped, in_place);
    const bool is_near = Distance(object, hand) < 0.04;
    const bool is_lifted = object[2] - 0.02 > object_start_[2];
    const bool is_held = is_near && is_lifted && !(glance.Opened() < 0.43);
    if (is_held) reward += 1.0 + 5.0 * HamacherProduct(above, in_place);
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.05,
            .near_object = is_near,
            .grasp_success = is_held,
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  void SerializeMore(Archive& archive) override { archive(is_first_step_, first_to_target_); }

  bool is_first_step_ = true;
  double first_to_target_ = 0.0;
};

}  // namespace

SawyerTasks BinPickingTasks() {
  return {Task<BinPicking>({.id = 2,
                            .name = "bin-picking-v3",
                            .model = "sawyer_bin_picking.xml",
                            .objects = {{Body("obj"), Turn::kQuaternion, Body("obj")}},
                            .goal_low = {0.1199, 0.699, -0.001},
                            .goal_high = {0.1201, 0.701, 0.001},
                            .hand_low = {-0.5, 0.4, 0.07}})};
}

}  // namespace envpool::metaworld
