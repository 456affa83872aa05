// RobotEnv: an environment of a model that is controlled by its actuators: all but the reward, the
// end, and what is observed.
//
// An environment's file ends with
//
//   const bool registered = RegisterRobot<Reach>({.name = "Reach", .xml_file = "arm.xml", ...});
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "mujoco/model.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"
#include "mujoco/variations/beginning.h"

namespace envpool::mujoco {

// What becomes of an environment whose simulation is unstable. MuJoCo warns, and goes on from the
// model's initial state, in the middle of an episode.
enum class Unstable { kFails, kGoesOn };

class RobotEnv : public SimulatedEnv<> {
 public:
  // Reads the options of DescribeRobot().
  explicit RobotEnv(const Options& options, Unstable unstable = Unstable::kFails);

  // The infos beside the rewards; a class may have a function of its own. Those of one float64
  // number are written from info_.
  static std::vector<Field> Infos(const Options& /*options*/) { return {}; }

  void Reset(Random& random, const Options& options) final;
  StepResult Step(const Action& action, Random& random) final;
  void Observe(const Row& row) const final;
  void Serialize(Archive& archive) final;
  std::string Fingerprint() const final;

  std::size_t ObservationSize() const;
  // Makes room for the infos of one number. To be called once, with all infos.
  void SizeInfo(const std::vector<Field>& infos);

 protected:
  // Sets qpos and qvel to those of an episode's beginning; they are the model's before. What
  // `randomise` and the reset's options change comes after it.
  virtual void ResetModel(Random& /*random*/) {}
  // After a reset: sets the infos that are not 0.
  virtual void SetResetInfo() {}
  // Simulate()s and sets the infos.
  virtual StepResult Advance(const Action& action) = 0;
  virtual void WriteObservation(ObservationWriter& out) const = 0;
  // By default writes what info_ has.
  virtual void WriteInfo(const Row& row) const;
  // What Advance changes beyond MuJoCo's data and info_.
  virtual void SerializeMore(Archive& /*archive*/) {}

  // ctrl = action, frame_skip times mj_step, then mj_rnePostConstraint if somebody reads contact
  // forces. Throws std::runtime_error if the simulation is unstable and fails then.
  void Simulate(const Action& action);
  // For environments that read cfrc_ext; to be called by their constructors.
  void NeedContactForces(bool needed = true) { needs_contact_forces_ = needed; }

  const mjData& State() const { return World().Data(); }

  const Options options_;
  std::vector<double> info_;  // of the last step, one per info field of one number

 private:
  void SizeStack();
  void StackObservation(bool is_first);

  const Unstable unstable_;
  const std::size_t frame_stack_;
  bool needs_contact_forces_ = false;
  Beginning beginning_;
  std::vector<double> stack_;  // the last frame_stack_ observations, oldest first, if more than one
};

// Where a robot differs from the others.
struct RobotType {
  std::string name;
  std::string xml_file;  // a path, or a name in the folder of the library's models
  std::int64_t frame_skip = 1;
  std::vector<std::string> camera = {};  // Gymnasium's default_camera_config, "distance=4" say
  std::vector<OptionSpec> options = {};  // beside those that all have
  std::uint32_t state_version = 1;       // to be raised when SerializeMore changes
};

// The model that the option xml_file names.
std::shared_ptr<const mjModel> ModelOf(const Options& options);

// A float64 info of one number.
inline Field Info(const std::string& name) { return Box(name, DType::kFloat64, {}); }

// The spec of a robot whose observation has `size` numbers. Actions are the model's controls,
// between their limits if they have any.
Spec RobotSpec(const Options& options, std::size_t size, std::vector<Field> info);

// All options, and what there is to know of a robot but for its class.
EnvType Describe(RobotType type);

// The options of an environment that observes its numbers once, without pictures.
Options WithoutStack(Options options);

// How many numbers an environment of a class observes, without pictures. It makes one to find out,
// whose memory for several observations or for pictures would be wasted.
template <class T>
std::size_t ObservationSizeOf(const Options& options) {
  return T(WithoutStack(options)).ObservationSize();
}

// The same with what follows from the class T: its spec, which `make_spec` makes, its constructor
// and the memory that it takes.
template <class T>
EnvType DescribeRobot(RobotType type, Spec (*make_spec)(const Options& options, std::size_t size,
                                                        std::vector<Field> info) = RobotSpec) {
  EnvType described = Describe(std::move(type));
  described.spec = [make_spec](const Options& options) {
    return make_spec(options, ObservationSizeOf<T>(options), T::Infos(options));
  };
  described.create = [](const Options& options) -> std::unique_ptr<Env> {
    auto env = std::make_unique<T>(options);
    env->SizeInfo(T::Infos(options));
    return env;
  };
  described.memory = [](const Options& options) {
    return MemoryOf(options, FrameStack(options) > 1 ? ObservationSizeOf<T>(options) : 0);
  };
  return described;
}

// Registers the setting asset_folder, where models are that are named without a folder: once for
// all robots of a library.
bool RegisterAssetFolder();

// Registers the environment of class T.
template <class T>
bool RegisterRobot(RobotType type) {
  return RegisterAssetFolder() && Register(DescribeRobot<T>(std::move(type)));
}

}  // namespace envpool::mujoco
