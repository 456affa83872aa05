// Handle: press a handle down or pull it up, in front of the robot or beside it.
//
// Follows sawyer_handle_press_v3.py, sawyer_handle_press_side_v3.py, sawyer_handle_pull_v3.py and
// sawyer_handle_pull_side_v3.py.
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class HandlePress final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    World().MoveBody("box", Draw(random).first);
    SetJoint(-0.001);
    target_ = World().SiteAt("goalPress");
    object_start_ = ObjectPosition();
  }

  Outcome Judge(const Glance&) override {
    const Vector object = ObjectPosition();
    const double to_target = Height(object[2] - target_[2]);
    const double in_place =
        Tolerance(to_target, {0.0, 0.02}, std::abs(Height(object_start_[2] - target_[2]) - 0.02));
    const double to_object = Distance(object, Tcp());
    const double reached =
        Tolerance(to_object, {0.0, 0.02}, std::abs(Distance(object_start_, tcp_start_) - 0.02));
    const bool success = to_target <= 0.02;
    const double reward = success ? 1.0 : HamacherProduct(reached, in_place);
    return {.reward = reward * 10.0,
            .success = success,
            .near_object = to_object <= 0.05,
            .grasp_success = 1.0,
            .grasp_reward = reached,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  // numpy.linalg.norm of a number
  static double Height(double x) { return Norm({&x, 1}); }
};

class HandlePullEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("box", object_start_);
    SetJoint(-0.1);
    target_ = World().SiteAt("goalPull");
  }

  // `at_start` is what `to_target` was; `height` counts as how high the handle is.
  Outcome Tell(const Glance& glance, double to_target, double at_start, double height,
               const Grip& grip, double success) const {
    const Vector object = glance.Object();
    const double in_place = Tolerance(to_target, {0.0, 0.05}, at_start);
    const Number grasped = Enclosed(glance, object, grip);
    Number reward = HamacherProduct(grasped, in_place);
    const double to_object = Distance(object, Tcp());
    const bool is_open = glance.Opened() > 0.0;
    if (to_object < 0.035 && is_open && height - 0.01 > object_start_[2]) {
      reward += 1.0 + 5.0 * in_place;
    }
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= success,
            .near_object = to_object <= 0.05,
            .grasp_success = IsHigher(glance, 0.03),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

class HandlePull final : public HandlePullEnv {
 public:
  using HandlePullEnv::HandlePullEnv;

 private:
  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    return Tell(glance, std::abs(target_[2] - object[2]), std::abs(target_[2] - object_start_[2]),
                object[1],  // as in the original, where it should be object[2]
                {.radius = 0.022, .reach = 0.01, .pad = 0.05, .height = 0.01, .density = kHigh},
                0.05);
  }
};

class HandlePullSide final : public HandlePullEnv {
 public:
  using HandlePullEnv::HandlePullEnv;

 private:
  void Place(Random& random) override {
    HandlePullEnv::Place(random);
    object_start_ = ObjectPosition();
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    return Tell(glance, Distance(object, target_), Distance(object_start_, target_), object[2],
                {.radius = 0.032, .reach = 0.01, .pad = 0.06, .height = 0.01, .density = kHigh},
                0.08);
  }
};

SawyerTask InFront(int id, const char* name, const char* site, double highest) {
  return {.id = id,
          .name = name,
          .model = "sawyer_handle_press.xml",
          .objects = {{.place = Site(site)}},
          .places = 1,
          .goal_low = {-0.1, 0.55, 0.04},
          .goal_high = {0.1, 0.7, highest},
          .moves_bodies = true};
}

SawyerTask Beside(int id, const char* name, const char* site) {
  return {.id = id,
          .name = name,
          .model = "sawyer_handle_press_sideways.xml",
          .objects = {{.place = Site(site)}},
          .places = 1,
          .moves_bodies = true};
}

}  // namespace

SawyerTasks HandleTasks() {
  return {Task<HandlePress>(Beside(23, "handle-press-side-v3", "handleStart")),
          Task<HandlePress>(InFront(24, "handle-press-v3", "handleStart", 0.08)),
          Task<HandlePullSide>(Beside(25, "handle-pull-side-v3", "handleCenter")),
          Task<HandlePull>(InFront(26, "handle-pull-v3", "handleRight", 0.18))};
}

}  // namespace envpool::metaworld
