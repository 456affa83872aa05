// Beginning: what an episode begins with, where it differs from the model and its initial state:
// first what is drawn, then what its reset was given.
#pragma once

#include <string>
#include <vector>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "envpool/random.h"
#include "mujoco/simulation.h"
#include "mujoco/variations/model_copy.h"
#include "mujoco/variations/variation.h"

namespace envpool::mujoco {

class Beginning {
 public:
  // Reads the option `randomise`. The simulation outlives it.
  Beginning(Simulation& simulation, const Options& options);

  // Draws, and has the model be that of the episode. A reset of the simulation must follow. Throws
  // std::invalid_argument if the options of the reset do not suit the model.
  void Draw(Random& random, const Options& reset_options);
  // After that reset: changes the state.
  void ChangeState();

  // The model's arrays that this episode has changed, whatever it was that has changed them: so
  // that an environment with other variations can go on from there. To be called before the
  // simulation's.
  void Serialize(Archive& archive);

 private:
  void Give(const std::string& name, const std::vector<double>& numbers);

  Simulation& simulation_;
  std::vector<Variation> variations_;
  std::vector<Given> given_;  // of this episode
  ModelCopy copy_;
};

// `randomise`.
OptionSpec RandomiseOption();
// Throws std::invalid_argument if that does not suit the model.
std::vector<Variation> VariationsOf(const Options& options, const mjModel& model);
// All arrays that a reset may be given.
std::vector<OptionSpec> ArraysOfResets();

}  // namespace envpool::mujoco
