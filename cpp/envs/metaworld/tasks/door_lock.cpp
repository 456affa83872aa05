// DoorLock: turn the lock of a door, to lock it or to unlock it.
//
// Follows sawyer_door_lock_v3.py and sawyer_door_unlock_v3.py.
#include <cmath>
#include <utility>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

constexpr double kLockWay = 0.1;  // of the lock
constexpr Vector kScale = {0.25, 1.0, 0.5};

class DoorLock final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    World().MoveBody("door", Draw(random).first);
    World().Step(FrameSkip());
    target_ = World().BodyAt("lock_link") + Vector{0.0, -0.04, -0.1};
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_object = Norm((object - LeftPad()) * kScale);
    const double to_target = std::abs(target_[2] - object[2]);
    // The original means where the pad began, but keeps where it is now.
    const double near = Tolerance(to_object, {0.0, 0.01}, to_object);
    const double locked = Tolerance(to_target, {0.0, 0.005}, kLockWay);
    return {.reward = 2.0 * HamacherProduct(glance.Opened(), near) + 8.0 * locked,
            .success = to_target <= 0.02,
            .near_object = to_object <= 0.05,
            .grasp_success = glance.Opened() > 0.0,
            .grasp_reward = near,
            .in_place_reward = locked,
            .obj_to_target = to_target};
  }
};

class DoorUnlock final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    World().MoveBody("door", Draw(random).first);
    SetJoint(1.5708);
    target_ = World().BodyAt("lock_link") + Vector{0.1, -0.04, 0.0};
  }

  Outcome Judge(const Glance& glance) override {
    constexpr Vector kShoulder = {0.0, 0.055, 0.07};
    const Vector lock = glance.Object();
    const double to_lock = Norm((glance.Hand() + kShoulder - lock) * kScale);
    // The original means where the lock began, but keeps where it is now.
    const Vector start = World().BodyAt("lock_link");
    const double ready =
        Tolerance(to_lock, {0.0, 0.02}, Norm((tcp_start_ + kShoulder - start) * kScale));
    const double to_target = std::abs(target_[0] - lock[0]);
    const double pushed = Tolerance(to_target, {0.0, 0.005}, kLockWay);
    return {.reward = 2.0 * ready + 8.0 * pushed,
            .success = to_target <= 0.02,
            .near_object = to_lock <= 0.05,
            .grasp_success = glance.Opened() > 0.0,
            .grasp_reward = ready,
            .in_place_reward = pushed,
            .obj_to_target = to_target};
  }
};

SawyerTask Locked(int id, const char* name, const char* site, Numbers goal_low = {},
                  Numbers goal_high = {}) {
  return {.id = id,
          .name = name,
          .model = "sawyer_door_lock.xml",
          .objects = {{Site(site), Turn::kQuaternion, Body("door_link")}},
          .places = 1,
          .goal_low = std::move(goal_low),
          .goal_high = std::move(goal_high),
          .hand = Float32(0.0F, 0.6F, 0.2F),
          .hand_low = {-0.5, 0.4, -0.15},
          .moves_bodies = true};
}

}  // namespace

SawyerTasks DoorLockTasks() {
  return {Task<DoorLock>(Locked(14, "door-lock-v3", "lockStartLock")),
          Task<DoorUnlock>(Locked(16, "door-unlock-v3", "lockStartUnlock", {0.0, 0.64, 0.21},
                                  {0.2, 0.7, 0.2111}))};
}

}  // namespace envpool::metaworld
