// AdroitHand: what the tasks of the Adroit hand have in common.
//
// Each follows its file in gymnasium_robotics/envs/adroit_hand/, operation by operation.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numerics/products.h"
#include "robotics/robot_env.h"

namespace envpool::robotics {

using mujoco::ObservationWriter;

// A part of a state, as a reset can be given one.
struct StatePart {
  std::string name;
  std::size_t size;
};

// A task, and where it differs from the others.
struct AdroitTask {
  std::string name;
  std::string xml_file;             // in the package's assets
  int actuators;                    // as the model has them
  int observation;                  // how many numbers
  std::vector<StatePart> state;     // positions and velocities first
  std::vector<std::string> camera;  // default_camera_config
};

class AdroitHand : public RobotEnv {
 public:
  AdroitHand(const AdroitTask& task, const Options& options);

 protected:
  struct Outcome {
    double distance;  // from the goal
    bool is_success;
  };
  // Parts of a state: AdroitTask::state without positions and velocities.
  using Parts = std::span<const std::vector<double>>;

  // Draws what differs between episodes, and writes it into the model.
  virtual void DrawEpisode(Random& random) = 0;
  // Writes it as it is given.
  virtual void SetEpisode(Parts parts) = 0;
  // After the forward computation of an episode that was drawn.
  virtual void NoteBeginning() {}
  virtual void WriteObservation(ObservationWriter& out) const = 0;
  virtual Outcome Judge() const = 0;
  virtual double DenseReward(const Outcome& outcome) const = 0;
  void SerializeMore(Archive& archive) override;

  Vector BodyPosition(int body) const { return World().BodyPosition(body); }
  Vector SitePosition(int site) const { return World().SitePosition(site); }

 private:
  void ResetEpisode(Random& random, const Options& options) final;
  StepResult Advance(const Action& action, Random& random) final;
  void WriteInfo(const Row& row) const final;
  void SetGains();
  void SetState(const Options& options);
  void Finish();

  const std::vector<StatePart> state_;
  const bool is_sparse_ = options_.Text("reward_type") == "sparse";
  std::vector<double> control_mean_;
  std::vector<double> control_range_;  // half of it
  Outcome outcome_ = {};
};

// The type of a task.
RobotType Describe(const AdroitTask& task);

// Registers a task, whose class is T.
template <class T>
bool RegisterAdroit(AdroitTask task) {
  EnvType type = Describe(Describe(task));
  type.create = [task = std::move(task)](const Options& options) -> std::unique_ptr<Env> {
    return std::make_unique<T>(task, options);
  };
  return Register(std::move(type));
}

}  // namespace envpool::robotics
