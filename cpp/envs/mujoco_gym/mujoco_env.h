// MujocoEnv: what Gymnasium's MuJoCo environments have in common.
//
// Follows gymnasium/envs/mujoco/mujoco_env.py. Each environment follows its own file there, in
// version 4 or 5, operation by operation: NumPy's order of summation, and float32 where the action
// is one. Ids of version 2 and 3, which Gymnasium no longer runs, follow version 4.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"
#include "mujoco/model.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"
#include "mujoco/variations/beginning.h"

namespace envpool::mujoco {

// Throws std::invalid_argument that names the option unless it has two numbers in order.
Range ReadRange(const Options& options, const std::string& name);

// The id of a body, given by name or as a number; -1 if there is none.
int FindBody(const mjModel& model, const std::string& name);

// values = base + uniform noise
void SetUniform(std::span<double> values, std::span<const double> base, double scale,
                Random& random);

// Rejection sampling, as Gymnasium does it, but not for ever: options can leave next to nothing to
// accept.
using Point = std::array<double, 2>;

// Returns what `draw` returns as soon as `accepted` says yes. Throws std::runtime_error, which
// names the option that decides, after so many draws as take some hundredths of a second.
template <class Draw, class Accepted>
Point DrawUntil(Accepted accepted, const std::string& option, Draw draw) {
  constexpr int kMostDraws = 1'000'000;
  for (int i = 0; i < kMostDraws; ++i) {
    const Point drawn = draw();
    if (accepted(drawn)) return drawn;
  }
  throw std::runtime_error(option + " accepts none of " + std::to_string(kMostDraws) +
                           " positions that were drawn");
}

class MujocoEnv : public SimulatedEnv<> {
 public:
  explicit MujocoEnv(const Options& options);

  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;
  std::string Fingerprint() const final;

  std::size_t ObservationSize() const;
  // Makes room for the infos of one number. To be called once, with all infos.
  void SizeInfo(const std::vector<Field>& infos);

 protected:
  // Sets qpos and qvel to those of an episode's beginning.
  virtual void ResetModel(Random& random) = 0;
  // In version 5, after ResetModel and mj_forward: sets the infos that a reset has. The others are
  // 0.
  virtual void SetResetInfo() {}
  // In version 5, of those that move in two directions: x and y, and their distance from 0, are the
  // first infos.
  void SetPlaceInfo();
  // Simulate()s and sets the infos.
  virtual StepResult Advance(const Action& action) = 0;
  virtual void WriteObservation(ObservationWriter& out) const = 0;
  // By default writes what info_ has.
  virtual void WriteInfo(const Row& row) const;
  // What Advance changes beyond MuJoCo's data and info_.
  virtual void SerializeMore(Archive& /*archive*/) {}

  // Throws std::invalid_argument unless the model has at least so many positions and velocities.
  void Require(std::size_t nq, std::size_t nv) const;
  // The id of a body. Throws std::invalid_argument if the model has none of this name.
  int RequireBody(const std::string& name) const;

  // ctrl = action, frame_skip times mj_step, then mj_rnePostConstraint if somebody reads contact
  // forces.
  void Simulate(const Action& action);

  const mjData& State() const { return World().Data(); }

  // weight * sum(square(action)), in float32 if that is what the action came as.
  double ControlCost(const Action& action, double weight) const;

  // qpos = qpos0 + uniform noise; qvel = the same, or normal noise.
  void ResetWithUniformNoise(Random& random);
  void ResetWithNormalNoise(Random& random);
  // qpos0, where episodes begin but for noise.
  std::span<const double> InitialPositions() const;

  // Returns how many of the first `count` positions are not observed: all of them, or none.
  std::size_t LeftOut(std::size_t count) const {
    return options_.Flag("exclude_current_positions_from_observation") ? count : 0;
  }

  // For environments that read cfrc_ext; to be called by their constructors.
  void NeedContactForces() { needs_contact_forces_ = post_constraint_; }

  const Options options_;
  const int version_;         // 4 or 5
  const double noise_;        // reset_noise_scale
  std::vector<double> info_;  // of the last step, one per info field of one number

 private:
  void SizeStack();
  void StackObservation(bool is_first);

  const std::size_t frame_stack_;
  const bool post_constraint_;
  bool needs_contact_forces_ = false;
  Beginning beginning_;
  std::vector<double> stack_;  // the last frame_stack_ observations, oldest first, if more than one
};

// Where an environment differs from the others.
struct MujocoType {
  std::string name;
  std::string xml_file;
  int frame_skip;
  std::vector<std::string> camera;  // default_camera_config
  std::vector<OptionSpec> options;  // beside those that all have
};
OptionSpec ResetNoise(double scale);

// The model that these options name.
std::shared_ptr<const mjModel> ModelOf(const Options& options);

// The spec of an environment whose observation has `size` numbers.
Spec MujocoSpec(const Options& options, std::size_t size, std::vector<Field> info);

// How many numbers an environment of a class observes, without pictures. It makes one to find out,
// whose memory for several observations or for pictures would be wasted.
template <class T>
std::size_t ObservationSizeOf(Options options) {
  options.Set("frame_stack", std::int64_t{1});
  options.Set("from_pixels", false);
  return T(options).ObservationSize();
}

// The spec of a class that has its infos as a static function Infos(options).
template <class T>
Spec SpecOf(const Options& options) {
  return MujocoSpec(options, ObservationSizeOf<T>(options), T::Infos(options));
}

// All options, and what there is to know of an environment but for its class.
EnvType Describe(MujocoType type);

// Registers the environment of class T.
template <class T>
bool RegisterMujoco(MujocoType type) {
  EnvType described = Describe(std::move(type));
  described.spec = SpecOf<T>;
  described.create = [](const Options& options) -> std::unique_ptr<Env> {
    auto env = std::make_unique<T>(options);
    env->SizeInfo(T::Infos(options));
    return env;
  };
  described.memory = [](const Options& options) {
    return MemoryOf(options, FrameStack(options) > 1 ? ObservationSizeOf<T>(options) : 0);
  };
  return Register(std::move(described));
}

// A float64 info of one number.
inline Field Info(const std::string& name) { return Box(name, DType::kFloat64, {}); }

}  // namespace envpool::mujoco
