// PickPlace: carry a puck to a place, over a wall or without one.
//
// Follows sawyer_pick_place_v3.py and sawyer_pick_place_wall_v3.py.
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class PickPlaceEnv : public SawyerEnv {
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

  Outcome Tell(const Glance& glance, Number reward, Number grasped, double in_place) {
    const double to_target = Distance(glance.Object(), target_);
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.07,
            .near_object = Distance(glance.Object(), Tcp()) <= 0.03,
            .grasp_success = Lifts(glance, 0.02),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

class PickPlace final : public PickPlaceEnv {
 public:
  using PickPlaceEnv::PickPlaceEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double in_place =
        Tolerance(Distance(object, target_), {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped = Grasped(glance, object);
    Number reward = HamacherProduct(grasped, in_place);
    if (Distance(object, Tcp()) < 0.02 && IsHigher(glance, 0.01)) reward += 1.0 + 5.0 * in_place;
    return Tell(glance, reward, grasped, in_place);
  }

  Number Grasped(const Glance& glance, const Vector& object) const {
    const Number enclosed =
        HamacherProduct(SidesEnclosed(object, {0.015, 0.05}), AlignedWith(object, 0.005));
    const Number gripped = enclosed > 0.97 ? Closed(glance, 1.0) : 0.0;
    return (HamacherProduct(enclosed, gripped) + enclosed) / 2.0;
  }
};

class PickPlaceWall final : public PickPlaceEnv {
 public:
  using PickPlaceEnv::PickPlaceEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const Vector above_wall = {target_[0], 0.77, 0.25};
    constexpr Vector kScale = {1.0, 1.0, 3.0};
    const double above = Tolerance(Norm((object - above_wall) * kScale), {0.0, 0.05},
                                   Norm((object_start_ - above_wall) * kScale));
    const double in_place =
        Tolerance(Distance(object, target_), {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped =
        Enclosed(glance, object, {.radius = 0.015, .reach = 0.01, .pad = 0.05, .height = 0.005});
    Number reward = HamacherProduct(grasped, above);
    if (Distance(object, Tcp()) < 0.02 && IsHigher(glance, 0.015)) {
      reward += 1.0;
      reward = object[1] > 0.75 ? reward + 4.0 + 3.0 * in_place : reward + 4.0 * above;
    }
    return Tell(glance, reward, grasped, in_place);
  }
};

}  // namespace

SawyerTasks PickPlaceTasks() {
  return {Task<PickPlace>({.id = 30,
                           .name = "pick-place-v3",
                           .model = "sawyer_pick_place_v3.xml",
                           .objects = {{Body("obj"), Turn::kMatrix, Geom("objGeom")}},
                           .goal_low = {-0.1, 0.8, 0.05},
                           .goal_high = {0.1, 0.9, 0.3}}),
          Task<PickPlaceWall>({.id = 28,
                               .name = "pick-place-wall-v3",
                               .model = "sawyer_pick_place_wall_v3.xml",
                               .objects = {{Geom("objGeom"), Turn::kMatrix, Geom("objGeom")}},
                               .goal_low = {-0.05, 0.85, 0.05},
                               .goal_high = {0.05, 0.9, 0.3}})};
}

}  // namespace envpool::metaworld
