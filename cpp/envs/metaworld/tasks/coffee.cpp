// Coffee: press the button of a coffee machine, put a mug under it or take it away.
//
// Follows sawyer_coffee_button_v3.py, sawyer_coffee_push_v3.py and sawyer_coffee_pull_v3.py.
#include "metaworld/press.h"

namespace envpool::metaworld {

namespace {

// How far the mug is in front of the machine.
constexpr Vector kInFront = {0.0, 0.22, 0.0};
constexpr double kWay = 0.03;  // of the button

class CoffeeButton final : public PressEnv {
 public:
  CoffeeButton(const Options& options, const SawyerTask& task) : PressEnv(options, task, 1) {}

 private:
  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("coffee_machine", object_start_);
    SetState(0, object_start_ + Vector{0.0, -0.22, 0.0}, 9, 6);
    const Vector button = object_start_ + Vector{0.0, -0.22, 0.3};
    SetTarget(button + Vector{0.0, kWay, 0.0}, kWay);
  }

  Outcome Judge(const Glance& glance) override {
    const Press press = Look(glance, 0.05);
    double reward = 2.0 * HamacherProduct(glance.Opened(), press.near);
    if (press.to_object <= 0.05) reward += 8.0 * press.pressed;
    return Tell(glance, press, reward, 0.02);
  }
};

class Mug : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void Place(Random& random) override {
    const auto [mug, goal] = DrawApart(random);
    SetState(0, mug, 9, 6);
    object_start_ = mug;
    target_ = goal;
    World().MoveBody("coffee_machine", (IsPushed() ? goal : mug) + kInFront);
    World().MoveSite("mug_goal", target_);
  }
  virtual bool IsPushed() const = 0;

 private:
  Outcome Judge(const Glance& glance) override {
    constexpr Vector kScale = {2.0, 2.0, 1.0};
    const Vector object = glance.Object();
    const double to_target = Norm((object - target_) * kScale);
    const double in_place =
        Tolerance(to_target, {0.0, 0.05}, Norm((object_start_ - target_) * kScale));
    const double to_object = Distance(object, Tcp());
    const Number grasped = Enclosed(glance, object,
                                    {.radius = 0.02,
                                     .reach = 0.04,
                                     .pad = 0.05,
                                     .height = 0.05,
                                     .effort = 0.7,
                                     .density = kMedium});
    Number reward = HamacherProduct(grasped, in_place);
    const bool is_open = glance.Opened() > 0.0;
    if (to_object < 0.04 && is_open) reward += 1.0 + 5.0 * in_place;
    if (to_target < 0.05) reward = 10.0;
    const double distance = Distance(object, target_);
    return {.reward = reward,
            .success = distance <= 0.07,
            .near_object = to_object <= 0.03,
            .grasp_success = is_open && Touches("mug"),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = distance};
  }
};

class CoffeePush final : public Mug {
 public:
  using Mug::Mug;

 private:
  bool IsPushed() const override { return true; }
};

class CoffeePull final : public Mug {
 public:
  using Mug::Mug;

 private:
  bool IsPushed() const override { return false; }
};

}  // namespace

SawyerTasks CoffeeTasks() {
  const Vector hand = {0.0, 0.4, 0.2};
  const Object mug = {Body("obj"), Turn::kMatrix, Geom("mug")};
  const char* const model = "sawyer_coffee.xml";
  return {Task<CoffeeButton>({.id = 8,
                              .name = "coffee-button-v3",
                              .model = model,
                              .objects = {{Site("buttonStart"), Turn::kNone}},
                              .places = 1,
                              .goal_low = {-0.1 - 0.001, 0.8 + (-0.22 + kWay), -0.001 + 0.299},
                              .goal_high = {0.1 + 0.001, 0.9 + (-0.22 + kWay), 0.001 + 0.301},
                              .hand = hand,
                              .moves_bodies = true}),
          Task<CoffeePull>({.id = 9,
                            .name = "coffee-pull-v3",
                            .model = model,
                            .objects = {mug},
                            .goal_low = {-0.1, 0.55, -0.001},
                            .goal_high = {0.1, 0.65, 0.001},
                            .hand = hand,
                            .moves_bodies = true}),
          Task<CoffeePush>({.id = 10,
                            .name = "coffee-push-v3",
                            .model = model,
                            .objects = {mug},
                            .goal_low = {-0.05, 0.7, -0.001},
                            .goal_high = {0.05, 0.75, 0.001},
                            .hand = hand,
                            .moves_bodies = true})};
}

}  // namespace envpool::metaworld
