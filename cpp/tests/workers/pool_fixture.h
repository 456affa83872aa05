// A pool of environments that count, and its workers.
#pragma once

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "workers/process_pool.h"
#include "workers/station.h"

namespace envpool {

// As actions:
constexpr int kFail = 1;
constexpr int kHang = 2;

// Observes how often it was stepped since its reset. Episodes end after `length` steps.
class Counting final : public Env {
 public:
  explicit Counting(int length) : length_(length) {}

  void Reset(Random&, const Options&) override { steps_ = 0; }
  StepResult Step(const Action&, Random&) override {
    if (next_action == kFail) throw std::runtime_error("failed on purpose");
    if (next_action == kHang) std::this_thread::sleep_for(std::chrono::hours(1));
    ++steps_;
    return {.reward = 1.0, .terminated = steps_ == length_};
  }
  void Observe(const Row& row) const override { row.Observation<std::int32_t>()[0] = steps_; }

  std::int32_t next_action = 0;  // Station's environments read their actions themselves

 private:
  const int length_;
  std::int32_t steps_ = 0;
};

inline SharedConfig MakeConfig(int num_envs, int batch_size, int num_workers) {
  SharedConfig config;
  config.spec.observation = {Box("obs", DType::kInt32, {})};
  config.spec.action = {Discrete("action", 3)};
  config.pool.num_envs = num_envs;
  config.pool.batch_size = batch_size;
  config.pool.num_threads = num_workers;
  for (int env = 0; env < num_envs; ++env) config.workers.push_back(env * num_workers / num_envs);
  return config;
}

// Answers each request with a letter that has the environment's id, if it was sent one.
class CountingStation final : public Station {
 public:
  // With `mapped` it uses the pool's own mapping, where a sanitizer sees what both sides do.
  CountingStation(const SharedConfig& config, int worker, const std::vector<int>& files,
                  int length = 5, const Exchange* mapped = nullptr)
      : Station(config, worker, {files[0], files[1], files[2 + static_cast<std::size_t>(worker)]},
                mapped),
        was_sent_(config.workers.size()) {
    for (std::size_t env = 0; env < config.workers.size(); ++env) {
      if (config.workers[env] != worker) continue;
      Put(static_cast<std::int32_t>(env), std::make_unique<Counting>(length));
    }
  }

  void Serve() {
    while (!IsClosed()) {
      if (!RunNext()) Await(std::chrono::milliseconds(100), false);
    }
  }

 private:
  void Prepare(std::int32_t env, Task, std::optional<std::string> letter) override {
    const auto index = static_cast<std::size_t>(env);
    was_sent_[index] = std::move(letter);
    static_cast<Counting&>(At(env)).next_action =
        *reinterpret_cast<const std::int32_t*>(Shared().Action(index, 0));
  }
  std::string LetterOf(std::int32_t env, bool&, const std::string& error) override {
    const std::optional<std::string>& sent = was_sent_[static_cast<std::size_t>(env)];
    return sent ? *sent + std::to_string(env) : error;
  }

  std::vector<std::optional<std::string>> was_sent_;
};

// One array of the same action for `count` environments.
class Actions {
 public:
  explicit Actions(std::size_t count, int action = 0)
      : actions_(count, action),
        view_{reinterpret_cast<const std::byte*>(actions_.data()), DType::kInt32, count} {}
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  int& operator[](std::size_t index) { return actions_[index]; }
  Contents Get() const { return {.actions = {&view_, 1}}; }

 private:
  std::vector<int> actions_;
  const ArrayView view_;
};

// Of a parcel, by rows.
inline std::vector<std::int32_t> Int32s(const ProcessPool& pool, const Parcel& parcel,
                                        const std::string& name) {
  const Layout& layout = pool.GetLayout();
  const Column& column = layout.all[layout.IndexOf(name)];
  const auto values = column.At<std::int32_t>(parcel.delivery.block.get(), 0, parcel.delivery.rows);
  return {values.begin(), values.end()};
}

}  // namespace envpool
