// Peg: put a peg into a hole in the side of a box, or pull one out.
//
// Follows sawyer_peg_insertion_side_v3.py and sawyer_peg_unplug_side_v3.py.
#include <array>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class PegInsertSide final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const auto [peg, box] = DrawApart(random);
    object_start_ = peg;
    head_start_ = World().SiteAt("pegHead");
    SetObject(object_start_);
    World().MoveBody("box", box);
    target_ = box + Vector{0.03, 0.0, 0.13};
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    constexpr Vector kScale = {1.0, 2.0, 2.0};
    const Vector object = glance.Object();
    const Vector head = World().SiteAt("pegHead");
    const double to_object = Distance(object, Tcp());
    const double to_target = Norm((head - target_) * kScale);
    const Number at_target =
        Tolerance(to_target, {0.0, 0.07}, Norm((head_start_ - target_) * kScale));
    const Number in_place = HamacherProduct(at_target, PastBox(head));
    const bool is_held = to_object < 0.08 && IsHigher(glance, 0.01);
    const Number grasped = is_held ? 1.0
                                   : Enclosed(glance, object,
                                              {.radius = 0.0075,
                                               .reach = 0.01,
                                               .pad = 0.03,
                                               .height = 0.005,
                                               .density = kHigh});
    Number reward = HamacherProduct(grasped, in_place);
    if (is_held) reward += 1.0 + 5.0 * in_place;
    if (to_target <= 0.07) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.07,
            .near_object = to_object <= 0.03,
            .grasp_success = to_object < 0.02 && IsHigher(glance, 0.01),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  // Less than 1 where the peg's head would hit the box.
  Number PastBox(const Vector& head) const {
    const auto box = [&](const char* bottom, const char* top) {
      return BoxTolerance(head, World().SiteAt(bottom), World().SiteAt(top));
    };
    const Number first =
        box("bottom_right_corner_collision_box_1", "top_left_corner_collision_box_1");
    const Number second =
        box("bottom_right_corner_collision_box_2", "top_left_corner_collision_box_2");
    return HamacherProduct(second, first);
  }

  void SerializeMore(Archive& archive) override { archive(head_start_); }

  Vector head_start_ = {};  // of the peg
};

class PegUnplugSide final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const Vector box = Draw(random).first;
    World().MoveBody("box", box);
    const Vector plug = box + Vector{0.044, 0.0, 0.131};
    SetState(9, std::array{plug[0], plug[1], plug[2], 1.0, 0.0, 0.0, 0.0}, 9, 3);
    object_start_ = World().SiteAt("pegEnd");
    target_ = plug + Vector{0.15, 0.0, 0.0};
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_object = Distance(object, Tcp());
    const double to_target = Distance(object, target_);
    const Number grasped = Enclosed(glance, object,
                                    {.radius = 0.025,
                                     .reach = 0.01,
                                     .pad = 0.05,
                                     .height = 0.005,
                                     .effort = 0.8,
                                     .density = kHigh});
    const double in_place = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const bool is_held = glance.Opened() > 0.5 && object[0] - object_start_[0] > 0.015;
    Number reward = 2.0 * grasped;
    if (is_held && to_object < 0.035) reward = 1.0 + 2.0 * grasped + 5.0 * in_place;
    if (to_target <= 0.05) reward = 10.0;
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

SawyerTasks PegTasks() {
  return {Task<PegInsertSide>({.id = 35,
                               .name = "peg-insert-side-v3",
                               .model = "sawyer_peg_insertion_side.xml",
                               .objects = {{Site("pegGrasp"), Turn::kMatrix, Site("pegGrasp")}},
                               .goal_low = {-0.35 + 0.03, 0.4, -0.001 + 0.13},
                               .goal_high = {-0.25 + 0.03, 0.7, 0.001 + 0.13},
                               .moves_bodies = true}),
          Task<PegUnplugSide>({.id = 36,
                               .name = "peg-unplug-side-v3",
                               .model = "sawyer_peg_unplug_side.xml",
                               .objects = {{Site("pegEnd"), Turn::kQuaternion, Body("plug1")}},
                               .places = 1,
                               .goal_low = {-0.25 + 0.194, 0.6, -0.001 + 0.131},
                               .goal_high = {-0.15 + 0.194, 0.8, 0.001 + 0.131},
                               .moves_bodies = true})};
}

}  // namespace envpool::metaworld
