// Hammer: drive a nail into a box with a hammer.
//
// Follows sawyer_hammer_v3.py.
#include <algorithm>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class Hammer final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    World().MoveBody("box", {0.24, 0.85, 0.0});
    target_ = World().SiteAt("goal");
    object_start_ = Draw(random).first;
    SetObject(object_start_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector head = glance.Object() + Vector{0.16, 0.06, 0.0};
    const double turned = std::max(1.0 - glance.TurnError({1.0, 0.0, 0.0, 0.0}) / 0.4, 0.0);
    const Number grasped =
        Enclosed(glance, NearestAlongX(glance, 0.14),
                 {.radius = 0.015, .reach = 0.01, .pad = 0.02, .height = 0.01, .density = kHigh});
    const double in_place = 0.1 * (head[2] > 0.02 ? 1.0 : 0.0) +
                            0.9 * Tolerance(Distance(target_, head), {0.0, 0.02}, 0.2);
    const Number reward = (2.0 * grasped + 6.0 * in_place) * turned;
    const bool success = World().JointAt("NailSlideJoint") > 0.09;
    return {.reward = success && reward > 5.0 ? 10.0 : reward,
            .success = success,
            .near_object = turned,
            .grasp_success = grasped >= 0.5,
            .grasp_reward = grasped,
            .in_place_reward = in_place};
  }
};

}  // namespace

SawyerTasks HammerTasks() {
  return {Task<Hammer>({.id = 22,
                        .name = "hammer-v3",
                        .model = "sawyer_hammer.xml",
                        .objects = {{Body("hammer"), Turn::kQuaternion, Body("hammer")},
                                    {Body("nail_link"), Turn::kQuaternion, Body("nail_link")}},
                        .places = 1,
                        .goal_low = {0.2399, 0.7399, 0.109},
                        .goal_high = {0.2401, 0.7401, 0.111},
                        .hand = {0.0, 0.4, 0.2}})};
}

}  // namespace envpool::metaworld
