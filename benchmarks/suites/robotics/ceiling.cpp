// The ceiling of Gymnasium-Robotics: each environment is an mjData of one shared model.
//
// ceiling.py compiles it with the MuJoCo of ours.

#include <mujoco/mujoco.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "suites/mujoco/bare_data.h"

namespace {

// What the original's class of a task defines besides the model.
struct Task {
  std::int64_t model_bytes;
  const double* states;  // of every environment: what episodes start with, mjSTATE_INTEGRATION
  int frame_skip;
  int max_episode_steps;
  int welded_body;    // which a mocap body moves, or -1
  int sets_velocity;  // before each step, by what all forces are computed anew
};

class Simulation final : public ceiling::Env {
 public:
  Simulation(ceiling::Model model, const Task& task, int id)
      : model_(std::move(model)), task_(task), data_(mj_makeData(model_.get())) {
    const std::int64_t size = mj_stateSize(model_.get(), kState);
    start_.assign(task.states + id * size, task.states + (id + 1) * size);
    reset();
  }

  void step(const std::byte* action) override {
    if (episode_steps_ == task_.max_episode_steps) {
      reset();
      return;
    }
    const auto* const numbers = reinterpret_cast<const float*>(action);
    task_.welded_body < 0 ? control(numbers) : move(numbers);
    if (task_.sets_velocity != 0) mj_forward(model_.get(), data_.get());
    for (int frame = 0; frame < task_.frame_skip; ++frame) mj_step(model_.get(), data_.get());
    ++episode_steps_;
  }

 private:
  static constexpr unsigned kState = mjSTATE_INTEGRATION;

  // From -1 to 1 is the actuators' range.
  void control(const float* action) {
    for (int i = 0; i < model_->nu; ++i) {
      const double low = model_->actuator_ctrlrange[2 * i];
      const double high = model_->actuator_ctrlrange[2 * i + 1];
      data_->ctrl[i] = (low + high) / 2 + action[i] * (high - low) / 2;
    }
  }

  // The mocap body is where the gripper is, and a bit farther.
  void move(const float* action) {
    for (int i = 0; i < 3; ++i) {
      data_->mocap_pos[i] = data_->xpos[3 * task_.welded_body + i] + action[i] * 0.05;
    }
  }

  void reset() {
    mj_resetData(model_.get(), data_.get());
    mj_setState(model_.get(), data_.get(), start_.data(), kState);
    mj_forward(model_.get(), data_.get());
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
// numbers of 32 bits.
extern "C" ceiling::Pool* ceiling_open(const char* model, Task task, ceiling::Actions actions,
                                       int num_threads, char* error, int error_size) {
  return ceiling::open_saved<Simulation>(model, task, actions, num_threads, error, error_size);
}
