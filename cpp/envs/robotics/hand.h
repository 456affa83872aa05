// HandEnv: what the tasks of the Shadow Dexterous Hand have in common.
//
// Follows gymnasium_robotics/envs/shadow_dexterous_hand/hand_env.py.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "robotics/goal.h"
#include "robotics/robot_env.h"

namespace envpool::robotics {

class HandEnv : public RobotEnv {
 public:
  HandEnv(const Options& options, const std::shared_ptr<const mjModel>& model);

 protected:
  static constexpr std::size_t kActuators = 20;

  // Sets controls: where joints should be, from -1 to 1.
  void Control(const std::array<double, kActuators>& action);
  void ControlBy(const Action& action);

  // Adds positions and velocities of the hand's joints to an observation. Returns its rest.
  std::span<double> AddJoints(std::span<double> out) const;
  // How many numbers these are.
  std::size_t JointNumbers() const { return positions_.size() + velocities_.size(); }

  const bool is_sparse_ = IsSparse(options_);
  const double threshold_ = options_.Number("distance_threshold");

 private:
  double RelativeCenter(std::size_t actuator) const;

  const bool relative_control_ = options_.Flag("relative_control");
  std::vector<int> positions_;  // of the hand's joints in qpos
  std::vector<int> velocities_;
  // By actuator, the joints in qpos whose sum its control is relative to; none if it is absolute.
  std::vector<std::vector<int>> followed_;
};

// How many numbers the tasks observe.
Keys HandKeys(const Options& options);
std::shared_ptr<const mjModel> HandModel(const Options& options);

// Throws std::invalid_argument if the model of these options has observations of another size.
void CheckSize(const Options& options, std::size_t expected, std::size_t found);

// The two tasks.
std::unique_ptr<Env> MakeHandReach(const Options& options);
std::unique_ptr<Env> MakeHandManipulate(const Options& options);

}  // namespace envpool::robotics
