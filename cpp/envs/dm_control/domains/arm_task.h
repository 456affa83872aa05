// ArmTask: what Manipulator and Stacker have in common, a planar arm with a hand.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "dm_control/suite_env.h"
#include "numerics/loops.h"

namespace envpool::dm_control {

class ArmTask : public SuiteEnv {
 public:
  enum : std::size_t { kArmPos, kArmVel, kTouch, kHandPos, kNextKey };

  // The keys of the arm.
  static std::vector<Key> ArmKeys() {
    return {{"arm_pos", {8, 2}}, {"arm_vel", {8}}, {"touch", {5}}, {"hand_pos", {4}}};
  }

  using SuiteEnv::SuiteEnv;

 protected:
  std::size_t Bodies() const { return static_cast<std::size_t>(World().Model().nbody); }

  // The fingers of the hand get the same angle.
  void RandomizeArm(RandomState& random) {
    const mjModel& model = World().Model();
    for (const char* name : kJoints) {
      const int joint = World().Joint(name);
      const bool is_limited = model.jnt_limited[joint] != 0;
      const double* const range = model.jnt_range + 2 * joint;
      Qpos(name) = random.Uniform(is_limited ? range[0] : -std::numbers::pi,
                                  is_limited ? range[1] : std::numbers::pi);
    }
    Qpos("finger") = Qpos("thumb");
  }

  void WriteArm(Observation& out) const {
    for (std::size_t i = 0; i < kJoints.size(); ++i) {
      const double angle = World().Data().qpos[World().JointPosition(kJoints[i])];
      out[kArmPos][2 * i] = std::sin(angle);
      out[kArmPos][2 * i + 1] = std::cos(angle);
      out[kArmVel][i] = Qvel(kJoints[i]);
    }
    for (std::size_t i = 0; i < kSensors.size(); ++i) {
      out[kTouch][i] = numerics::Log1p(*World().SensorData(World().Sensor(kSensors[i])));
    }
    Write(out[kHandPos], Pose(hand_));
  }

  // Returns the pose of a body in the plane: x, z and two elements of its quaternion.
  std::array<double, 4> Pose(int body) const {
    const Vector position = World().BodyPosition(body);
    const double* const rotation = World().Data().xquat + 4 * body;
    return {position[0], position[2], rotation[0], rotation[2]};
  }

  double SiteDistance(const char* one, const char* other) const {
    return Distance(World().SitePosition(World().Site(one)),
                    World().SitePosition(World().Site(other)));
  }

  double& Qpos(const std::string& joint) {
    return World().Data().qpos[World().JointPosition(joint.c_str())];
  }
  double& Qvel(const std::string& joint) {
    return World().Data().qvel[World().JointVelocity(joint.c_str())];
  }
  double Qvel(const std::string& joint) const {
    return World().Data().qvel[World().JointVelocity(joint.c_str())];
  }

  // Where a body of the model is.
  std::span<double> BodyPosition(int body) {
    return body_pos_.subspan(3 * static_cast<std::size_t>(body), 3);
  }

  static constexpr double kClose = 0.01;  // m

 private:
  static constexpr std::array kJoints = {"arm_root", "arm_shoulder", "arm_elbow", "arm_wrist",
                                         "finger",   "fingertip",    "thumb",     "thumbtip"};
  static constexpr std::array kSensors = {"palm_touch", "finger_touch", "thumb_touch",
                                          "fingertip_touch", "thumbtip_touch"};

  const int hand_ = World().Body("hand");
  const std::span<double> body_pos_ = World().Own(&mjModel::body_pos, 3 * Bodies());
};

}  // namespace envpool::dm_control
