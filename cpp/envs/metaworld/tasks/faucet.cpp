// Faucet: turn a faucet by its handle, to open it or to close it.
//
// Follows sawyer_faucet_open_v3.py and sawyer_faucet_close_v3.py.
#include <cmath>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class FaucetEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void SetFaucet(Random& random, double to_target) {
    object_start_ = Draw(random).first;
    World().MoveBody("faucetBase", object_start_);
    target_ = object_start_ + Vector{to_target, 0.0, 0.125};
  }

  Outcome Tell(const Vector& object) const {
    const double to_target = Distance(object, target_);
    const double in_place =
        Tolerance(to_target, {0.0, 0.07}, std::abs(Distance(object_start_, target_) - 0.07));
    const double to_object = Distance(object, Tcp());
    const double reached = GaussianTolerance(to_object, {0.0, 0.01},
                                             std::abs(Distance(object_start_, tcp_start_) - 0.01));
    const bool success = to_target <= 0.07;
    return {.reward = success ? 10.0 : (2.0 * reached + 3.0 * in_place) * 2.0,
            .success = success,
            .near_object = to_object <= 0.01,
            .grasp_success = 1.0,
            .grasp_reward = reached,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }
};

class FaucetOpen final : public FaucetEnv {
 public:
  using FaucetEnv::FaucetEnv;

 private:
  void Place(Random& random) override {
    SetFaucet(random, 0.175);
    World().MoveSite("goal_open", target_);
  }
  Outcome Judge(const Glance& glance) override {
    return Tell(glance.Object() + Vector{-0.04, 0.0, 0.03});
  }
};

class FaucetClose final : public FaucetEnv {
 public:
  using FaucetEnv::FaucetEnv;

 private:
  void Place(Random& random) override {
    SetFaucet(random, -0.175);
    World().Look();
    World().MoveSite("goal_close", target_);
  }
  Outcome Judge(const Glance& glance) override { return Tell(glance.Object()); }
};

SawyerTask Faucet(int id, const char* name, const char* site) {
  return {.id = id,
          .name = name,
          .model = "sawyer_faucet.xml",
          .objects = {{Site(site), Turn::kQuaternion, Body("faucetBase"), Vector{0.0, 0.0, -0.01}}},
          .places = 1,
          .hand = {0.0, 0.4, 0.2},
          .hand_low = {-0.5, 0.4, -0.15},
          .moves_bodies = true};
}

}  // namespace

SawyerTasks FaucetTasks() {
  return {Task<FaucetOpen>(Faucet(20, "faucet-open-v3", "handleStartOpen")),
          Task<FaucetClose>(Faucet(21, "faucet-close-v3", "handleStartClose"))};
}

}  // namespace envpool::metaworld
