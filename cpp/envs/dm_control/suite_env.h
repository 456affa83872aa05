// SuiteEnv: what the tasks of dm_control's suite have in common.
//
// Follows dm_control/rl/control.py and dm_control/suite/base.py. Each domain follows its own file
// there, operation by operation: the order of draws and of NumPy's sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dm_control/physics.h"
#include "dm_control/random_state.h"
#include "dm_control/tolerance.h"
#include "envpool/family.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"

namespace envpool::dm_control {

using mujoco::Key;
using mujoco::Observation;

struct Keys {
  std::vector<Key> all;          // what any task of the domain has, in EnvPool's order
  std::vector<std::size_t> own;  // which of these this task has, in dm_control's order
};

// Keys of a domain all of whose tasks have all of them, in this order.
Keys CommonKeys(std::vector<Key> all);

// Between what numbers actions are.
struct Actuators {
  Bounds low;
  Bounds high;
};

// So many actuators, each from -limit to limit.
Actuators Symmetric(int count, double limit = 1.0);

// What is the same for all tasks of a domain.
template <class T>
std::function<T(const std::string& task)> ForAll(T value) {
  return [value = std::move(value)](const std::string&) { return value; };
}

// A domain, and where it differs from the others.
struct Domain {
  std::string name;
  std::int64_t frame_skip;  // dm_control's n_sub_steps
  std::vector<std::string> tasks;
  std::function<Keys(const std::string& task)> keys;
  std::function<Actuators(const std::string& task)> actuators;  // as the model has them
  std::function<std::string(const std::string& task)> xml;      // the model
  std::string assets = {};                                      // the folder of its meshes, if any
};

// What an environment is made of.
struct Setup {
  const Domain& domain;
  const Options& options;

  const std::string& Task() const { return options.Text("task_name"); }
};

class SuiteEnv : public mujoco::SimulatedEnv<Physics> {
 public:
  explicit SuiteEnv(const Setup& setup);

  void Seed(std::uint64_t seed, Random& random) final;
  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;

 protected:
  // What dm_control does when it makes the environment: draws for the model, say.
  virtual void InitializeModel(RandomState& /*random*/) {}
  // Between a reset of the physics and the forward computation that ends it.
  virtual void InitializeEpisode(RandomState& random) = 0;
  virtual double Reward() = 0;
  // Unless a domain does otherwise, its first key has all positions, and its second all velocities.
  virtual void WriteObservation(Observation& out);
  // True if the task itself ends the episode.
  virtual bool HasTerminated() const { return false; }
  // What these change beyond the physics.
  virtual void SerializeMore(Archive& /*archive*/) {}

  const std::string& Task() const { return task_; }
  bool Is(const std::string& task) const { return task_ == task; }

  // randomizers.randomize_limited_and_rotational_joints
  void RandomizeJoints(RandomState& random);

  // Calls `draw`, which sets a state, until nothing touches in it. Throws std::runtime_error after
  // `most` times.
  template <class Draw>
  void DrawUntilNothingTouches(const Draw& draw, int most = 100'000);

  // Writes where all hinges are, and how they move.
  void WriteHinges(std::span<double> angles, std::span<double> velocities) const;

  // tolerance(control, margin=1, value_at_margin=0, sigmoid='quadratic').mean(), then
  // (4 + that) / 5.
  double SmallControl() const;

 private:
  void ShowReward(double reward);

  const std::string task_;
  const std::vector<std::size_t> shown_;  // keys
  const bool is_flat_;                    // they are joined to one array
  RandomState random_;
  Observation observation_;
  std::span<float> colors_;  // of materials, with visualize_reward
};

// Draws a unit vector of `kSize` numbers, all directions alike.
template <std::size_t kSize>
std::array<double, kSize> DrawDirection(RandomState& random) {
  std::array<double, kSize> direction;
  for (double& element : direction) element = random.Normal();
  const double norm = Norm(direction);
  for (double& element : direction) element /= norm;
  return direction;
}

// Copies an array, whose size must be that of the key.
void Write(std::span<double> out, std::span<const double> values);

// The xml of a domain whose tasks have one model, the file of this name.
std::function<std::string(const std::string& task)> ModelFile(std::string name);

// The spec and options of a domain.
EnvType Describe(const Domain& domain);

// Registers the environments of a domain, whose class is T. Its constructor gets `more`, too.
template <class T, class... More>
bool RegisterDomain(Domain domain, More... more) {
  EnvType type = Describe(domain);
  type.create = [domain = std::move(domain), more...](const Options& options) {
    return std::unique_ptr<Env>(std::make_unique<T>(Setup{domain, options}, more...));
  };
  return Register(std::move(type));
}

template <class Draw>
void SuiteEnv::DrawUntilNothingTouches(const Draw& draw, int most) {
  for (int i = 0; i < most; ++i) {
    draw();
    World().AfterReset();
    if (World().Data().ncon == 0) return;
  }
  throw std::runtime_error("found no state in which nothing touches in " + std::to_string(most) +
                           " attempts");
}

}  // namespace envpool::dm_control
