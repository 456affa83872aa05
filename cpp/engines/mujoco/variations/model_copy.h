// ModelCopy: the arrays of a model that differ from one simulation to another.
//
// The others, such as meshes and textures, are shared. Where a changed array is one that MuJoCo
// computes others from (masses, sizes, positions), mj_setConst computes these for each episode, so
// that a simulation has its own of them, too.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <string>
#include <vector>

#include "mujoco/simulation.h"
#include "mujoco/variations/variation.h"

namespace envpool::mujoco {

// Numbers that a reset was given for a part of the model or the data.
struct Given {
  ArrayPart part;
  std::vector<double> numbers;
};

class ModelCopy {
 public:
  // Gives the simulation a model of its own if one of the variations changes the model.
  ModelCopy(Simulation& simulation, const std::vector<Variation>& variations);

  // Has the model begin an episode with what was drawn, and then with what was given. What the
  // simulation's data is afterwards, is undefined: a reset follows.
  void Apply(Simulation& simulation, const std::vector<Variation>& variations,
             const std::vector<Given>& given);

 private:
  // An array of the simulation's own.
  struct Array {
    std::vector<std::byte> bytes;
    const void* original;
  };

  // Lets an array differ from the original from now on.
  void Change(Simulation& simulation, const ArrayType& array);
  template <class T>
  void Own(mjModel& model, T* mjModel::* member, std::size_t size);
  void OwnOutputs(mjModel& model);

  bool is_changed_ = false;
  bool needs_constants_ = false;
  mjOption option_;  // the original
  mjStatistic statistic_;
  std::vector<Array> arrays_;
};

}  // namespace envpool::mujoco
