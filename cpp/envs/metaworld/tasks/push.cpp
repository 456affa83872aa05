// Push: move a puck to a place on the table, around a wall, or back towards the robot.
//
// Follows sawyer_push_v3.py, sawyer_push_wall_v3.py and sawyer_push_back_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class PushEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void Place(Random& random) override {
    const double height = ObjectPosition()[2];  // where it has come to rest
    const auto [object, goal] = DrawApart(random);
    object_start_ = {object[0], object[1], height};
    target_ = {goal[0], goal[1], height};
    SetObject(object_start_);
    World().MoveSite("goal", target_);
  }

  // What all of them tell; `success` is how near the target is enough.
  Outcome Tell(const Glance& glance, Number reward, Number grasped, double in_place,
               double success) {
    const double to_target = Distance(glance.Object(), target_);
    return {.reward = reward,
            .success = to_target <= success,
            .near_object = Distance(glance.Object(), Tcp()) <= 0.03,
            .grasp_success = Lifts(glance, 0.02),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  static constexpr Grip kGrip = {
      .radius = 0.015, .reach = 0.01, .pad = 0.05, .height = 0.005, .density = kHigh};
};

class Push final : public PushEnv {
 public:
  using PushEnv::PushEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double in_place = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped = Enclosed(glance, object, kGrip);
    Number reward = 2.0 * grasped;
    if (Distance(object, Tcp()) < 0.02 && glance.Opened() > 0.0) {
      reward += 1.0 + reward + 5.0 * in_place;
    }
    if (to_target < 0.05) reward = 10.0;
    return Tell(glance, reward, grasped, in_place, 0.05);
  }
};

class PushWall final : public PushEnv {
 public:
  using PushEnv::PushEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const Vector beside_wall = {-0.05, 0.77, object[2]};
    constexpr Vector kScale = {3.0, 1.0, 1.0};
    const double to_target = Distance(object, target_);
    const double beside = Tolerance(Norm((object - beside_wall) * kScale), {0.0, 0.05},
                                    Norm((object_start_ - beside_wall) * kScale));
    const double in_place = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped = Enclosed(glance, object, kGrip);
    Number reward = 2.0 * grasped;
    if (Distance(object, Tcp()) < 0.02 && glance.Opened() > 0.0) {
      reward += 1.0;
      reward = object[1] > 0.75 ? reward + 4.0 + 3.0 * in_place : reward + 4.0 * beside;
    }
    if (to_target < 0.05) reward = 10.0;
    return Tell(glance, reward, grasped, in_place, 0.07);
  }
};

class PushBack final : public PushEnv {
 public:
  using PushEnv::PushEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double at_start = Distance(object_start_, target_);
    const double in_place = Tolerance(to_target, {0.0, 0.05}, at_start);
    const double grasped = EnclosedBySides(object, 0.007, 0.003, 0.01);
    Number reward = HamacherProduct(grasped, in_place);
    const bool is_held = glance.Opened() > 0.0 && glance.Opened() < 0.55;
    if (Distance(object, Tcp()) < 0.01 && is_held && at_start - to_target > 0.01) {
      reward += 1.0 + 5.0 * in_place;
    }
    if (to_target < 0.05) reward = 10.0;
    return Tell(glance, reward, grasped, in_place, 0.07);
  }
};

}  // namespace

SawyerTasks PushTasks() {
  const Object puck = {Geom("objGeom"), Turn::kMatrix, Geom("objGeom")};
  return {Task<Push>({.id = 40,
                      .name = "push-v3",
                      .model = "sawyer_push_v3.xml",
                      .objects = {{Body("obj"), Turn::kMatrix, Geom("objGeom")}},
                      .goal_low = {-0.1, 0.8, 0.01},
                      .goal_high = {0.1, 0.9, 0.02}}),
          Task<PushWall>({.id = 41,
                          .name = "push-wall-v3",
                          .model = "sawyer_push_wall_v3.xml",
                          .objects = {puck},
                          .goal_low = {-0.05, 0.85, 0.01},
                          .goal_high = {0.05, 0.9, 0.02}}),
          Task<PushBack>({.id = 42,
                          .name = "push-back-v3",
                          .model = "sawyer_push_back_v3.xml",
                          .objects = {puck},
                          .goal_low = {-0.1, 0.6, 0.0199},
                          .goal_high = {0.1, 0.7, 0.0201},
                          .hand = Float32(0.0F, 0.6F, 0.2F)})};
}

}  // namespace envpool::metaworld
