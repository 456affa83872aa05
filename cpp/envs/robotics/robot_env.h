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
#include "mujoco/picture_stack.h"
#include "mujoco/view.h"
#include "robotics/world.h"

namespace envpool::robotics {

// An array of an observation: float64, of one dimension. Dots in its name nest.
struct Key {
  std::string name;
  std::size_t size;
};
using Keys = std::vector<Key>;

// The keys of what has goals, in Gymnasium's order, and their places.
enum GoalKey : std::size_t { kAchievedGoal, kDesiredGoal, kObservation };
Keys GoalKeys(std::size_t observation, std::size_t goal);

// Draws what a model and its data show.
using Painter = std::function<void(const mjModel& model, mjData& data)>;

class RobotEnv : public Env {
 public:
  // `keys` are those of its spec.
  RobotEnv(const Options& options, const std::string& model_name,
           std::shared_ptr<const mjModel> model, const Keys& keys);

  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;
  std::string Fingerprint() const final;
  void Render(const Frame& frame) final;
  void Release() final { view_.Release(); }

 protected:
  // Begins an episode: sets the state and Observed(), all of it.
  virtual void ResetEpisode(Random& random, const Options& options) = 0;
  // Simulates a step and sets Observed(), all of it.
  virtual StepResult Advance(const Action& action, Random& random) = 0;
  virtual void WriteInfo(const Row& row) const = 0;
  // What these change beyond the world and what is observed.
  virtual void SerializeMore(Archive& /*archive*/) {}
  // Has `paint` draw what is there now, goals included. Must not change it: see Env::Render.
  virtual void Show(const Painter& paint) { paint(world_.Model(), world_.Data()); }

  // What is observed, by the place of the key.
  std::span<double> Observed(std::size_t key) {
    return std::span(newest_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
  }
  std::span<const double> Observed(std::size_t key) const {
    return std::span(newest_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
  }

  const World& GetWorld() const { return world_; }
  World& GetWorld() { return world_; }
  std::int64_t FrameSkip() const { return frame_skip_; }

 private:
  void Stack(bool is_first);

  const std::int64_t frame_skip_;
  const std::size_t frame_stack_;
  World world_;
  std::vector<std::size_t> starts_ = {0};  // of keys in newest_
  std::vector<double> newest_;
  std::vector<double> stack_;  // the last frame_stack_, oldest first, if more than one
  mujoco::View view_;
  mujoco::PictureStack pictures_;  // the last frame_stack_
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
