// What the ceilings on MuJoCo have in common; ceiling.py compiles them.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "ceiling.h"

namespace ceiling {

struct Free {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using Data = std::unique_ptr<mjData, Free>;
using Model = std::shared_ptr<const mjModel>;

inline void prepare_mujoco() {
  // Python's bindings set it, and a clock around every stage makes mj_step 6 to 15 % slower.
  mjcb_time = nullptr;
  // MuJoCo's own would append to a file in the current folder.
  mju_user_warning = [](const char*) {};
}

// Simulations of a model as mj_saveModel writes it; null on failure, with the reason in `error`.
template <class Simulation, class Task>
Pool* open_saved(const char* saved, const Task& task, Actions actions, int num_threads, char* error,
                 int error_size) {
  prepare_mujoco();
  const Model model(mj_loadModelBuffer(saved, task.model_bytes), mj_deleteModel);
  if (model == nullptr) {
    const char reason[] = "MuJoCo cannot read the model";
    std::copy_n(reason, std::min<std::size_t>(sizeof reason, error_size), error);
    return nullptr;
  }
  const auto make = [&](int id) { return std::make_unique<Simulation>(model, task, id); };
  return new Pool(make, actions, num_threads);
}

}  // namespace ceiling
