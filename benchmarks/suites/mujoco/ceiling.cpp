// The ceiling of MuJoCo: each environment is an mjData of one shared model.
//
// ceiling.py compiles it with the MuJoCo of ours.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>

#include "suites/mujoco/bare_data.h"

namespace {

// What Gymnasium's class of a task defines besides the model.
struct Task {
  int frame_skip;
  int max_episode_steps;
  int has_contact_forces;  // Whether they are observed; otherwise nobody has to compute them.
  double reset_noise_scale;
  double min_z;  // An episode ends where the height, qpos[2], leaves these bounds.
  double max_z;
};

class Simulation final : public ceiling::Env {
 public:
  Simulation(ceiling::Model model, const Task& task, std::uint32_t seed)
      : model_(std::move(model)), task_(task), data_(mj_makeData(model_.get())), random_(seed) {
    reset();
  }

  void step(const std::byte* action) override {
    if (ended_) {
      reset();
      return;
    }
    std::copy_n(reinterpret_cast<const float*>(action), model_->nu, data_->ctrl);
    for (int frame = 0; frame < task_.frame_skip; ++frame) {
      mj_step(model_.get(), data_.get());
    }
    if (task_.has_contact_forces) {
      mj_rnePostConstraint(model_.get(), data_.get());
    }
    const double z = data_->qpos[2];
    ended_ = ++episode_steps_ == task_.max_episode_steps || !(task_.min_z <= z && z <= task_.max_z);
  }

 private:
  void reset() {
    const mjModel* model = model_.get();
    mj_resetData(model, data_.get());
    std::uniform_real_distribution<> uniform(-task_.reset_noise_scale, task_.reset_noise_scale);
    std::normal_distribution<> normal(0, task_.reset_noise_scale);
    for (double& position : std::span(data_->qpos, model->nq)) {
      position += uniform(random_);
    }
    for (double& velocity : std::span(data_->qvel, model->nv)) {
      velocity += normal(random_);
    }
    mj_forward(model, data_.get());
    episode_steps_ = 0;
    ended_ = false;
  }

  ceiling::Model model_;
  Task task_;
  ceiling::Data data_;
  std::mt19937 random_;
  int episode_steps_ = 0;
  bool ended_ = false;
};

}  // namespace

// Null on failure, with the reason in `error`. `actions` hold numbers of 32 bits.
extern "C" ceiling::Pool* ceiling_open(const char* xml, Task task, ceiling::Actions actions,
                                       int num_threads, char* error, int error_size) {
  ceiling::prepare_mujoco();
  const ceiling::Model model(mj_loadXML(xml, nullptr, error, error_size), mj_deleteModel);
  if (model == nullptr) return nullptr;
  const auto make = [&](int id) { return std::make_unique<Simulation>(model, task, id); };
  return new ceiling::Pool(make, actions, num_threads);
}
