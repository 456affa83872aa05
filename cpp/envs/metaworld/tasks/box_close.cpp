// BoxClose: put the lid on a box.
//
// Follows sawyer_box_close_v3.py.
#include <algorithm>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class BoxClose final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const double height = World().BodyAt("boxbody")[2];
    const auto [lid, box] = DrawApart(random);
    object_start_ = {lid[0], lid[1], double{0.02F}};
    target_ = box;
    World().MoveBody("boxbody", {box[0], box[1], height});
    World().Step(FrameSkip());
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const double grab = GrabEffort(glance.effort);
    const double turned = std::max(1.0 - glance.TurnError({0.707, 0.0, 0.0, 0.707}) / 0.2, 0.0);
    const Vector lid = glance.Object() + Vector{0.0, 0.0, 0.02};
    const double ready = Ready(glance.Hand(), lid);
    constexpr Vector kScale = {1.0, 1.0, 3.0};
    const double lifted = 0.2 * (lid[2] > 0.04 ? 1.0 : 0.0) +
                          0.8 * Tolerance(Norm((target_ - lid) * kScale), {0.0, 0.05}, 0.25);
    const bool success = Distance(glance.Object(), target_) < 0.08;
    const double reward = success ? 10.0 : 2.0 * HamacherProduct(grab, ready) + 8.0 * lifted;
    return {.reward = reward * turned,
            .success = success,
            .near_object = ready,
            .grasp_success = grab >= 0.5,
            .grasp_reward = grab,
            .in_place_reward = lifted};
  }

  // How well the hand is at the lid, which it has to reach from above.
  static double Ready(const Vector& hand, const Vector& lid) {
    const double height = SafeHeight(FlatDistance(hand, lid), 0.02, 0.04, 0.4);
    const double above =
        hand[2] >= height ? 1.0 : Tolerance(height - hand[2], {0.0, 0.01}, height / 2.0);
    return HamacherProduct(above, Tolerance(Distance(hand, lid), {0.0, 0.02}, 0.5));
  }
};

}  // namespace

SawyerTasks BoxCloseTasks() {
  return {Task<BoxClose>({.id = 3,
                          .name = "box-close-v3",
                          .model = "sawyer_box.xml",
                          .objects = {{Body("top_link"), Turn::kQuaternion, Body("top_link")}},
                          .goal_low = {-0.1, 0.7, 0.133},
                          .goal_high = {0.1, 0.8, 0.133},
                          .hand = Float32(0.0F, 0.6F, 0.2F),
                          .moves_bodies = true})};
}

}  // namespace envpool::metaworld
