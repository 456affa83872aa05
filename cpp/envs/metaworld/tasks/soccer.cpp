// Soccer: push a ball into a goal.
//
// Follows sawyer_soccer_v3.py.
#include <cmath>

#include "envpool/numpy_math.h"
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class Soccer final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const auto [ball, goal] = DrawApart(random);
    object_start_ = {ball[0], ball[1], 0.03};
    target_ = goal;
    World().MoveBody("goal_whole", target_);
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    constexpr Vector kScale = {3.0, 1.0, 1.0};
    const Vector object = glance.Object();
    const double to_target = Norm((object - target_) * kScale);
    double in_place = Tolerance(to_target, {0.0, 0.07}, Norm((object - object_start_) * kScale));
    const double line = target_[1] - 0.1;
    if (object[1] > line && std::abs(object[0] - target_[0]) > 0.1) {
      const double behind = 2.0 * ((object[1] - line) / (1.0 - line));
      in_place = numpy::Clip(in_place - behind, 0.0, 1.0);
    }
    const double grasped = EnclosedBySides(object, 0.013, 0.01, 0.005);
    const double distance = Distance(object, target_);
    return {.reward = to_target < 0.07 ? 10.0 : 3.0 * grasped + 6.5 * in_place,
            .success = distance <= 0.07,
            .near_object = Distance(object, Tcp()) <= 0.03,
            .grasp_success = Lifts(glance, 0.02),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = distance};
  }
};

}  // namespace

SawyerTasks SoccerTasks() {
  return {Task<Soccer>({.id = 37,
                        .name = "soccer-v3",
                        .model = "sawyer_soccer.xml",
                        .objects = {{Body("soccer_ball"), Turn::kMatrix, Body("soccer_ball")}},
                        .goal_low = {-0.1, 0.8, 0.0},
                        .goal_high = {0.1, 0.9, 0.0},
                        .moves_bodies = true})};
}

}  // namespace envpool::metaworld
