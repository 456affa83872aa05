// Drawer: open a drawer by its handle, or close it.
//
// Follows sawyer_drawer_open_v3.py and sawyer_drawer_close_v3.py.
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class DrawerOpen final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  static constexpr double kWay = 0.2;

  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("drawer", object_start_);
    target_ = object_start_ + Vector{0.0, -0.16 - kWay, 0.09};
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    constexpr Vector kScale = {3.0, 3.0, 1.0};
    const Vector handle = glance.Object();
    const double to_target = Distance(handle, target_);
    const double opened = Tolerance(to_target, {0.0, 0.02}, kWay);
    const Vector handle_start = target_ + Vector{0.0, kWay, 0.0};
    const double caged = Tolerance(Norm((handle - glance.Hand()) * kScale), {0.0, 0.01},
                                   Norm((handle_start - tcp_start_) * kScale));
    return {.reward = (caged + opened) * 5.0,
            .success = to_target <= 0.03,
            .near_object = Distance(handle, glance.Hand()) <= 0.03,
            .grasp_success = glance.Opened() > 0.0,
            .grasp_reward = caged,
            .in_place_reward = opened,
            .obj_to_target = to_target};
  }
};

class DrawerClose final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    const Vector drawer = Draw(random).first;
    World().MoveBody("drawer", drawer);
    target_ = drawer + Vector{0.0, -0.16, 0.09};
    constexpr double kOpen[] = {-0.15};
    SetState(9, kOpen, 9, 0);
    object_start_ = ObjectPosition();
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const Vector tcp = Tcp();
    const double to_target = Distance(object, target_);
    const double in_place =
        Tolerance(to_target, {0.0, 0.05}, std::abs(Distance(object_start_, target_) - 0.05));
    const double to_object = Distance(object, tcp);
    const Number reached =
        HamacherProduct(GaussianTolerance(to_object, {0.0, 0.005},
                                          std::abs(Distance(object_start_, tcp_start_) - 0.005)),
                        Closed(glance, 1.0));
    const bool success = to_target <= 0.05 + 0.015;
    const Number reward = success ? 1.0 : HamacherProduct(reached, in_place);
    return {.reward = reward * 10.0,
            .success = success,
            .near_object = to_object <= 0.01,
            .grasp_success = 1.0,
            .grasp_reward = reached,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

}  // namespace

SawyerTasks DrawerTasks() {
  const Vector hand = Float32(0.0F, 0.6F, 0.2F);
  return {Task<DrawerClose>(
              {.id = 18,
               .name = "drawer-close-v3",
               .model = "sawyer_drawer.xml",
               .objects = {{.place = Body("drawer_link"), .offset = Vector{0.0, -0.16, 0.05}}},
               .places = 1,
               .hand = hand,
               .moves_bodies = true}),
          Task<DrawerOpen>({.id = 19,
                            .name = "drawer-open-v3",
                            .model = "sawyer_drawer.xml",
                            .objects = {{Body("drawer_link"), Turn::kQuaternion,
                                         Body("drawer_link"), Vector{0.0, -0.16, 0.0}}},
                            .places = 1,
                            .hand = hand,
                            .moves_bodies = true})};
}

}  // namespace envpool::metaworld
