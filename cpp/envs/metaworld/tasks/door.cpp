// Door: open a door by its handle, or close it.
//
// Follows sawyer_door_v3.py and sawyer_door_close_v3.py.
#include <cmath>
#include <cstddef>
#include <numbers>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class DoorEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  // Sets the door up somewhere, at an angle in radians.
  void SetDoor(Random& random, const Vector& to_target, double angle) {
    object_start_ = Draw(random).first;
    target_ = object_start_ + to_target;
    World().MoveBody("door", object_start_);
    World().MoveSite("goal", target_);
    SetState(static_cast<std::size_t>(World().JointPosition("doorjoint")), {&angle, 1},
             static_cast<std::size_t>(World().JointVelocity("doorjoint")), 1);
  }
};

class DoorOpen final : public DoorEnv {
 public:
  using DoorEnv::DoorEnv;

 private:
  void Place(Random& random) override { SetDoor(random, {-0.3, -0.45, 0.0}, 0.0); }

  Outcome Judge(const Glance& glance) override {
    constexpr double kPi = std::numbers::pi;
    const double angle = World().JointAt("doorjoint");
    const double grab = GrabEffort(glance.effort);
    const double ready = Ready(glance.Hand(), glance.Object() + Vector{-0.05, 0.0, 0.0});
    const double opened = 0.2 * (angle < -kPi / 90.0 ? 1.0 : 0.0) +
                          0.8 * Tolerance(kPi / 2.0 + kPi / 6.0 - -angle, {0.0, 0.5}, kPi / 3.0);
    const bool success = std::abs(glance.Object()[0] - target_[0]) <= 0.08;
    const double reward = 2.0 * HamacherProduct(ready, grab) + 8.0 * opened;
    return {.reward = success ? 10.0 : reward,
            .success = success,
            .near_object = ready,
            .grasp_success = grab >= 0.5,
            .grasp_reward = grab,
            .in_place_reward = opened};
  }

  // How well the hand is at the handle, which it has to reach from above.
  static double Ready(const Vector& hand, const Vector& door) {
    const double height = SafeHeight(FlatDistance(hand, door), 0.12, 0.04, 0.4);
    const double above =
        hand[2] >= height ? 1.0 : Tolerance(height - hand[2], {0.0, 0.01}, height / 2.0);
    const double at_handle =
        Tolerance(Norm(hand - door - Vector{0.05, 0.03, -0.01}), {0.0, 0.12 / 2.0}, 0.5);
    return HamacherProduct(above, at_handle);
  }
};

class DoorClose final : public DoorEnv {
 public:
  using DoorEnv::DoorEnv;

 private:
  void Place(Random& random) override { SetDoor(random, {0.2, -0.2, 0.0}, -1.5708); }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double in_place =
        GaussianTolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const double hand_in_place = GaussianTolerance(Distance(Tcp(), target_), {0.0, 0.25 * 0.05},
                                                   Distance(HandStart(), object) + 0.1);
    return {.reward = to_target < 0.05 ? 10.0 : 3.0 * hand_in_place + 6.0 * in_place,
            .success = to_target <= 0.08,
            .near_object = 0.0,
            .grasp_success = 1.0,
            .grasp_reward = 1.0,
            .in_place_reward = hand_in_place,
            .obj_to_target = to_target};
  }
};

}  // namespace

SawyerTasks DoorTasks() {
  const Object handle = {Geom("handle"), Turn::kMatrix, Geom("handle")};
  return {Task<DoorOpen>({.id = 15,
                          .name = "door-open-v3",
                          .model = "sawyer_door_pull.xml",
                          .objects = {handle},
                          .places = 1,
                          .goal_low = {-0.3, 0.4, 0.1499},
                          .goal_high = {-0.2, 0.5, 0.1501},
                          .moves_bodies = true}),
          Task<DoorClose>({.id = 13,
                           .name = "door-close-v3",
                           .model = "sawyer_door_pull.xml",
                           .objects = {handle},
                           .places = 1,
                           .goal_low = {0.2, 0.65, 0.1499},
                           .goal_high = {0.3, 0.75, 0.1501},
                           .hand = Float32(-0.5F, 0.6F, 0.2F),
                           .moves_bodies = true})};
}

}  // namespace envpool::metaworld
