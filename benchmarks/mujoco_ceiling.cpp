// The least that MuJoCo environments can cost: bare threads that step mjData of one shared model
// and do nothing else. No observations, rewards or batches, no barrier between the threads.
//
// A shared library, so that the worker of the other contenders can time this one too; see
// ceiling.py for the other side.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Free {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using Model = std::unique_ptr<mjModel, Free>;
using Data = std::unique_ptr<mjData, Free>;

// What Gymnasium's class of a task defines besides the model.
struct Task {
  int frame_skip;
  int max_episode_steps;
  int has_contact_forces;  // Whether they are observed; otherwise nobody has to compute them.
  double reset_noise_scale;
  double min_z;  // An episode ends where the height, qpos[2], leaves these bounds.
  double max_z;
};

// Random actions of every environment, batch after batch.
struct Actions {
  const float* values;
  int num_batches;
};

class Env {
 public:
  Env(const mjModel* model, const Task& task, std::uint32_t seed)
      : task_(task), data_(mj_makeData(model)), random_(seed) {
    reset(model);
  }

  // One call of `step`; as in all contenders, the one after the end of an episode resets.
  void step(const mjModel* model, const float* action) {
    if (ended_) {
      reset(model);
      return;
    }
    std::copy_n(action, model->nu, data_->ctrl);
    for (int frame = 0; frame < task_.frame_skip; ++frame) {
      mj_step(model, data_.get());
    }
    if (task_.has_contact_forces) {
      mj_rnePostConstraint(model, data_.get());
    }
    const double z = data_->qpos[2];
    ended_ = ++episode_steps_ == task_.max_episode_steps || !(task_.min_z <= z && z <= task_.max_z);
  }

 private:
  void reset(const mjModel* model) {
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

  Task task_;
  Data data_;
  std::mt19937 random_;
  int episode_steps_ = 0;
  bool ended_ = false;
};

// One thread's share of the environments; aligned, so that no thread writes beside another's.
class alignas(64) Share {
 public:
  Share(const mjModel* model, const Task& task, Actions actions, int num_envs, int begin, int end)
      : model_(model), actions_(actions), num_envs_(num_envs), begin_(begin) {
    envs_.reserve(end - begin);
    for (int id = begin; id < end; ++id) {
      envs_.emplace_back(model, task, id);
    }
  }

  std::int64_t run_until(Clock::time_point deadline) {
    std::int64_t steps = 0;
    // The clock is read once per step: 30 ns beside at least 30 us.
    for (; Clock::now() < deadline; ++steps) {
      step_next();
    }
    return steps;
  }

  void step_each(int steps) {
    for (std::size_t step = 0; step < steps * envs_.size(); ++step) {
      step_next();
    }
  }

 private:
  void step_next() {
    const std::int64_t row = std::int64_t{batch_} * num_envs_ + begin_ + std::int64_t(next_);
    envs_[next_].step(model_, actions_.values + row * model_->nu);
    if (++next_ == envs_.size()) {
      next_ = 0;
      batch_ = (batch_ + 1) % actions_.num_batches;
    }
  }

  const mjModel* model_;
  Actions actions_;
  int num_envs_;
  int begin_;
  std::vector<Env> envs_;
  std::size_t next_ = 0;
  int batch_ = 0;
};

class Pool {
 public:
  Pool(Model model, const Task& task, Actions actions, int num_envs, int num_threads)
      : model_(std::move(model)) {
    const int shares = std::min(num_envs, num_threads);
    shares_.reserve(shares);
    for (int share = 0; share < shares; ++share) {
      shares_.emplace_back(model_.get(), task, actions, num_envs, num_envs * share / shares,
                           num_envs * (share + 1) / shares);
    }
  }

  // Calls `act` with each share and its number, in a thread of its own.
  template <typename Act>
  void in_parallel(Act act) {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < shares_.size(); ++number) {
      threads.emplace_back(act, std::ref(shares_[number]), number);
    }
  }

  std::size_t num_shares() const { return shares_.size(); }

 private:
  Model model_;
  std::vector<Share> shares_;
};

}  // namespace

extern "C" {

// Null on failure, with the reason in `error`. `actions` must outlive the pool.
Pool* ceiling_open(const char* xml, Task task, Actions actions, int num_envs, int num_threads,
                   char* error, int error_size) {
  // Python's bindings set it, and a clock around every stage makes mj_step 6 to 15 % slower.
  mjcb_time = nullptr;
  // MuJoCo's own would append to a file in the current folder.
  mju_user_warning = [](const char*) {};
  Model model(mj_loadXML(xml, nullptr, error, error_size));
  return model ? new Pool(std::move(model), task, actions, num_envs, num_threads) : nullptr;
}

// Steps all environments for so long; returns the number of steps and the exact time they took.
std::int64_t ceiling_run(Pool* pool, double seconds, double* elapsed) {
  std::vector<std::int64_t> steps(pool->num_shares());
  const auto start = Clock::now();
  const auto deadline =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  pool->in_parallel([&steps, deadline](Share& share, std::size_t number) {
    steps[number] = share.run_until(deadline);
  });
  *elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  std::int64_t total = 0;
  for (const std::int64_t count : steps) {
    total += count;
  }
  return total;
}

// Steps each environment so many times.
void ceiling_step_each(Pool* pool, int steps) {
  pool->in_parallel([steps](Share& share, std::size_t) { share.step_each(steps); });
}

void ceiling_close(Pool* pool) { delete pool; }

}  // extern "C"
