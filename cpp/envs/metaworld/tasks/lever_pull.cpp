// LeverPull: pull a lever up, with the forearm below it.
//
// Follows sawyer_lever_pull_v3.py.
#include <cmath>
#include <numbers>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class LeverPull final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  static constexpr double kRadius = 0.2;

  void Place(Random& random) override {
    object_start_ = Draw(random).first;
    World().MoveBody("lever", object_start_);
    target_ = object_start_ + Vector{0.12, 0.0, 0.25 + kRadius};
    World().MoveSite("goal", target_);
  }

  Outcome Judge(const Glance& glance) override {
    constexpr double kPi = std::numbers::pi;
    constexpr Vector kScale = {4.0, 1.0, 4.0};
    constexpr Vector kShoulder = {0.0, 0.055, 0.07};
    const Vector lever = glance.Object();
    const Vector lever_start = object_start_ + Vector{0.12, -kRadius, 0.25};
    const double to_lever = Norm((glance.Hand() + kShoulder - lever) * kScale);
    const double ready =
        Tolerance(to_lever, {0.0, 0.02}, Norm((tcp_start_ + kShoulder - lever_start) * kScale));
    const double error = std::abs(-World().JointAt("LeverAxis") - kPi / 2.0);
    const double engaged = Tolerance(error, {0.0, kPi / 48.0}, kPi / 2.0 - kPi / 12.0);
    const double in_place =
        Tolerance(Distance(lever, target_), {0.0, 0.04}, Distance(lever_start, target_));
    return {.reward = 10.0 * HamacherProduct(ready, in_place),
            .success = error <= kPi / 24.0,
            .near_object = to_lever < 0.03,
            .grasp_success = ready > 0.9,
            .grasp_reward = ready,
            .in_place_reward = engaged,
            .obj_to_target = to_lever};
  }
};

}  // namespace

SawyerTasks LeverPullTasks() {
  return {Task<LeverPull>({.id = 27,
                           .name = "lever-pull-v3",
                           .model = "sawyer_lever_pull.xml",
                           .objects = {{Site("leverStart"), Turn::kMatrix, Geom("objGeom")}},
                           .places = 1,
                           .hand = Float32(0.0F, 0.4F, 0.2F),
                           .hand_low = {-0.5, 0.4, -0.15},
                           .moves_bodies = true})};
}

}  // namespace envpool::metaworld
