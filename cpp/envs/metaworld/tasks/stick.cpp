// Stick: take a stick, and push a thermos with it or pull it by its handle.
//
// Follows sawyer_stick_push_v3.py and sawyer_stick_pull_v3.py.
#include <array>
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class StickEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  // `height` is the target's; `place` is where the joint is that the thermos slides along.
  void SetStick(Random& random, double height, double place) {
    const auto [stick, goal] = DrawApart(random);
    stick_start_ = {stick[0], stick[1], kHeight};
    target_ = {goal[0], goal[1], height};
    SetObject(stick_start_);
    SetState(16, std::array{0.0, place}, 16, 2);
    object_start_ = World().BodyAt("object");
    World().MoveSite("goal", target_);
  }

  // True if the fingers hold the stick and have lifted it so much above a height.
  bool HoldsStick(const Glance& glance, double by, double height) {
    return glance.Opened() > 0.0 && glance.Object()[2] - by > height && Touches("objGeom");
  }

  void SerializeMore(Archive& archive) override { archive(stick_start_); }

  static constexpr double kHeight = 0.02;
  Vector stick_start_ = {};
};

class StickPush final : public StickEnv {
 public:
  using StickEnv::StickEnv;

 private:
  void Place(Random& random) override { SetStick(random, World().SiteAt("insertion")[2], 0.0); }
  Vector GripStart() const override { return stick_start_; }

  Outcome Judge(const Glance& glance) override {
    constexpr double kRadius = 0.12;
    const Vector stick = glance.Object() + Vector{0.015, 0.0, 0.0};
    const Vector thermos = glance.Second();
    const double to_stick = Distance(stick, Tcp());
    const double in_place = Tolerance(Distance(stick, target_), {0.0, kRadius},
                                      Distance(stick_start_, target_) - kRadius);
    const double to_target = Distance(thermos, target_);
    const double thermos_in_place =
        Tolerance(to_target, {0.0, kRadius}, Distance(object_start_, target_) - kRadius);
    Number grasped =
        Enclosed(glance, stick,
                 {.radius = 0.04, .reach = 0.01, .pad = 0.05, .height = 0.01, .density = kHigh});
    Number reward = grasped;
    if (to_stick < 0.02 && glance.Opened() > 0.0 && stick[2] - 0.01 > stick_start_[2]) {
      grasped = 1.0;
      reward = 2.0 + 5.0 * in_place + 3.0 * thermos_in_place;
      if (to_target <= kRadius) reward = 10.0;
    }
    const bool is_held = HoldsStick(glance, 0.01, stick_start_[2]);
    return {.reward = reward,
            .success = is_held && to_target <= kRadius,
            .near_object = to_stick <= 0.03,
            .grasp_success = is_held,
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

class StickPull final : public StickEnv {
 public:
  using StickEnv::StickEnv;

 private:
  void Place(Random& random) override { SetStick(random, kHeight, 0.09); }

  Outcome Judge(const Glance& glance) override {
    constexpr Interval kNear = {0.0, 0.05};
    constexpr Vector kScale = {1.0, 1.0, 2.0};
    constexpr Vector kToMiddle = {0.05, 0.0, 0.0};
    const Vector stick = glance.Object();
    const Vector handle = glance.Second();
    const Vector thermos = handle + kToMiddle;
    const Vector thermos_start = object_start_ + kToMiddle;
    const double to_stick = Distance(stick, Tcp());
    const double to_target = Distance(handle, target_);
    const double in_place = Tolerance(Norm((stick - thermos) * kScale), kNear,
                                      Norm((stick_start_ - thermos_start) * kScale));
    const double stick_at_target =
        Tolerance(Distance(stick, target_), kNear, Distance(stick_start_, target_));
    const double thermos_at_target =
        Tolerance(Distance(thermos, target_), kNear, Distance(object_start_, target_));
    const bool is_held =
        to_stick < 0.02 && glance.Opened() > 0.0 && stick[2] - 0.01 > stick_start_[2];
    const Number grasped =
        is_held
            ? 1.0
            : Enclosed(
                  glance, stick,
                  {.radius = 0.014, .reach = 0.01, .pad = 0.05, .height = 0.01, .density = kHigh});
    Number reward = HamacherProduct(grasped, in_place);
    const bool is_inserted = IsInserted(handle);
    if (is_held) {
      reward = is_inserted ? 1.0 + reward + 5.0 + 2.0 * stick_at_target + 1.0 * thermos_at_target
                           : 1.0 + reward + 5.0 * in_place;
      if (is_inserted && to_target <= 0.12) reward = 10.0;
    }
    return {.reward = reward,
            .success = is_inserted && to_target <= 0.12,
            .near_object = to_stick <= 0.03,
            .grasp_success = HoldsStick(glance, 0.02, object_start_[2]),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  bool IsInserted(const Vector& handle) const {
    const Vector end = World().SiteAt("stick_end");
    return end[0] >= handle[0] && std::abs(end[1] - handle[1]) <= 0.04 &&
           std::abs(end[2] - handle[2]) <= 0.06;
  }
};

}  // namespace

SawyerTasks StickTasks() {
  const Object stick = {Body("stick"), Turn::kMatrix, Body("stick")};
  return {Task<StickPush>(
              {.id = 38,
               .name = "stick-push-v3",
               .model = "sawyer_stick_obj.xml",
               .objects = {stick, {.place = Site("insertion"), .offset = Vector{0.0, 0.09, 0.0}}},
               .goal_low = {0.399, 0.55, 0.1319},
               .goal_high = {0.401, 0.6, 0.1321}}),
          Task<StickPull>({.id = 39,
                           .name = "stick-pull-v3",
                           .model = "sawyer_stick_obj.xml",
                           .objects = {stick, {.place = Site("insertion")}},
                           .goal_low = {0.35, 0.45, 0.0199},
                           .goal_high = {0.45, 0.55, 0.0201},
                           .hand_low = {-0.5, 0.35, 0.05}})};
}

}  // namespace envpool::metaworld
