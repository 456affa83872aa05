// ManipulationGoal: how an object shall lie in the hand, and what that is worth.
//
// Follows gymnasium_robotics/envs/shadow_dexterous_hand/manipulate.py.
#pragma once

#include <string>

#include "envpool/options.h"
#include "envpool/random.h"
#include "robotics/rotations.h"

namespace envpool::robotics {

struct Pose {
  Vector position;
  Quaternion rotation;
};

class ManipulationGoal {
 public:
  // What differs between two poses, where it matters.
  struct Distance {
    double position = 0.0;  // m
    double rotation = 0.0;  // radians

    // EnvPool's info.
    double Sum() const { return position + rotation; }
  };

  explicit ManipulationGoal(const Options& options);

  // Where the object begins, if the model has it in `pose`.
  Pose DrawStart(Pose pose, Random& random) const;
  // A goal for an object that lies as `object`.
  Pose Draw(const Pose& object, Random& random) const;

  Distance Between(const Pose& achieved, const Pose& goal) const;
  bool IsReached(const Distance& distance) const;
  double Reward(const Distance& distance) const;

  bool IgnoresPosition() const { return position_ == "ignore"; }

 private:
  static Quaternion DrawTurn(const std::string& axes, Random& random);

  const std::string position_;  // ignore, fixed or random
  const std::string rotation_;  // ignore, fixed, xyz, z or parallel
  const Vector low_;            // how far off random positions are
  const Vector high_;
  const bool randomizes_position_;
  const bool randomizes_rotation_;
  const bool ignores_z_;
  const double distance_threshold_;
  const double rotation_threshold_;
  const bool is_sparse_;
};

}  // namespace envpool::robotics
