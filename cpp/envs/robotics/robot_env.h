// RobotEnv: what Gymnasium-Robotics' environments have in common.
//
// Follows gymnasium_robotics/core.py and gymnasium_robotics/envs/robot_env.py. Each kind follows
// its own file there, operation by operation: NumPy's order of summation, and float32 where the
// original has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"
#include "robotics/world.h"

namespace envpool::robotics {

using mujoco::Key;
using mujoco::Keys;
using mujoco::Painter;

// The keys of what has goals, in Gymnasium's order, and their places.
enum GoalKey : std::size_t { kAchievedGoal, kDesiredGoal, kObservation };
Keys GoalKeys(std::size_t observation, std::size_t goal);

class RobotEnv : public mujoco::SimulatedEnv<RobotWorld> {
 public:
  // `keys` are those of its spec.
  RobotEnv(const Options& options, const std::string& model_name,
           std::shared_ptr<const mjModel> model, const Keys& keys);

  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;

 protected:
  // Begins an episode: sets the state and Observed(), all of it.
  virtual void ResetEpisode(Random& random, const Options& options) = 0;
  // Simulates a step and sets Observed(), all of it.
  virtual StepResult Advance(const Action& action, Random& random) = 0;
  virtual void WriteInfo(const Row& row) const = 0;
  // What these change beyond the world and what is observed.
  virtual void SerializeMore(Archive& /*archive*/) {}

  // What is observed, by the place of the key.
  const Options options_;

  std::span<double> Observed(std::size_t key) { return observation_[key]; }
  std::span<const double> Observed(std::size_t key) const { return observation_[key]; }

 private:
  mujoco::Observation observation_;
};

// Where a kind of environment differs from the others.
struct RobotType {
  std::string name;
  int frame_skip;
  Field action;
  std::vector<OptionSpec> options;             // beside those that all have
  std::vector<OptionSpec> reset_options = {};  // likewise
  // See EnvType; may be left out.
  std::function<void(const Options&)> check_reset_options = nullptr;
  std::function<Keys(const Options&)> keys;
  std::function<std::vector<Field>(const Options&)> infos;
  std::function<std::shared_ptr<const mjModel>(const Options&)> model;
  bool observes_dict = true;             // else it has one key, whose array is the observation
  std::vector<std::string> camera = {};  // default_camera_config
};

EnvType Describe(const RobotType& type);

// Registers the kind whose class is T, made of options alone.
template <class T>
bool RegisterRobot(const RobotType& type) {
  EnvType described = Describe(type);
  described.create = Create<T>;
  return Register(std::move(described));
}

}  // namespace envpool::robotics
