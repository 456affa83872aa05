// Window: slide a window open, or closed.
//
// Follows sawyer_window_open_v3.py and sawyer_window_close_v3.py.
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class WindowEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void SetWindow(Random& random, const Vector& to_target, double opened) {
    object_start_ = Draw(random).first;
    target_ = object_start_ + to_target;
    World().MoveBody("window", object_start_);
    handle_start_ = ObjectPosition();  // of the window as the hand has found it
    World().Data().qpos[World().JointPosition("window_slide")] = opened;
    World().MoveSite("goal", target_);
  }

  Outcome Tell(double start, double (*reach)(double, const Interval&, double)) {
    const Vector object = ObjectPosition();
    const double to_target = Along(object[0] - target_[0]);
    const double in_place =
        Tolerance(to_target, {0.0, 0.05}, std::abs(Along(start - target_[0]) - 0.05));
    const double to_object = Distance(object, Tcp());
    const double reached =
        reach(to_object, {0.0, 0.02}, std::abs(Distance(handle_start_, tcp_start_) - 0.02));
    return {.reward = 10.0 * HamacherProduct(reached, in_place),
            .success = to_target <= 0.05,
            .near_object = to_object <= 0.05,
            .grasp_success = 1.0,
            .grasp_reward = reached,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  // numpy.linalg.norm of a number
  static double Along(double x) { return Norm({&x, 1}); }

  void SerializeMore(Archive& archive) override { archive(handle_start_); }

  Vector handle_start_ = {};
};

class WindowOpen final : public WindowEnv {
 public:
  using WindowEnv::WindowEnv;

 private:
  void Place(Random& random) override { SetWindow(random, {0.2, 0.0, 0.0}, 0.0); }
  Outcome Judge(const Glance&) override { return Tell(object_start_[0], Tolerance); }
};

class WindowClose final : public WindowEnv {
 public:
  using WindowEnv::WindowEnv;

 private:
  void Place(Random& random) override {
    SetWindow(random, {}, 0.2);
    handle_start_ = handle_start_ + Vector{0.2, 0.0, 0.0};
  }
  Outcome Judge(const Glance&) override { return Tell(handle_start_[0], GaussianTolerance); }
};

}  // namespace

SawyerTasks WindowTasks() {
  const Vector hand = Float32(0.0F, 0.4F, 0.2F);
  return {Task<WindowOpen>({.id = 48,
                            .name = "window-open-v3",
                            .model = "sawyer_window_horizontal.xml",
                            .objects = {{.place = Site("handleOpenStart")}},
                            .places = 1,
                            .hand = hand,
                            .moves_bodies = true}),
          Task<WindowClose>({.id = 49,
                             .name = "window-close-v3",
                             .model = "sawyer_window_horizontal.xml",
                             .objects = {{.place = Site("handleCloseStart")}},
                             .places = 1,
                             .hand = hand,
                             .moves_bodies = true})};
}

}  // namespace envpool::metaworld
