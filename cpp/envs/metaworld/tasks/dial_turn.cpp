// DialTurn: turn a dial by its mark.
//
// Follows sawyer_dial_turn_v3.py.
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class DialTurn final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    target_ = object_start_ + Vector{0.0, 0.03, 0.03};
    World().MoveBody("dial", object_start_);
    push_start_ = PushPosition();  // of the dial as the hand has found it
    World().MoveSite("goal", target_);
  }

  // The mark's, which is on the dial's edge.
  Vector ObjectPosition() const override {
    constexpr double kRadius = 0.05;
    const double angle = World().JointAt("knob_Joint_1");
    return World().BodyAt("dial") +
           Vector{std::sin(angle) * kRadius, -std::cos(angle) * kRadius, 0.0};
  }

  Vector PushPosition() const { return ObjectPosition() + Vector{0.05, 0.02, 0.09}; }

  Outcome Judge(const Glance& glance) override {
    const double to_target = Distance(ObjectPosition(), target_);
    const double in_place =
        Tolerance(to_target, {0.0, 0.07}, std::abs(Distance(push_start_, target_) - 0.07));
    const double to_object = Distance(PushPosition(), Tcp());
    const Number reached =
        HamacherProduct(GaussianTolerance(to_object, {0.0, 0.005},
                                          std::abs(Distance(push_start_, tcp_start_) - 0.005)),
                        Closed(glance, 1.0));
    return {.reward = 10.0 * HamacherProduct(reached, in_place),
            .success = to_target <= 0.07,
            .near_object = to_object <= 0.01,
            .grasp_success = 1.0,
            .grasp_reward = reached,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  void SerializeMore(Archive& archive) override { archive(push_start_); }

  Vector push_start_ = {};
};

}  // namespace

SawyerTasks DialTurnTasks() {
  return {Task<DialTurn>(
      {.id = 11,
       .name = "dial-turn-v3",
       .model = "sawyer_dial.xml",
       .objects = {{.place = Body("dial"), .turn = Turn::kQuaternion, .turned = Body("dial")}},
       .places = 1,
       .goal_low = {-0.1, 0.73, 0.0299},
       .goal_high = {0.1, 0.83, 0.0301},
       .hand = Float32(0.0F, 0.6F, 0.2F),
       .moves_bodies = true})};
}

}  // namespace envpool::metaworld
