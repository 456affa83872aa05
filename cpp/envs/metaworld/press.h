// PressEnv: what tasks have in common where a button is pressed along an axis.
#pragma once

#include <cmath>
#include <cstddef>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

class PressEnv : public SawyerEnv {
 public:
  PressEnv(const Options& options, const SawyerTask& task, std::size_t axis)
      : SawyerEnv(options, task), axis_(axis) {}

 protected:
  struct Press {
    double to_object;
    double to_target;
    double near;     // from 0 to 1: how near the gripper is to the button
    double pressed;  // likewise: how far it is pressed
  };

  // Where the button is to go, from where it is or along a way of this length.
  void SetTarget(const Vector& target) {
    SetTarget(target, std::abs(target[axis_] - World().SiteAt("buttonStart")[axis_]));
  }
  void SetTarget(const Vector& target, double way) {
    target_ = target;
    way_ = way;
  }

  // `near` is how near the gripper is enough.
  Press Look(const Glance& glance, double near) const {
    const Vector object = glance.Object();
    const double to_object = Distance(object, Tcp());
    const double to_target = std::abs(target_[axis_] - object[axis_]);
    return {to_object, to_target, Tolerance(to_object, {0.0, near}, Distance(object, tcp_start_)),
            Tolerance(to_target, {0.0, 0.005}, way_)};
  }

  static Outcome Tell(const Glance& glance, const Press& press, double reward, double success) {
    return {.reward = reward,
            .success = press.to_target <= success,
            .near_object = press.to_object <= 0.05,
            .grasp_success = glance.Opened() > 0.0,
            .grasp_reward = press.near,
            .in_place_reward = press.pressed,
            .obj_to_target = press.to_target};
  }

  void SerializeMore(Archive& archive) override { archive(way_); }

 private:
  const std::size_t axis_;
  double way_ = 0.0;  // of the button, m
};

}  // namespace envpool::metaworld
