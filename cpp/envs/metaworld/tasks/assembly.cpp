// Assembly: put a wrench's ring over a peg, or take it off.
//
// Follows sawyer_assembly_peg_v3.py and sawyer_disassemble_peg_v3.py.
#include <algorithm>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class WrenchEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  Outcome Tell(const Glance& glance, Grip::Density density, double in_place, bool success) const {
    const double turned = std::max(1.0 - glance.TurnError({0.707, 0.0, 0.0, 0.707}) / 0.4, 0.0);
    const Number grasped =
        Enclosed(glance, NearestAlongX(glance, 0.02),
                 {.radius = 0.015, .reach = 0.01, .pad = 0.02, .height = 0.01, .density = density});
    const Number reward = success ? 10.0 : (2.0 * grasped + 6.0 * in_place) * turned;
    return {.reward = reward,
            .success = success,
            .near_object = turned,
            .grasp_success = grasped >= 0.5,
            .grasp_reward = grasped,
            .in_place_reward = in_place};
  }
};

class Assembly final : public WrenchEnv {
 public:
  using WrenchEnv::WrenchEnv;

 private:
  void Place(Random& random) override {
    const Drawn drawn = DrawApart(random);
    object_start_ = drawn.first;
    target_ = drawn.last;
    SetObject(object_start_);
    World().MoveBody("peg", target_ - Vector{0.0, 0.0, 0.05});
    World().MoveSite("pegTop", target_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector ring = World().SiteAt("RoundNut");
    Vector error = target_ - ring;
    const double radius = FlatDistance(target_, ring);
    const bool success = radius < 0.02 && error[2] > 0.0;
    const double near = success ? 0.02 : 0.01;
    error[2] = SafeHeight(radius, near, 0.02, 0.2) - ring[2];
    constexpr Vector kScale = {1.0, 1.0, 3.0};
    const bool is_lifted = ring[2] > 0.02 || radius < near;
    const double in_place =
        0.1 * (is_lifted ? 1.0 : 0.0) + 0.9 * Tolerance(Norm(error * kScale), {0.0, 0.02}, 0.4);
    return Tell(glance, kMedium, in_place, success);
  }
};

class Disassemble final : public WrenchEnv {
 public:
  using WrenchEnv::WrenchEnv;

 private:
  void Place(Random& random) override {
    object_start_ = DrawApart(random).first;
    target_ = object_start_ + Vector{0.0, 0.0, 0.15};
    World().MoveBody("peg", object_start_ + Vector{0.0, 0.0, 0.03});
    World().MoveSite("pegTop", object_start_ + Vector{0.0, 0.0, 0.08});
    SetObject(object_start_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector ring = World().SiteAt("RoundNut");
    const Vector error = target_ + Vector{0.0, 0.0, 0.1} - ring;
    const double in_place =
        0.1 * (ring[2] > 0.02 ? 1.0 : 0.0) + 0.9 * Tolerance(Norm(error), {0.0, 0.02}, 0.2);
    return Tell(glance, kHigh, in_place, glance.Object()[2] > target_[2]);
  }
};

}  // namespace

SawyerTasks AssemblyTasks() {
  const Object wrench = {Site("RoundNut-8"), Turn::kQuaternion, Body("RoundNut")};
  return {Task<Assembly>({.id = 0,
                          .name = "assembly-v3",
                          .model = "sawyer_assembly_peg.xml",
                          .objects = {wrench},
                          .goal_low = {-0.1, 0.75, 0.1},
                          .goal_high = {0.1, 0.85, 0.1},
                          .hand = Float32(0.0F, 0.6F, 0.2F),
                          .moves_bodies = true}),
          Task<Disassemble>({.id = 12,
                             .name = "disassemble-v3",
                             .model = "sawyer_assembly_peg.xml",
                             .objects = {wrench},
                             .goal_low = {-0.1, 0.6, 0.1699 + 0.005},
                             .goal_high = {0.1, 0.75, 0.1701 + 0.005},
                             .hand = Float32(0.0F, 0.4F, 0.2F),
                             .moves_bodies = true})};
}

}  // namespace envpool::metaworld
