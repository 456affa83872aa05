// ButtonPress: press a button from the front or from above, behind a wall or without one.
//
// Follows sawyer_button_press_v3.py, sawyer_button_press_wall_v3.py,
// sawyer_button_press_topdown_v3.py and sawyer_button_press_topdown_wall_v3.py.
#include "envpool/numpy_math.h"
#include "metaworld/press.h"

namespace envpool::metaworld {

namespace {

class FromFront : public PressEnv {
 public:
  FromFront(const Options& options, const SawyerTask& task) : PressEnv(options, task, 1) {}

 protected:
  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("box", object_start_);
    SetJoint(0.0);
    SetTarget(World().SiteAt("hole"));
  }
};

class ButtonPress final : public FromFront {
 public:
  using FromFront::FromFront;

 private:
  Outcome Judge(const Glance& glance) override {
    const Press press = Look(glance, 0.05);
    double reward = 2.0 * HamacherProduct(glance.Opened(), press.near);
    if (press.to_object <= 0.05) reward += 8.0 * press.pressed;
    return Tell(glance, press, reward, 0.02);
  }
};

class ButtonPressWall final : public FromFront {
 public:
  using FromFront::FromFront;

 private:
  Outcome Judge(const Glance& glance) override {
    const Press press = Look(glance, 0.01);
    const double opened = glance.Opened();
    const double reward = press.to_object > 0.07
                              ? 2.0 * HamacherProduct((1.0 - opened) / 2.0, press.near)
                              : 2.0 + 2.0 * (1.0 + opened) + 4.0 * numpy::Power(press.pressed, 2.0);
    return Tell(glance, press, reward, 0.03);
  }
};

// Where the fingers should be open behind a wall, and closed without one.
template <bool kHasWall>
class FromAbove final : public PressEnv {
 public:
  FromAbove(const Options& options, const SawyerTask& task) : PressEnv(options, task, 2) {}

 private:
  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("box", object_start_);
    World().Look();
    SetTarget(World().SiteAt("hole"));
  }

  Outcome Judge(const Glance& glance) override {
    const Press press = Look(glance, 0.01);
    const double opened = kHasWall ? glance.Opened() : 1.0 - glance.Opened();
    double reward = 5.0 * HamacherProduct(opened, press.near);
    if (press.to_object <= 0.03) reward += 5.0 * press.pressed;
    return Tell(glance, press, reward, 0.024);
  }
};

}  // namespace

SawyerTasks ButtonPressTasks() {
  const Vector hand = Float32(0.0F, 0.4F, 0.2F);
  const auto button = [](const Vector& offset) -> Object {
    return {Body("button"), Turn::kQuaternion, Body("button"), offset};
  };
  return {Task<FromAbove<false>>({.id = 4,
                                  .name = "button-press-topdown-v3",
                                  .model = "sawyer_button_press_topdown.xml",
                                  .objects = {button({0.0, 0.0, 0.193})},
                                  .places = 1,
                                  .hand = hand,
                                  .moves_bodies = true}),
          Task<FromAbove<true>>({.id = 5,
                                 .name = "button-press-topdown-wall-v3",
                                 .model = "sawyer_button_press_topdown_wall.xml",
                                 .objects = {button({0.0, 0.0, 0.193})},
                                 .places = 1,
                                 .hand = hand,
                                 .moves_bodies = true}),
          Task<ButtonPress>({.id = 6,
                             .name = "button-press-v3",
                             .model = "sawyer_button_press.xml",
                             .objects = {button({0.0, -0.193, 0.0})},
                             .places = 1,
                             .hand = hand,
                             .moves_bodies = true}),
          Task<ButtonPressWall>({.id = 7,
                                 .name = "button-press-wall-v3",
                                 .model = "sawyer_button_press_wall.xml",
                                 .objects = {button({0.0, -0.193, 0.0})},
                                 .places = 1,
                                 .hand = hand,
                                 .moves_bodies = true})};
}

}  // namespace envpool::metaworld
