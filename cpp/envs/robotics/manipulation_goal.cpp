#include "robotics/manipulation_goal.h"

#include <numbers>

#include "robotics/goal.h"

namespace envpool::robotics {

ManipulationGoal::ManipulationGoal(const Options& options)
    : position_(options.Text("target_position")),
      rotation_(options.Text("target_rotation")),
      low_{options.Number("target_position_low0"), options.Number("target_position_low1"),
           options.Number("target_position_low2")},
      high_{options.Number("target_position_high0"), options.Number("target_position_high1"),
            options.Number("target_position_high2")},
      randomizes_position_(options.Flag("randomize_initial_position")),
      randomizes_rotation_(options.Flag("randomize_initial_rotation")),
      ignores_z_(options.Flag("ignore_z_target_rotation")),
      distance_threshold_(options.Number("distance_threshold")),
      rotation_threshold_(options.Number("rotation_threshold")),
      is_sparse_(IsSparse(options)) {}

Quaternion ManipulationGoal::DrawTurn(const std::string& axes, Random& random) {
  const double angle = random.Uniform(-std::numbers::pi, std::numbers::pi);
  if (axes == "xyz") {
    Vector axis;
    for (double& element : axis) element = random.Uniform(-1.0, 1.0);
    return Turn(angle, axis);
  }
  const Quaternion around_z = Turn(angle, {0.0, 0.0, 1.0});
  if (axes == "z") return around_z;
  const ParallelRotations& parallel = GetParallelRotations();
  const auto index = static_cast<std::size_t>(random.Integers(parallel.size()));
  return Multiply(around_z, parallel[index]);
}

Pose ManipulationGoal::DrawStart(Pose pose, Random& random) const {
  if (randomizes_rotation_ && rotation_ != "fixed") {
    const std::string axes = rotation_ == "ignore" ? "xyz" : rotation_;
    pose.rotation = Multiply(pose.rotation, DrawTurn(axes, random));
  }
  if (randomizes_position_ && position_ != "fixed") {
    for (double& element : pose.position) element += random.Normal(0.0, 0.005);
  }
  pose.rotation = Normalized(pose.rotation);
  return pose;
}

// The original has no goals for rotations that are ignored or fixed: it fails. Here it is the
// object's rotation.
Pose ManipulationGoal::Draw(const Pose& object, Random& random) const {
  Pose goal = object;
  if (position_ == "random") {
    for (std::size_t i = 0; i < 3; ++i) goal.position[i] += random.Uniform(low_[i], high_[i]);
  }
  if (rotation_ != "ignore" && rotation_ != "fixed") goal.rotation = DrawTurn(rotation_, random);
  goal.rotation = Normalized(goal.rotation);
  return goal;
}

ManipulationGoal::Distance ManipulationGoal::Between(const Pose& achieved, const Pose& goal) const {
  Distance distance;
  if (position_ != "ignore") distance.position = GoalDistance(achieved.position, goal.position);
  if (rotation_ == "ignore") return distance;
  Quaternion rotation = achieved.rotation;
  if (ignores_z_) {
    Vector euler = EulerOfQuaternion(rotation);
    euler[2] = EulerOfQuaternion(goal.rotation)[2];
    rotation = QuaternionOfEuler(euler);
  }
  distance.rotation = AngleBetween(rotation, goal.rotation);
  return distance;
}

bool ManipulationGoal::IsReached(const Distance& distance) const {
  return distance.position < distance_threshold_ && distance.rotation < rotation_threshold_;
}

double ManipulationGoal::Reward(const Distance& distance) const {
  if (is_sparse_) return IsReached(distance) ? 0.0 : -1.0;
  return -(10.0 * distance.position + distance.rotation);
}

}  // namespace envpool::robotics
