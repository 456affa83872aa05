// Reach: move the gripper to a place, with a wall in between or without.
//
// Follows sawyer_reach_v3.py and sawyer_reach_wall_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class Reach : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void Place(Random& random) override {
    const Drawn drawn = DrawApart(random);
    object_start_ = drawn.first;
    target_ = drawn.last;
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance&) override {
    const double distance = Distance(Tcp(), target_);
    const double in_place = Tolerance(distance, {0.0, 0.05}, Distance(HandStart(), target_));
    return {.reward = 10.0 * in_place,
            .success = distance <= 0.05,
            .near_object = distance,
            .grasp_success = 1.0,
            .grasp_reward = distance,
            .in_place_reward = in_place,
            .obj_to_target = distance};
  }
};

class ReachWall final : public Reach {
 public:
  using Reach::Reach;

 private:
  Outcome Judge(const Glance& glance) override {
    Outcome outcome = Reach::Judge(glance);
    outcome.near_object = outcome.grasp_success = outcome.grasp_reward = 0.0;
    return outcome;
  }
};

}  // namespace

SawyerTasks ReachTasks() {
  const Object object = {Body("obj"), Turn::kMatrix, Geom("objGeom")};
  return {Task<Reach>({.id = 43,
                       .name = "reach-v3",
                       .model = "sawyer_reach_v3.xml",
                       .objects = {object},
                       .goal_low = {-0.1, 0.8, 0.05},
                       .goal_high = {0.1, 0.9, 0.3}}),
          Task<ReachWall>({.id = 44,
                           .name = "reach-wall-v3",
                           .model = "sawyer_reach_wall_v3.xml",
                           .objects = {object},
                           .goal_low = {-0.05, 0.85, 0.05},
                           .goal_high = {0.05, 0.9, 0.3}})};
}

}  // namespace envpool::metaworld
