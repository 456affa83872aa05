// Sweep: sweep a block off the table, or into a hole.
//
// Follows sawyer_sweep_v3.py and sawyer_sweep_into_goal_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class SweepEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void SetBlock(const Vector& at, const Vector& target) {
    object_start_ = at;
    target_ = target;
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  // `slack` and `margin` are how near the fingers are to be.
  Outcome Tell(const Glance& glance, const Vector& target, double slack, double margin) {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target);
    const double in_place = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target));
    const double grasped = EnclosedBySides(object, 0.02, slack, margin);
    const double reward = 2.0 * grasped + 6.0 * HamacherProduct(grasped, in_place);
    return {.reward = to_target < 0.05 ? 10.0 : reward,
            .success = to_target <= 0.05,
            .near_object = Distance(object, Tcp()) <= 0.03,
            .grasp_success = glance.Opened() > 0.0 && Touches("objGeom"),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

class Sweep final : public SweepEnv {
 public:
  using SweepEnv::SweepEnv;

 private:
  void Place(Random& random) override {
    const Vector block = Draw(random).first;
    SetBlock({block[0], block[1], 0.02}, {0.5, block[1], 0.01});
  }
  Outcome Judge(const Glance& glance) override { return Tell(glance, target_, 0.01, 0.005); }
};

class SweepInto final : public SweepEnv {
 public:
  using SweepEnv::SweepEnv;

 private:
  void Place(Random& random) override {
    constexpr Vector kHole = {0.0, 0.84, 0.02};
    const double height = ObjectPosition()[2];  // where it has come to rest
    const Vector block = DrawApart(random, &kHole).first;
    SetBlock({block[0], block[1], height}, kHole);
  }
  Outcome Judge(const Glance& glance) override {
    return Tell(glance, {target_[0], target_[1], glance.Object()[2]}, 0.005, 0.01);
  }
};

}  // namespace

SawyerTasks SweepTasks() {
  return {Task<SweepInto>({.id = 46,
                           .name = "sweep-into-v3",
                           .model = "sawyer_table_with_hole.xml",
                           .objects = {{Body("obj"), Turn::kMatrix, Geom("objGeom")}},
                           .goal_low = {-0.001, 0.8399, 0.0199},
                           .goal_high = {0.001, 0.8401, 0.0201}}),
          Task<Sweep>({.id = 47,
                       .name = "sweep-v3",
                       .model = "sawyer_sweep_v3.xml",
                       .objects = {{Body("obj"), Turn::kQuaternion, Body("obj")}},
                       .places = 1,
                       .goal_low = {0.49, 0.6, 0.0},
                       .goal_high = {0.51, 0.7, 0.02}})};
}

}  // namespace envpool::metaworld
