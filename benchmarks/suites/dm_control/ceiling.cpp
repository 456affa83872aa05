// The ceiling of dm_control's suite: each environment is an mjData of one shared model.
//
// ceiling.py compiles it with the MuJoCo of ours.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "suites/mujoco/bare_data.h"

namespace {

// What dm_control defines besides the model.
struct Task {
  std::int64_t model_bytes;
  const double* states;  // of every environment: positions and velocities that episodes start with
  int frame_skip;
  int max_episode_steps;
  int settling_steps;  // sub-steps that a reset does
};

class Simulation final : public ceiling::Env {
 public:
  Simulation(ceiling::Model model, const Task& task, int id)
      : model_(std::move(model)), task_(task), data_(mj_makeData(model_.get())) {
    const auto size = static_cast<std::size_t>(model_->nq + model_->nv);
    const std::span state(task.states + static_cast<std::size_t>(id) * size, size);
    start_.assign(state.begin(), state.end());
    reset();
  }

  void step(const std::byte* action) override {
    if (episode_steps_ == task_.max_episode_steps) {
      reset();
      return;
    }
    std::copy_n(reinterpret_cast<const double*>(action), model_->nu, data_->ctrl);
    simulate(task_.frame_skip);
    ++episode_steps_;
  }

 private:
  // dm_control's "legacy step".
  void simulate(int frames) {
    const mjModel* model = model_.get();
    mjData* data = data_.get();
    if (model->opt.integrator != mjINT_RK4) {
      mj_step2(model, data);
      --frames;
    }
    for (int frame = 0; frame < frames; ++frame) mj_step(model, data);
    mj_step1(model, data);
  }

  void reset() {
    mj_resetData(model_.get(), data_.get());
    std::copy_n(start_.begin(), model_->nq, data_->qpos);
    std::copy_n(start_.begin() + model_->nq, model_->nv, data_->qvel);
    mj_forward(model_.get(), data_.get());
    if (task_.settling_steps > 0) simulate(task_.settling_steps);
    episode_steps_ = 0;
  }

  ceiling::Model model_;
  Task task_;
  ceiling::Data data_;
  std::vector<double> start_;
  int episode_steps_ = 0;
};

}  // namespace

// Null on failure, with the reason in `error`. `model` is what mj_saveModel writes; `actions` hold
// numbers of 64 bits.
extern "C" ceiling::Pool* ceiling_open(const char* model, Task task, ceiling::Actions actions,
                                       int num_threads, char* error, int error_size) {
  return ceiling::open_saved<Simulation>(model, task, actions, num_threads, error, error_size);
}
