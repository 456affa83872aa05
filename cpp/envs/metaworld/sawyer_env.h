// SawyerEnv: what Meta-World's tasks have in common.
//
// Follows metaworld/sawyer_xyz_env.py. Each task follows its own file in metaworld/envs, operation
// by operation. A hand is welded to a body that actions move; two fingers close.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "envpool/env.h"
#include "metaworld/catalogue.h"
#include "metaworld/number.h"
#include "metaworld/random_vectors.h"
#include "metaworld/rewards.h"
#include "metaworld/sawyer_task.h"
#include "metaworld/sawyer_world.h"
#include "metaworld/vectors.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"

namespace envpool::metaworld {

// What rewards are computed of.
struct Glance {
  std::span<const double> observation;
  float effort;  // the action's, to close the fingers

  Vector Hand() const { return numerics::VectorAt(observation.data()); }
  double Opened() const { return observation[3]; }  // how far the fingers are apart, 0 to 1
  Vector Object() const { return numerics::VectorAt(&observation[4]); }
  Vector Second() const { return numerics::VectorAt(&observation[11]); }
  // numpy.linalg.norm(rotation - ideal) of the first object
  double TurnError(const Quaternion& ideal) const;
};

// What a step tells.
struct Outcome {
  Number reward = 0.0;
  Number success = false;
  Number near_object = 0.0;
  Number grasp_success = false;
  Number grasp_reward = 0.0;
  Number in_place_reward = 0.0;
  Number obj_to_target = 0.0;

  // In the order of infos, in which upstream's dicts are not all.
  std::array<double, 7> Values() const {
    return {success.Value(),      near_object.Value(),     grasp_success.Value(),
            grasp_reward.Value(), in_place_reward.Value(), obj_to_target.Value(),
            reward.Value()};
  }
};

// How the fingers enclose an object: lengths in m.
struct Grip {
  double radius;  // of the object
  double reach;   // how near the gripper's center is enough
  double pad;     // how near the fingers' pads are enough
  double height;  // how near the gripper is enough, to the side and up
  double effort = 1.0;
  enum class Density { kLow, kMedium, kHigh } density = Density::kLow;
};
inline constexpr auto kMedium = Grip::Density::kMedium;
inline constexpr auto kHigh = Grip::Density::kHigh;

class SawyerEnv : public mujoco::SimulatedEnv<SawyerWorld> {
 public:
  SawyerEnv(const Options& options, const SawyerTask& task);

  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;

 protected:
  // Begins an episode: the hand is ready. Sets object_start_ and target_, and where things are.
  virtual void Place(Random& random) = 0;
  virtual Outcome Judge(const Glance& glance) = 0;
  // Where the first object is.
  virtual Vector ObjectPosition() const { return PositionOf(task_.objects[0]); }
  // The target, which moves with a part of the world in some tasks.
  virtual Vector Target() const { return target_; }
  // Where the fingers enclose things from, for Enclosed.
  virtual Vector GripStart() const { return object_start_; }
  // What tasks change beyond the world and what is below.
  virtual void SerializeMore(Archive& /*archive*/) {}

  // What an episode begins with: see RandomVectors.
  Drawn Draw(Random& random) const { return vectors_.Draw(random); }
  Drawn DrawApart(Random& random, const Vector* other = nullptr) const {
    return vectors_.DrawApart(random, other);
  }

  // Sets numbers of qpos, and zeros in qvel, and looks.
  void SetState(std::size_t position, std::span<const double> values, std::size_t velocity,
                std::size_t zeros);
  // The same for an object that moves freely, and for a joint.
  void SetObject(const Vector& to) { SetState(9, to, 9, 6); }
  void SetJoint(double to) { SetState(9, {&to, 1}, 9, 1); }

  const Vector& HandStart() const { return task_.hand; }
  // Halfway between the fingers.
  Vector Tcp() const;
  Vector LeftPad() const { return World().BodyPosition(left_pad_); }
  Vector RightPad() const { return World().BodyPosition(right_pad_); }

  // True if both fingers press on a geom.
  bool Touches(const char* geom);
  // The same for the object, which was lifted by so much.
  bool Lifts(const Glance& glance, double by) { return IsHigher(glance, by) && Touches("objGeom"); }
  bool IsHigher(const Glance& glance, double by) const {
    return glance.Opened() > 0.0 && glance.Object()[2] - by > object_start_[2];
  }

  // Where a long object is that may be held anywhere along the x axis, within half its length.
  static Vector NearestAlongX(const Glance& glance, double length);

  // How well the fingers enclose an object: _gripper_caging_reward.
  Number Enclosed(const Glance& glance, const Vector& object, const Grip& grip) const;
  // Its parts in tasks that have one of their own: how near the pads are to the object's sides, and
  // the gripper to it, looking along the fingers.
  double SidesEnclosed(const Vector& object, const Interval& bounds) const;
  double AlignedWith(const Vector& object, double margin) const;
  // Such an own one.
  double EnclosedBySides(const Vector& object, double radius, double slack, double margin) const;
  // min(max(0, effort), most)
  static Number Closed(const Glance& glance, double most);

  Vector object_start_ = {};
  Vector target_ = {};
  Vector tcp_start_ = {};

 private:
  static constexpr std::size_t kPoses = 18;  // of the hand, how far it is open, and of two objects
  using Poses = std::array<double, kPoses>;

  void PrepareHand();
  void MoveHand();
  void See();
  void WriteObservation(const Poses& previous, bool clips);
  Vector PositionOf(const Object& object) const;
  Quaternion TurnOf(const Object& object) const;
  void MoveMocap(std::span<const float> action);

  const SawyerTask& task_;
  const bool hides_goal_;
  const bool ends_with_success_;
  const std::vector<double> one_hot_;  // what follows the observation
  const ObservationBounds bounds_;
  const int hand_ = World().Body("hand");
  const int right_claw_ = World().Body("rightclaw");
  const int left_claw_ = World().Body("leftclaw");
  const int right_pad_ = World().Body("rightpad");
  const int left_pad_ = World().Body("leftpad");
  const int right_finger_ = World().Site("rightEndEffector");
  const int left_finger_ = World().Site("leftEndEffector");
  const int mocap_ = World().Model().body_mocapid[World().Body("mocap")];
  struct Ready;
  std::shared_ptr<const Ready> ready_;  // the hand, if all episodes begin with the same movement
  RandomVectors vectors_;
  Poses poses_ = {};
  mujoco::Observation observation_;
  std::array<double, 7> infos_ = {};  // of the last step
};

}  // namespace envpool::metaworld
